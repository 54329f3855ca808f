//! A type of messages that was there before the protocol.

use crate::two_phase_commit::VoteContent;

/// What a bank thinks of a transfer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vote {
    /// The account that would be overdrawn, if any.
    pub overdrawn: Option<String>,
}

impl VoteContent for Vote {
    fn yes(&self) -> bool {
        self.overdrawn.is_none()
    }

    fn with(yes: bool) -> Self {
        Vote { overdrawn: (!yes).then(|| "savings".to_owned()) }
    }
}
