//! What a role is told when it cannot go on: who it is, where it stands, what it asked for, and why that
//! will not happen. Decides nothing.

use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// A role cannot go on. All there is to know is in the [`Report`] that it gives access to: `error.cause`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(Box<Report>);

/// A call that consumes the typed state of a role failed, and changed nothing: the state can be had back. With `?` it
/// becomes an [`Error`], and the role is dropped.
pub struct Failed<S> {
    error: Error,
    /// Never locked: states need not be `Sync`, errors should.
    state: Mutex<Box<S>>,
}

/// What is known of a role that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The role that cannot go on.
    pub role: String,
    /// Its state: of its own automaton in the liberal form, of everybody's in the strict form.
    pub state: String,
    /// What it asked for: `waiting for Move from White`.
    pub awaited: String,
    /// Why that will not happen.
    pub cause: Cause,
}

/// Why a role cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The protocol does not allow it here, whatever others do.
    NotAllowed {
        /// What was tried: `send Move to White`.
        message: String,
        /// What the protocol allows instead, perhaps after others did something.
        allowed: Vec<String>,
    },
    /// The protocol knows the type of the message, but not with this content.
    UnknownContent {
        /// What the protocol allows instead.
        allowed: Vec<String>,
    },
    /// The message goes to several receivers, but there cannot be two of it.
    NotDuplicated {
        /// The message.
        message: String,
    },
    /// A role was dropped before its end.
    Dropped {
        /// The role.
        role: String,
        /// Where it was.
        state: String,
    },
    /// A role panicked.
    Panicked {
        /// The role.
        role: String,
        /// Where it was.
        state: String,
    },
    /// Whoever could bring it about has finished.
    Finished {
        /// The role; the last of them if there are several.
        role: String,
    },
    /// Whoever could send something has closed its channel.
    Closed {
        /// The sender; the last of them if there are several.
        role: String,
    },
    /// It did not happen in time.
    TimedOut,
    /// Everybody waits for somebody else.
    Deadlock {
        /// All that wait.
        waiting: Vec<Waiting>,
    },
    /// The connection to a role on another machine is lost.
    Disconnected {
        /// The role.
        role: String,
        /// What the network says.
        reason: String,
    },
    /// A role on another machine sent something that cannot be read.
    Garbage {
        /// The role.
        role: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Cause {
    /// Whether this is told of a role that left before its end.
    pub(crate) fn is_broken(&self) -> bool {
        !matches!(self, Cause::Finished { .. })
    }
}

/// A role that waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The role.
    pub role: String,
    /// Its state.
    pub state: String,
    /// What it asked for.
    pub awaited: String,
}

impl Error {
    /// What is known, for good.
    pub fn into_report(self) -> Report {
        *self.0
    }

    pub(crate) fn new(report: Report) -> Self {
        Self(Box::new(report))
    }
}

impl Deref for Error {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

impl std::error::Error for Error {}

impl<S> Failed<S> {
    /// A call failed in this state.
    pub fn new(state: S, error: Error) -> Self {
        Self { error, state: Mutex::new(Box::new(state)) }
    }

    /// The state, where the role still is.
    pub fn into_state(self) -> S {
        *self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Deref for Failed<S> {
    type Target = Error;

    fn deref(&self) -> &Error {
        &self.error
    }
}

impl<S> From<Failed<S>> for Error {
    fn from(failed: Failed<S>) -> Self {
        failed.error
    }
}

impl<S> std::error::Error for Failed<S> {}

impl<S> fmt::Debug for Failed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<S> fmt::Display for Failed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { role, state, awaited, cause } = &**self;
        write!(f, "`{role}` in state {state}, {awaited}: {cause}")
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::NotAllowed { message, allowed } => {
                write!(f, "the protocol does not allow to {message}")?;
                show_allowed(f, allowed)
            }
            Cause::UnknownContent { allowed } => {
                f.write_str("the protocol knows no message with this content")?;
                show_allowed(f, allowed)
            }
            Cause::NotDuplicated { message } => {
                write!(f, "{message} goes to several receivers but cannot be duplicated")
            }
            Cause::Dropped { role, state } => {
                write!(f, "`{role}` was dropped in state {state} before its end")
            }
            Cause::Panicked { role, state } => write!(f, "`{role}` panicked in state {state}"),
            Cause::Finished { role } => write!(f, "`{role}` has finished"),
            Cause::Closed { role } => write!(f, "`{role}` has closed its channel"),
            Cause::TimedOut => f.write_str("timed out"),
            Cause::Deadlock { waiting } => {
                f.write_str("deadlock")?;
                for (position, Waiting { role, state, awaited }) in waiting.iter().enumerate() {
                    let before = if position == 0 { ": " } else { "; " };
                    write!(f, "{before}`{role}` in state {state} is {awaited}")?;
                }
                Ok(())
            }
            Cause::Disconnected { role, reason } => {
                write!(f, "the connection to `{role}` is lost: {reason}")
            }
            Cause::Garbage { role, reason } => {
                write!(f, "`{role}` sent something that cannot be read: {reason}")
            }
        }
    }
}

fn show_allowed(f: &mut fmt::Formatter<'_>, allowed: &[String]) -> fmt::Result {
    match allowed {
        [] => f.write_str("; nothing is allowed any more"),
        allowed => write!(f, "; allowed: {}", allowed.join(", ")),
    }
}
