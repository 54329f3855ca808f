//! Why roles cannot be run over connections: which peer, and what is wrong.

use std::fmt;
use std::io;
use std::time::Duration;

use super::wire;

/// Why roles cannot be run over these connections.
#[derive(Debug)]
pub struct ConnectError {
    /// The address of the peer; `None` if it has nothing to do with one.
    pub peer: Option<String>,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a connection.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The strict form is one machine, which runs in one process.
    Strict,
    /// An error of the network.
    Io(io::Error),
    /// No attempt to reach the peer succeeded.
    Unreachable {
        /// How often it was tried.
        attempts: u32,
        /// For how long.
        within: Duration,
        /// The last error.
        last: io::Error,
    },
    /// The peer did not greet in time.
    Silent {
        /// How long it had.
        within: Duration,
    },
    /// The peer closed the connection instead of greeting.
    Closed,
    /// The peer does not send a greeting.
    NotAPeer,
    /// The peer has another version of the wire format.
    Version {
        /// Its version.
        theirs: u16,
    },
    /// The peer runs another protocol, or another version of it.
    OtherProtocol {
        /// The one that this process runs, with the beginning of the hash of its content.
        ours: String,
        /// The one of the peer.
        theirs: String,
    },
    /// One side has a shared secret and the other has none.
    OneSecret {
        /// Whether it is this process that has one.
        ours: bool,
    },
    /// The peer did not prove that it knows the shared secret.
    WrongSecret,
    /// TLS refuses the peer, or the peer refuses us.
    Tls(String),
    /// The protocol has no such role.
    Unknown {
        /// The role.
        role: String,
    },
    /// A role would run in two processes.
    Duplicate {
        /// The role.
        role: String,
    },
    /// A role would run in no process.
    Missing {
        /// The role.
        role: String,
    },
    /// A rendezvous between roles in different processes. It is performed by all its roles or by none, which messages over a
    /// network cannot guarantee: either side may die or cancel while the other has committed.
    Exchange {
        /// The act.
        act: String,
    },
}

impl Reason {
    /// This reason, with a peer.
    pub(super) fn of(self, peer: &str) -> ConnectError {
        ConnectError { peer: Some(peer.to_owned()), reason: self }
    }
}

impl From<Reason> for ConnectError {
    fn from(reason: Reason) -> Self {
        Self { peer: None, reason }
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(peer) = &self.peer {
            write!(f, "{peer}: ")?;
        }
        fmt::Display::fmt(&self.reason, f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Strict => {
                f.write_str("the strict form is one machine and cannot run in several processes")
            }
            Reason::Io(error) => write!(f, "{error}"),
            Reason::Unreachable { attempts, within, last } => {
                write!(f, "not reached in {attempts} attempts within {within:?}: {last}")
            }
            Reason::Silent { within } => write!(f, "the peer did not greet within {within:?}"),
            Reason::Closed => f.write_str(
                "the peer closed the connection before it greeted: it may refuse this process, or \
                 serve as many sessions as it may",
            ),
            Reason::NotAPeer => f.write_str("the peer does not send a greeting of this protocol"),
            Reason::Version { theirs } => {
                write!(f, "the peer has version {theirs} of the wire format, not {}", wire::VERSION)
            }
            Reason::OtherProtocol { ours, theirs } => write!(
                f,
                "the peer runs {theirs}, which is not the same protocol as {ours}: generate both \
                 modules from the same file, with the same version of Quadrille"
            ),
            Reason::OneSecret { ours: true } => {
                f.write_str("the peer uses no shared secret, and this process demands one")
            }
            Reason::OneSecret { ours: false } => {
                f.write_str("the peer demands a shared secret, and this process has none")
            }
            Reason::WrongSecret => {
                f.write_str("the peer does not prove that it knows the shared secret")
            }
            Reason::Tls(what) => write!(f, "TLS: {what}"),
            Reason::Unknown { role } => write!(f, "the protocol has no role `{role}`"),
            Reason::Duplicate { role } => write!(f, "`{role}` would run in two processes"),
            Reason::Missing { role } => write!(f, "no process runs `{role}`"),
            Reason::Exchange { act } => {
                write!(
                    f,
                    "`{act}` is one step of roles that run in different processes: run them in one \
                     process, or let the protocol send the message without `sync`"
                )
            }
        }
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            Reason::Io(error) | Reason::Unreachable { last: error, .. } => Some(error),
            _ => None,
        }
    }
}
