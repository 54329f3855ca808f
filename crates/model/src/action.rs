//! What happens on an edge and who takes part: a label for traces, events for formulas, an
//! interaction for diagrams.

use std::fmt;

use crate::ParticipantId;

/// The action of an edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// The text that traces and files show.
    pub label: String,
    /// The events it consists of, by which formulas name it. Empty where its label is its name.
    pub events: Vec<String>,
    /// Who does what to whom.
    pub interaction: Interaction<ParticipantId>,
}

impl Action {
    /// An action of which only the label is known.
    pub fn anonymous(label: impl Into<String>) -> Self {
        Self { label: label.into(), events: Vec::new(), interaction: Interaction::ANONYMOUS }
    }

    /// The names by which formulas call it: its events, or its label where it has none.
    pub fn names(&self) -> &[String] {
        if self.events.is_empty() { std::slice::from_ref(&self.label) } else { &self.events }
    }
}

/// Who does what to whom; `P` is a participant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Interaction<P> {
    /// These take part; nothing is known of a direction. One alone: a local step. None: anonymous.
    Joint {
        /// Who takes part.
        participants: Vec<P>,
    },
    /// A message leaves; it is received later.
    Send {
        /// The sender.
        from: P,
        /// The receivers.
        to: Vec<P>,
        /// What is sent.
        message: String,
    },
    /// A message sent before arrives.
    Receive {
        /// The sender, where it is known.
        from: Option<P>,
        /// The receiver.
        to: P,
        /// What is received.
        message: String,
    },
    /// Send and receive in one step.
    Exchange {
        /// The sender.
        from: P,
        /// The receivers.
        to: Vec<P>,
        /// What is exchanged.
        message: String,
    },
    /// A channel is closed by its sender.
    Close {
        /// The sender.
        from: P,
        /// The receiver.
        to: P,
    },
}

impl<P> Interaction<P> {
    /// Nothing is known of who takes part.
    pub const ANONYMOUS: Self = Self::Joint { participants: Vec::new() };

    /// A step of one participant alone.
    pub fn local(participant: P) -> Self {
        Self::Joint { participants: vec![participant] }
    }

    /// All participants, in the order of the interaction: the sender first.
    pub fn participants(&self) -> Vec<&P> {
        match self {
            Interaction::Joint { participants } => participants.iter().collect(),
            Interaction::Send { from, to, .. } | Interaction::Exchange { from, to, .. } => {
                std::iter::once(from).chain(to).collect()
            }
            Interaction::Receive { from, to, .. } => {
                from.iter().chain(std::iter::once(to)).collect()
            }
            Interaction::Close { from, to } => vec![from, to],
        }
    }

    /// The same interaction with every participant replaced, in the order of the interaction.
    pub fn map<Q>(self, mut each: impl FnMut(P) -> Q) -> Interaction<Q> {
        match self {
            Interaction::Joint { participants } => {
                Interaction::Joint { participants: participants.into_iter().map(each).collect() }
            }
            Interaction::Send { from, to, message } => {
                let from = each(from);
                Interaction::Send { from, to: to.into_iter().map(each).collect(), message }
            }
            Interaction::Receive { from, to, message } => {
                Interaction::Receive { from: from.map(&mut each), to: each(to), message }
            }
            Interaction::Exchange { from, to, message } => {
                let from = each(from);
                Interaction::Exchange { from, to: to.into_iter().map(each).collect(), message }
            }
            Interaction::Close { from, to } => {
                Interaction::Close { from: each(from), to: each(to) }
            }
        }
    }
}

/// A role, component, process or thread that takes part: a name, and indices where it is one of a
/// family. Shown as `worker[0]`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Participant {
    /// Its name, or that of its family.
    pub name: String,
    /// Which member of the family.
    pub indices: Vec<i64>,
}

impl Participant {
    /// A participant that belongs to no family.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), indices: Vec::new() }
    }

    /// A member of a family.
    pub fn indexed(name: impl Into<String>, indices: impl Into<Vec<i64>>) -> Self {
        Self { name: name.into(), indices: indices.into() }
    }
}

impl fmt::Display for Participant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)?;
        self.indices.iter().try_for_each(|index| write!(out, "[{index}]"))
    }
}
