//! What happens on an edge: a label for formulas and files, and a shape for diagrams.

use crate::ParticipantId;

/// The action of an edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// The text that formulas, traces and files show.
    pub label: String,
    /// Who does what to whom.
    pub shape: Shape,
}

/// Who does what to whom in an action.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// These take part; nothing is known of a direction. One alone: a local step. Nobody: anonymous.
    Joint(Vec<ParticipantId>),
    /// A message leaves; it is received later.
    Send {
        /// The sender.
        from: ParticipantId,
        /// The receivers.
        to: Vec<ParticipantId>,
        /// What is sent.
        message: String,
    },
    /// A message sent before arrives.
    Receive {
        /// The sender, where it is known.
        from: Option<ParticipantId>,
        /// The receiver.
        to: ParticipantId,
        /// What is received.
        message: String,
    },
    /// Send and receive in one step.
    Exchange {
        /// The sender.
        from: ParticipantId,
        /// The receivers.
        to: Vec<ParticipantId>,
        /// What is exchanged.
        message: String,
    },
    /// A channel is closed by its sender.
    Close {
        /// The sender.
        from: ParticipantId,
        /// The receiver.
        to: ParticipantId,
    },
}
