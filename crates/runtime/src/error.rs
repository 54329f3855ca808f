//! Errors of calls: which role in which state requested what, and why that is impossible.

use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// The error of a call. It dereferences to a [`Report`]: `error.cause`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(Box<Report>);

/// The error of a call that consumes a typed state. The call changed nothing, and [`Failed::into_state`] gives the state
/// back. With `?` it becomes an [`Error`], and the role is dropped.
pub struct Failed<S> {
    error: Error,
    /// Never locked; a mutex makes the error `Sync` although states are not.
    state: Mutex<Box<S>>,
}

/// What an error says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The role that made the call.
    pub role: String,
    /// Its state: of its own automaton in the liberal form, of the protocol's in the strict form.
    pub state: String,
    /// The request: `waiting for Move from White`.
    pub awaited: String,
    /// Why it is impossible.
    pub cause: Cause,
}

/// Why a request is impossible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The protocol does not allow it in this state, whatever other roles do.
    NotAllowed {
        /// The attempted action: `sending Move to White here`.
        message: String,
        /// What the protocol allows instead, now or after steps of other roles.
        allowed: Vec<String>,
    },
    /// The protocol has this type of message, but not with this content.
    UnknownContent {
        /// What the protocol allows instead.
        allowed: Vec<String>,
    },
    /// The message has several receivers, but its type cannot be cloned.
    NotDuplicated {
        /// The message.
        message: String,
    },
    /// A role was dropped before its end.
    Dropped {
        /// The role.
        role: String,
        /// Its state.
        state: String,
    },
    /// A role panicked.
    Panicked {
        /// The role.
        role: String,
        /// Its state.
        state: String,
    },
    /// The role that is needed for it has finished.
    Finished {
        /// The role; the last one if there are several.
        role: String,
    },
    /// The role that could send something has closed its channel.
    Closed {
        /// The sender; the last one if there are several.
        role: String,
    },
    /// The time-out expired.
    TimedOut,
    /// Every role waits for another.
    Deadlock {
        /// The waiting roles.
        waiting: Vec<Waiting>,
    },
    /// The connection to a role in another process is lost.
    Disconnected {
        /// The role.
        role: String,
        /// What happened to the connection.
        reason: String,
    },
    /// A role in another process sent something that is not valid.
    InvalidData {
        /// The role.
        role: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Cause {
    /// Whether the role of this cause left before its end.
    pub(crate) fn is_broken(&self) -> bool {
        !matches!(self, Cause::Finished { .. })
    }
}

/// A waiting role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The role.
    pub role: String,
    /// Its state.
    pub state: String,
    /// Its request.
    pub awaited: String,
}

impl Error {
    /// What the error says, by value.
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

    /// A call failed in this state; for generated code.
    #[cold]
    #[doc(hidden)]
    pub fn err<T>(state: S, error: Error) -> Result<T, Self> {
        Err(Self::new(state, error))
    }

    /// The state, which the call did not change.
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
                write!(f, "the protocol does not allow {message}")?;
                show_allowed(f, allowed)
            }
            Cause::UnknownContent { allowed } => {
                f.write_str("the protocol has no message with this content")?;
                show_allowed(f, allowed)
            }
            Cause::NotDuplicated { message } => {
                write!(f, "{message} has several receivers but its type cannot be cloned")
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
            Cause::InvalidData { role, reason } => {
                write!(f, "`{role}` sent invalid data: {reason}")
            }
        }
    }
}

fn show_allowed(f: &mut fmt::Formatter<'_>, allowed: &[String]) -> fmt::Result {
    match allowed {
        [] => f.write_str("; no action is allowed any more"),
        allowed => write!(f, "; allowed: {}", allowed.join(", ")),
    }
}
