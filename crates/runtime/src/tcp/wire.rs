//! What goes over a connection: a greeting, then frames. All of it is a length of four bytes and that many
//! bytes of `postcard`. Nothing is allocated for bytes that have not arrived.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::ConnectError;
use crate::error::Cause;
use crate::plan::{Plan, RoleId};

/// How greetings and frames are written.
pub(super) const VERSION: u16 = 1;

const MAGIC: [u8; 4] = *b"quad";

/// A message beyond this is refused: whoever sends more at once should send it in pieces.
const MOST_BYTES: u32 = 64 << 20;

/// How two processes greet each other.
#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Hello {
    magic: [u8; 4],
    version: u16,
    /// What tells one plan from another.
    fingerprint: u64,
    protocol: String,
    /// The roles that run there.
    pub(super) roles: Vec<String>,
}

/// Something that happened elsewhere. Numbers are positions in the plan, which both sides have.
#[derive(Serialize, Deserialize, Debug)]
pub(super) enum Frame<P> {
    /// A message was put into a queue.
    Message { queue: u32, packet: u32, payload: P },
    /// A role closed to another for good.
    Close { closing: u32 },
    /// A role will do nothing more.
    Left { role: u16, how: How },
}

/// How a role left.
#[derive(Serialize, Deserialize, Debug)]
pub(super) enum How {
    Finished,
    Dropped { state: String },
    Panicked { state: String },
}

impl How {
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
    pub(super) fn new(plan: &Plan, local: &[RoleId]) -> Self {
        let name = |role: &RoleId| plan.roles.get(role.index()).map(ToString::to_string);
        Self {
            magic: MAGIC,
            version: VERSION,
            fingerprint: fingerprint(plan),
            protocol: plan.protocol.to_string(),
            roles: local.iter().filter_map(name).collect(),
        }
    }

    pub(super) fn write(&self, mut stream: &TcpStream) -> Result<(), ConnectError> {
        Ok(stream.write_all(&encode(self)?)?)
    }

    pub(super) fn read(stream: &TcpStream) -> Result<Self, ConnectError> {
        match receive(&mut &*stream, 1 << 20) {
            Ok(Some(hello)) => Ok(hello),
            Ok(None) | Err(Broken::Garbage(_)) => Err(ConnectError::Stranger),
            Err(Broken::Io(error)) => Err(ConnectError::Io(error)),
        }
    }

    /// Whether a peer that greets like this can be talked to.
    pub(super) fn is_like(&self, ours: &Self) -> Result<(), ConnectError> {
        if self.magic != ours.magic {
            return Err(ConnectError::Stranger);
        }
        if self.version != ours.version {
            return Err(ConnectError::Version { theirs: self.version });
        }
        if self.fingerprint != ours.fingerprint {
            return Err(ConnectError::OtherProtocol { theirs: self.protocol.clone() });
        }
        Ok(())
    }
}

/// Why nothing more can be received.
#[derive(Debug)]
pub(super) enum Broken {
    Io(io::Error),
    Garbage(String),
}

/// The bytes of something, with their length before them.
pub(super) fn encode(something: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = postcard::to_extend(something, vec![0; 4]).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|&length| length <= MOST_BYTES);
    let length = length.ok_or_else(|| io::Error::other("the message is too long to be sent"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// The next frame; `None` if the peer has nothing more to say.
pub(super) fn frame<P: DeserializeOwned>(
    stream: &mut impl Read,
) -> Result<Option<Frame<P>>, Broken> {
    receive(stream, MOST_BYTES)
}

fn receive<T: DeserializeOwned>(stream: &mut impl Read, most: u32) -> Result<Option<T>, Broken> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(Broken::Io(error)),
    }
    let length = u32::from_le_bytes(length);
    if length > most {
        return Err(Broken::Garbage(format!("a frame of {length} bytes")));
    }
    let mut bytes = Vec::new();
    stream.take(length.into()).read_to_end(&mut bytes).map_err(Broken::Io)?;
    if bytes.len() < length as usize {
        return Err(Broken::Garbage("a frame that ends too early".to_owned()));
    }
    match postcard::take_from_bytes(&bytes) {
        Ok((something, [])) => Ok(Some(something)),
        Ok(_) => Err(Broken::Garbage("a frame with something behind it".to_owned())),
        Err(error) => Err(Broken::Garbage(format!("a frame that cannot be read ({error})"))),
    }
}

/// Tells plans apart: FNV-1a over all that is in one.
fn fingerprint(plan: &Plan) -> u64 {
    let text = format!("{plan:?}");
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
