//! Roles, messages and actions: the vocabulary of what happens on an edge, and the one textual form
//! it is shown in. Knows no term.

use std::fmt;

use quadrille_model::{Action, ActionId, Interaction, InteractionKind, ParticipantId};

/// A role in the table of its [`Terms`](super::Terms); the same number as a model's participant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RoleId(pub(crate) u32);

impl RoleId {
    /// The participant that models report for this role.
    pub const fn participant(self) -> ParticipantId {
        ParticipantId::new(self.0)
    }
}

impl From<ParticipantId> for RoleId {
    fn from(participant: ParticipantId) -> Self {
        Self(participant.number())
    }
}

/// What is sent: the name of its type, and the value of its content where the protocol fixes it.
/// Shown as `Move` or `Vote(true)`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Message {
    /// The name of the type.
    pub name: String,
    /// The content, as shown between the parentheses.
    pub content: Option<String>,
}

impl Message {
    /// A message of which only the type is known.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), content: None }
    }

    /// A message with a known content.
    pub fn with_content(name: impl Into<String>, content: impl Into<String>) -> Self {
        Self { name: name.into(), content: Some(content.into()) }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)?;
        self.content.as_ref().map_or(Ok(()), |content| write!(out, "({content})"))
    }
}

/// An action in the table of its [`Terms`](super::Terms); the same number as a model's action.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ActId(pub(crate) u32);

impl From<ActionId> for ActId {
    fn from(action: ActionId) -> Self {
        Self(action.number())
    }
}

/// An action.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Act {
    /// Its kind.
    pub kind: InteractionKind,
    /// Who sends (also of a receive), closes, or steps alone.
    pub from: RoleId,
    /// Who receives: several for a send or an exchange with several receivers, one for a receive
    /// or a close, none for a local step.
    pub to: Vec<RoleId>,
    /// What is sent or received; `None` for a close.
    pub message: Option<Message>,
}

impl Act {
    /// The action as models report it. The labels are `A sends M to B`, `B receives M from A`,
    /// `A passes M to B` (one step), `A closes to B`, `A does M` (alone); several receivers are
    /// joined by `, `.
    pub(crate) fn action(&self, role: impl Fn(RoleId) -> String) -> Action {
        let from = self.from.participant();
        let to: Vec<ParticipantId> = self.to.iter().map(|to| to.participant()).collect();
        let message = self.message.as_ref().map(ToString::to_string).unwrap_or_default();
        let names = self.to.iter().map(|&to| role(to)).collect::<Vec<_>>().join(", ");
        let by = role(self.from);
        let label = match self.kind {
            InteractionKind::Send => format!("{by} sends {message} to {names}"),
            InteractionKind::Receive => format!("{names} receives {message} from {by}"),
            InteractionKind::Exchange => format!("{by} passes {message} to {names}"),
            InteractionKind::Close => format!("{by} closes to {names}"),
            InteractionKind::Local => format!("{by} does {message}"),
        };
        let interaction = Interaction::of(self.kind, from, to, message);
        Action { label, events: Vec::new(), interaction }
    }
}
