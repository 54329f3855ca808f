//! The wire format: a greeting, then frames; each a length of four bytes and that many bytes of `postcard`. Nothing is
//! allocated for bytes that have not arrived.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::ConnectError;
use crate::error::Cause;
use crate::plan::{Plan, RoleId};

/// The version of the format.
pub(super) const VERSION: u16 = 2;

const MAGIC: [u8; 4] = *b"quad";

/// The largest frame; send larger messages in pieces.
const MAX_FRAME: u32 = 64 << 20;

/// The largest greeting.
const MAX_GREETING: u32 = 1 << 20;

/// A greeting.
#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Hello {
    magic: [u8; 4],
    version: u16,
    /// Identifies the plan.
    fingerprint: u64,
    protocol: String,
    /// The roles that run there.
    pub(super) roles: Vec<String>,
    /// How many milliseconds this process lets a peer be silent; 0: for ever.
    silence: u32,
}

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

impl Hello {
    pub(super) fn new(plan: &Plan, local: &[RoleId], silence: Option<Duration>) -> Self {
        let milliseconds =
            |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1);
        let name = |role: &RoleId| plan.roles.get(role.index()).map(ToString::to_string);
        Self {
            magic: MAGIC,
            version: VERSION,
            fingerprint: fingerprint(plan),
            protocol: plan.protocol.to_string(),
            roles: local.iter().filter_map(name).collect(),
            silence: silence.map_or(0, milliseconds),
        }
    }

    pub(super) fn write(&self, mut stream: &TcpStream) -> Result<(), ConnectError> {
        Ok(stream.write_all(&encode(self)?)?)
    }

    /// How often the peer that greets like this wants to hear something: three times before it takes us for dead.
    pub(super) fn heartbeat(&self) -> Option<Duration> {
        (self.silence > 0).then(|| Duration::from_millis(u64::from(self.silence)) / 3)
    }

    /// The greeting of a peer, if it arrives in time.
    pub(super) fn read(stream: &TcpStream, timeout: Duration) -> Result<Self, ConnectError> {
        let bytes = receive(&mut DeadlineReader::new(stream, timeout), MAX_GREETING);
        stream.set_read_timeout(None)?;
        let bytes = match bytes {
            Ok(Some(bytes)) => bytes,
            Ok(None) | Err(ReadError::InvalidData(_)) => return Err(ConnectError::NotAPeer),
            Err(ReadError::Io(error)) => return Err(ConnectError::Io(error)),
        };
        // Every version begins like this, however it goes on.
        let (magic, theirs): ([u8; 4], u16) =
            postcard::take_from_bytes(&bytes).map_err(|_| ConnectError::NotAPeer)?.0;
        if magic != MAGIC {
            return Err(ConnectError::NotAPeer);
        }
        if theirs != VERSION {
            return Err(ConnectError::Version { theirs });
        }
        decode(&bytes).map_err(|_| ConnectError::NotAPeer)
    }

    /// Whether the peer runs the same protocol.
    pub(super) fn is_like(&self, ours: &Self) -> Result<(), ConnectError> {
        if self.fingerprint != ours.fingerprint {
            return Err(ConnectError::OtherProtocol { theirs: self.protocol.clone() });
        }
        Ok(())
    }
}

/// A stream with a deadline.
struct DeadlineReader<'s> {
    stream: &'s TcpStream,
    until: Instant,
}

#[expect(clippy::disallowed_methods, reason = "the greeting has a time-out")]
impl<'s> DeadlineReader<'s> {
    fn new(stream: &'s TcpStream, timeout: Duration) -> Self {
        Self { stream, until: Instant::now() + timeout }
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

impl Read for DeadlineReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.left();
            if left.is_zero() {
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    "the peer sent no greeting in time",
                ));
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(bytes) {
                // The kind of a time-out depends on the system.
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                result => return result,
            }
        }
    }
}

/// Why reading ended.
#[derive(Debug)]
pub(super) enum ReadError {
    Io(io::Error),
    InvalidData(String),
}

/// Encodes a value, prefixed with its length.
pub(super) fn encode(something: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = postcard::to_extend(something, vec![0; 4]).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|&length| length <= MAX_FRAME);
    let length = length.ok_or_else(|| io::Error::other("the message is too large"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// The next frame; `None` at the end of the stream.
pub(super) fn frame<P: DeserializeOwned>(
    stream: &mut impl Read,
) -> Result<Option<Frame<P>>, ReadError> {
    receive(stream, MAX_FRAME)?.map(|bytes| decode(&bytes)).transpose()
}

/// The next length-prefixed bytes.
fn receive(stream: &mut impl Read, most: u32) -> Result<Option<Vec<u8>>, ReadError> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(ReadError::Io(error)),
    }
    let length = u32::from_le_bytes(length);
    if length > most {
        return Err(ReadError::InvalidData(format!("a frame of {length} bytes")));
    }
    let mut bytes = Vec::new();
    stream.take(length.into()).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() < length as usize {
        return Err(ReadError::InvalidData("a truncated frame".to_owned()));
    }
    Ok(Some(bytes))
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ReadError> {
    match postcard::take_from_bytes(bytes) {
        Ok((something, [])) => Ok(something),
        Ok(_) => Err(ReadError::InvalidData("a frame with trailing bytes".to_owned())),
        Err(error) => Err(ReadError::InvalidData(format!("a malformed frame ({error})"))),
    }
}

/// Identifies a plan: FNV-1a over its content.
fn fingerprint(plan: &Plan) -> u64 {
    let text = format!("{plan:?}");
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
