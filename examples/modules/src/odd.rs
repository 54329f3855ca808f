//! A type of messages with a field that the protocol looks at.

use crate::names::StopContent;

/// A wish to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop(pub bool);

impl StopContent for Stop {
    fn now(&self) -> bool {
        self.0
    }

    fn with(now: bool) -> Self {
        Stop(now)
    }
}
