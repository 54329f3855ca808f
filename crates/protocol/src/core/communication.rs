//! Communications as terms: what languages write, made of the actions that happen.

use super::action::{Act, Message, RoleId};
use super::term::{TermId, Terms};
use quadrille_model::InteractionKind;

impl Terms {
    /// An asynchronous communication: the send, then the receive; with several receivers, one send
    /// and then a receive by each, in any order.
    pub fn asynchronous(&self, message: &Message, from: RoleId, to: &[RoleId]) -> TermId {
        let act = |kind, to: Vec<RoleId>| {
            self.action(self.act(Act { kind, from, to, message: Some(message.clone()) }))
        };
        let receives: Vec<TermId> =
            to.iter().map(|&receiver| act(InteractionKind::Receive, vec![receiver])).collect();
        self.seq(act(InteractionKind::Send, to.to_vec()), self.par(&receives))
    }

    /// A communication in one step.
    pub fn synchronous(&self, message: &Message, from: RoleId, to: &[RoleId]) -> TermId {
        let message = Some(message.clone());
        self.action(self.act(Act {
            kind: InteractionKind::Exchange,
            from,
            to: to.to_vec(),
            message,
        }))
    }

    /// The closing of a channel.
    pub fn close(&self, from: RoleId, to: RoleId) -> TermId {
        self.action(self.act(Act {
            kind: InteractionKind::Close,
            from,
            to: vec![to],
            message: None,
        }))
    }
}
