//! How long to wait for a peer: deadlines, heartbeats, and what their end means. Reads the clock, waits for nothing.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use super::link::Link;
use super::network::Timeouts;
use super::wire::Decoder;

/// The end of a stretch of time that began when it was made.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Option<Instant>);

#[expect(clippy::disallowed_methods, reason = "time-outs need a clock")]
impl Deadline {
    pub(super) fn new(within: Duration) -> Self {
        Self(Instant::now().checked_add(within))
    }

    /// What is left of it; `None` if it is over.
    pub(super) fn left(&self) -> Option<Duration> {
        let Some(end) = self.0 else { return Some(Duration::MAX) };
        Some(end.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }
}

/// What ends a reader.
pub(super) enum End {
    /// The peer writes no more.
    Closed,
    Lost(String),
    InvalidData(String),
}

impl End {
    pub(super) fn of(error: &io::Error) -> Self {
        match error.kind() {
            // What TLS refuses.
            ErrorKind::InvalidData => Self::InvalidData(error.to_string()),
            _ => Self::Lost(error.to_string()),
        }
    }

    /// Why a writer ends that failed.
    pub(super) fn of_write(error: &io::Error, timeouts: Timeouts) -> String {
        match timeouts.message {
            Some(within) if is_timeout(error) => format!("it took nothing for {within:?}"),
            _ => error.to_string(),
        }
    }

    /// Whether there shall be no further communication.
    pub(super) fn is_abrupt(&self) -> bool {
        !matches!(self, End::Closed)
    }

    /// Tells the local roles.
    pub(super) fn tell<P>(self, link: &Link<P>) {
        match self {
            End::Closed => link.disconnect("unexpected end of file"),
            End::Lost(reason) => link.disconnect(&reason),
            End::InvalidData(reason) => link.distrust(&reason),
        }
    }
}

/// How long a reader waits.
pub(super) struct Patience {
    timeouts: Timeouts,
    /// When the frame that has begun must be complete, and its number.
    partial: Option<(u64, Deadline)>,
}

impl Patience {
    pub(super) fn new(timeouts: Timeouts) -> Self {
        Self { timeouts, partial: None }
    }

    /// How long the next read may take; `None`: for ever.
    pub(super) fn before_read(&mut self, decoder: &Decoder) -> Result<Option<Duration>, End> {
        let Timeouts { silence, message, .. } = self.timeouts;
        let (Some(within), Some(number)) = (message, decoder.partial()) else {
            self.partial = None;
            return Ok(silence);
        };
        let known = self.partial.filter(|(known, _)| *known == number);
        let (_, deadline) = *self.partial.insert(known.unwrap_or((number, Deadline::new(within))));
        match deadline.left() {
            Some(left) => Ok(Some(silence.map_or(left, |silence| silence.min(left)))),
            None => Err(self.expired()),
        }
    }

    /// Why a read that took too long ends the connection.
    pub(super) fn expired(&self) -> End {
        let is_slow = self.partial.is_some_and(|(_, deadline)| deadline.left().is_none());
        End::Lost(match (self.timeouts.message, self.timeouts.silence) {
            (Some(within), _) if is_slow => {
                format!("a message is not complete after {within:?}")
            }
            (_, silence) => {
                format!("nothing was heard of it for {:?}", silence.unwrap_or_default())
            }
        })
    }
}

/// When to send a heartbeat.
pub(super) struct Pulse {
    every: Option<Duration>,
    next: Option<Deadline>,
}

impl Pulse {
    pub(super) fn new(every: Option<Duration>) -> Self {
        Self { every, next: every.map(Deadline::new) }
    }

    /// Something was sent.
    pub(super) fn beat(&mut self) {
        self.next = self.every.map(Deadline::new);
    }

    /// How long until the next one, `None` within: for ever; `None` if it is due.
    #[expect(clippy::option_option, reason = "due, in some time, never")]
    pub(super) fn left(&self) -> Option<Option<Duration>> {
        self.next.map_or(Some(None), |next| next.left().map(Some))
    }
}

/// Whether an operation ended because nothing happened; the name of that depends on the system.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Whether the peer closed the connection without reading everything.
pub(super) fn is_reset(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe
    )
}
