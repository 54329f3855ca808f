//! What goes over a connection: a greeting, then frames. All of it is a length of four bytes and that many
//! bytes of `postcard`. Nothing is allocated for bytes that have not arrived.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

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

/// The same for a greeting.
const MOST_GREETING: u32 = 1 << 20;

/// How long a peer may take to greet.
const PATIENCE: Duration = Duration::from_secs(10);

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

    /// What a peer says before the time is over.
    pub(super) fn read(stream: &TcpStream) -> Result<Self, ConnectError> {
        let bytes = receive(&mut Patient::new(stream), MOST_GREETING);
        stream.set_read_timeout(None)?;
        let bytes = match bytes {
            Ok(Some(bytes)) => bytes,
            Ok(None) | Err(Broken::Garbage(_)) => return Err(ConnectError::Stranger),
            Err(Broken::Io(error)) => return Err(ConnectError::Io(error)),
        };
        // Every version begins like this, however it goes on.
        let (magic, theirs): ([u8; 4], u16) =
            postcard::take_from_bytes(&bytes).map_err(|_| ConnectError::Stranger)?.0;
        if magic != MAGIC {
            return Err(ConnectError::Stranger);
        }
        if theirs != VERSION {
            return Err(ConnectError::Version { theirs });
        }
        decode(&bytes).map_err(|_| ConnectError::Stranger)
    }

    /// Whether a peer that greets like this can be talked to.
    pub(super) fn is_like(&self, ours: &Self) -> Result<(), ConnectError> {
        if self.fingerprint != ours.fingerprint {
            return Err(ConnectError::OtherProtocol { theirs: self.protocol.clone() });
        }
        Ok(())
    }
}

/// A peer that is to say something soon.
struct Patient<'s> {
    stream: &'s TcpStream,
    until: Instant,
}

#[expect(clippy::disallowed_methods, reason = "a peer may take some time, not for ever")]
impl<'s> Patient<'s> {
    fn new(stream: &'s TcpStream) -> Self {
        Self { stream, until: Instant::now() + PATIENCE }
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.left();
            if left.is_zero() {
                return Err(io::Error::new(ErrorKind::TimedOut, "the peer does not greet"));
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(bytes) {
                // How a time-out is called depends on the system.
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                result => return result,
            }
        }
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
    receive(stream, MOST_BYTES)?.map(|bytes| decode(&bytes)).transpose()
}

/// The next bytes that belong together.
fn receive(stream: &mut impl Read, most: u32) -> Result<Option<Vec<u8>>, Broken> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
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
    Ok(Some(bytes))
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Broken> {
    match postcard::take_from_bytes(bytes) {
        Ok((something, [])) => Ok(something),
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
