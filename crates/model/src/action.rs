//! What happens on an edge and who takes part: a label for traces, events for formulas, an
//! interaction for diagrams.

use std::fmt;

use quadrille_interaction::Interaction;

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
