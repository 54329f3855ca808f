//! Interfering automata with bounded channels: the fast common target of the front ends.
//!
//! Participants have small local state spaces; transition templates look at and set the local
//! states of some of them in one step (the *interfering automata* of the behaviour-protocol
//! literature) and may receive from and send to bounded FIFO channels. This module owns the type
//! and its [`Model`] implementation; it knows no text form.

mod builder;
mod parts;
mod predicate;
mod queue;
mod tables;

pub use builder::{NetworkBuilder, NetworkError};
pub use parts::{Automaton, Channel, Template};
pub use predicate::Predicate;

use queue::Queue;
use tables::Tables;

use crate::{
    Action, ActionId, Group, GroupId, Layout, Model, ParticipantId, PropositionId, SlotId,
    Successors, Value,
};

/// A finished network. The state vector has one slot per participant, then the channels.
///
/// Each template is a group. The system may end where every participant may and every channel is
/// empty, but for the channels that [may keep](Channel::may_keep) messages. Successors come in
/// the order of groups; within a group, the results of the last participant vary first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    participants: Vec<Automaton>,
    channels: Vec<Channel>,
    templates: Vec<Template>,
    proposition_names: Vec<String>,
    predicates: Vec<Predicate>,
    queues: Vec<Queue>,
    layout: Layout,
    groups: Vec<Group>,
    actions: Vec<Action>,
    tables: Tables,
}

impl Network {
    /// The participants; a [`ParticipantId`] is a position in this list.
    pub fn participants(&self) -> &[Automaton] {
        &self.participants
    }

    /// The channels; a [`ChannelId`](crate::ChannelId) is a position in this list.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The templates; a [`GroupId`] is a position in this list.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// What the propositions mean; a [`PropositionId`] is a position in this list.
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }
}

impl Model for Network {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        let mut state = vec![0; self.layout.n_slots()];
        for (slot, participant) in state.iter_mut().zip(&self.participants) {
            *slot = participant.initial.number();
        }
        sink(&state);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        self.tables.successors(group, state, sink);
    }

    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        self.tables.expand(state, sink);
    }

    fn action(&self, action: ActionId) -> Action {
        self.actions[action.index()].clone()
    }

    fn n_actions(&self) -> usize {
        self.actions.len()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.participants[participant.index()].name.clone()
    }

    fn propositions(&self) -> &[String] {
        &self.proposition_names
    }

    fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        self.predicates[proposition.index()].holds(&self.queues, state)
    }

    fn may_end(&self, state: &[Value]) -> bool {
        let finished =
            |(participant, value): (&Automaton, &Value)| participant.ends.contains(*value);
        self.participants.iter().zip(state).all(finished)
            && self
                .channels
                .iter()
                .zip(&self.queues)
                .all(|(channel, queue)| channel.may_keep || queue.is_empty(state))
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        if let Some(participant) = self.participants.get(slot.index()) {
            let name = participant.states.get(value as usize);
            return name.cloned().unwrap_or_else(|| value.to_string());
        }
        let after = self.queues.partition_point(|queue| queue.head_slot() <= slot);
        let (queue, channel) = (self.queues[after - 1], &self.channels[after - 1]);
        let message = |message: Value| {
            channel.messages.get(message as usize).map_or("?", String::as_str).to_owned()
        };
        format!("[{}]", queue.messages(value).map(message).collect::<Vec<_>>().join(" "))
    }
}
