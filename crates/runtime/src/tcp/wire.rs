//! The wire format: a greeting, then frames; each a length of four bytes and that many bytes, which are `postcard` and, with
//! a shared secret, a tag that authenticates them. Nothing is allocated for bytes that have not arrived. Knows no socket.

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::secret::{Seal, TAG};
use crate::error::Cause;

/// The version of the format.
pub(super) const VERSION: u16 = 3;

/// How many bytes are read at once.
const CHUNK: usize = 8 << 10;

/// A step of a remote role. Numbers are positions in the plan, which both sides have.
#[derive(Serialize, Deserialize, Debug)]
pub(super) enum Frame<P> {
    /// A message was put into a queue.
    Message { queue: u32, packet: u32, payload: P },
    /// A role closed a channel for good.
    Close { closing: u32 },
    /// A role has left.
    Left { role: u16, how: Departure },
    /// The process is alive and has nothing to say.
    Heartbeat,
}

/// How a role left.
#[derive(Serialize, Deserialize, Debug)]
pub(super) enum Departure {
    Finished,
    Dropped { state: String },
    Panicked { state: String },
}

impl Departure {
    pub(super) fn of(cause: &Cause, state: &str) -> Self {
        match cause {
            Cause::Finished { .. } => Self::Finished,
            Cause::Panicked { state, .. } => Self::Panicked { state: state.clone() },
            Cause::Dropped { state, .. } => Self::Dropped { state: state.clone() },
            _ => Self::Dropped { state: state.to_owned() },
        }
    }

    pub(super) fn cause(self, role: String) -> Cause {
        match self {
            Self::Finished => Cause::Finished { role },
            Self::Dropped { state } => Cause::Dropped { role, state },
            Self::Panicked { state } => Cause::Panicked { role, state },
        }
    }
}

/// Writes frames.
pub(super) struct Encoder {
    /// How many bytes a frame may have.
    pub(super) limit: u32,
    pub(super) seal: Option<Seal>,
}

impl Encoder {
    /// Appends a value as a frame.
    pub(super) fn encode(&mut self, value: &impl Serialize, out: &mut Vec<u8>) -> io::Result<()> {
        let start = out.len();
        out.extend([0; 4]);
        // An error, or a panic, leaves a frame without a length, which is never sent: the connection ends.
        let mut whole =
            postcard::to_extend(value, std::mem::take(out)).map_err(io::Error::other)?;
        let body = start + 4;
        let length = whole.len() - body;
        if length > self.limit as usize {
            let message = format!("a message of {length} bytes, where {} are allowed", self.limit);
            return Err(io::Error::other(message));
        }
        if let Some(seal) = &mut self.seal {
            let tag = seal.tag(&whole[body..]);
            whole.extend(tag);
        }
        let length = (whole.len() - body) as u32;
        whole[start..body].copy_from_slice(&length.to_le_bytes());
        *out = whole;
        Ok(())
    }
}

/// Reads frames from bytes as they arrive.
pub(super) struct Decoder {
    /// How many bytes a frame may have.
    limit: u32,
    seal: Option<Seal>,
    /// What has arrived lies from `start` to `end`; the rest is free.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// How many were taken.
    n_frames: u64,
}

impl Decoder {
    /// A decoder for frames of at most this many bytes.
    pub(super) fn new(limit: u32, seal: Option<Seal>) -> Self {
        Self { limit, seal, bytes: Vec::new(), start: 0, end: 0, n_frames: 0 }
    }

    /// Takes bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.bytes[self.end..self.end + bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    /// Where bytes can be read to; [`Decoder::filled`] says how many.
    pub(super) fn room(&mut self) -> &mut [u8] {
        self.make_room(CHUNK);
        &mut self.bytes[self.end..]
    }

    pub(super) fn filled(&mut self, n_bytes: usize) {
        self.end += n_bytes;
    }

    fn make_room(&mut self, n_bytes: usize) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            // A large frame does not keep its memory.
            if self.bytes.len() > 16 * CHUNK {
                self.bytes = Vec::new();
            }
        }
        if self.bytes.len() - self.end < n_bytes && self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.bytes.len() - self.end < n_bytes {
            self.bytes.resize(self.end + n_bytes, 0);
        }
    }

    /// The number of the frame that has begun and is not complete.
    pub(super) fn partial(&self) -> Option<u64> {
        (self.start < self.end).then_some(self.n_frames)
    }

    /// The next frame if it is complete, with its number of bytes.
    pub(super) fn next<T: DeserializeOwned>(&mut self) -> Result<Option<(T, usize)>, String> {
        let Some(body) = self.next_body()? else { return Ok(None) };
        let length = body.len();
        decode(body).map(|value| Some((value, length)))
    }

    /// The bytes of the next frame if it is complete.
    pub(super) fn next_body(&mut self) -> Result<Option<&[u8]>, String> {
        let arrived = &self.bytes[self.start..self.end];
        let Some((length, rest)) = arrived.split_first_chunk() else { return Ok(None) };
        let length = u32::from_le_bytes(*length);
        let tag = if self.seal.is_some() { TAG } else { 0 };
        if length as usize > self.limit as usize + tag {
            return Err(format!("a frame of {length} bytes, where {} are allowed", self.limit));
        }
        let Some(frame) = rest.get(..length as usize) else { return Ok(None) };
        self.start += 4 + length as usize;
        self.n_frames += 1;
        let Some(seal) = &mut self.seal else { return Ok(Some(frame)) };
        match frame.split_at_checked(frame.len().wrapping_sub(TAG)) {
            Some((body, tag)) if seal.is_tag(body, tag) => Ok(Some(body)),
            _ => Err("a frame that the shared secret does not authenticate".to_owned()),
        }
    }

    /// What has arrived after the last frame that was taken.
    pub(super) fn into_rest(self) -> Vec<u8> {
        self.bytes[self.start..self.end].to_vec()
    }
}

/// A value that takes all of these bytes.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err("a frame with trailing bytes".to_owned()),
        Err(error) => Err(format!("a malformed frame ({error})")),
    }
}

#[cfg(test)]
mod tests;
