//! Interfering automata with bounded channels: the fast common target of the front ends.
//!
//! Participants have small local state spaces; transition templates look at and set the local
//! states of some of them in one step (the *interfering automata* of the behaviour-protocol
//! literature), may receive from and send to bounded FIFO channels, and count. This module owns the type
//! and its [`Model`] implementation; it knows no text form.

mod builder;
mod parts;
mod predicate;
mod queue;
mod symmetry;
mod tables;

pub use builder::{NetworkBuilder, NetworkError};
pub use parts::{Automaton, Channel, Counter, Template};
pub use predicate::Predicate;

use predicate::Layout;
use queue::Queue;
use tables::Tables;

use crate::{
    Condition, Explorer, Flow, GroupId, Guard, Model, Place, Problem, PropositionId, Signature,
    SlotId, Successors, Value,
};

/// A finished network. The state vector has one slot per participant, then the channels, then one slot
/// per counter.
///
/// Each template is a group. The system may end where every participant may and every channel is
/// empty, but for the channels that [may keep](Channel::may_keep) messages. Successors come in
/// the order of groups; within a group, the results of the last participant vary first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    participants: Vec<Automaton>,
    channels: Vec<Channel>,
    counters: Vec<Counter>,
    templates: Vec<Template>,
    predicates: Vec<Predicate>,
    queues: Vec<Queue>,
    signature: Signature,
    tables: Tables,
}

impl Network {
    /// The participants; a [`ParticipantId`](crate::ParticipantId) is a position in this list.
    pub fn participants(&self) -> &[Automaton] {
        &self.participants
    }

    /// The channels; a [`ChannelId`](crate::ChannelId) is a position in this list.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The counters; a [`CounterId`](crate::CounterId) is a position in this list.
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// The templates; a [`GroupId`] is a position in this list.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// What the propositions mean; a [`PropositionId`] is a position in this list.
    pub fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    fn layout(&self) -> Layout<'_> {
        let counters = self.signature.n_slots() - self.counters.len();
        Layout { queues: &self.queues, counters }
    }

    /// The counter of a slot, if it is one's.
    fn counter_of(&self, slot: SlotId) -> Option<&Counter> {
        self.counters.get(slot.index().checked_sub(self.layout().counters)?)
    }

    /// The channel of a slot behind those of the participants and before those of the counters.
    fn queue_of(&self, slot: SlotId) -> (usize, Queue) {
        let position = self.queues.partition_point(|queue| queue.head_slot() <= slot) - 1;
        (position, self.queues[position])
    }
}

impl Model for Network {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn never_fails(&self) -> bool {
        true
    }

    fn allows_workers(&self) -> bool {
        true
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(NetworkExplorer { network: self, scratch: Vec::new() })
    }

    fn meaning(&self, proposition: PropositionId) -> Option<Condition> {
        Some(self.predicates[proposition.index()].condition(self.layout()))
    }

    fn ending(&self) -> Option<Condition> {
        let control = self.participants.iter().enumerate().map(|(number, participant)| {
            Guard::In(SlotId::from_usize(number), participant.ends.clone())
        });
        let queues = self.channels.iter().zip(&self.queues);
        let queues = queues.filter(|(channel, _)| !channel.may_keep);
        let empty = queues.map(|(_, queue)| queue.nothing());
        Some(Condition::All(control.chain(empty).map(Condition::Guard).collect()))
    }

    fn place(&self, slot: SlotId, value: Value) -> Option<Place> {
        let places = &self.participants.get(slot.index())?.places.0;
        places.get(value as usize).or(places.first()).copied()
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        if let Some(participant) = self.participants.get(slot.index()) {
            let name = participant.states.get(value as usize);
            return name.cloned().unwrap_or_else(|| value.to_string());
        }
        if self.counter_of(slot).is_some() {
            return value.to_string();
        }
        let (position, queue) = self.queue_of(slot);
        let channel = &self.channels[position];
        let message = |message: Value| {
            channel.messages.get(message as usize).map_or("?", String::as_str).to_owned()
        };
        format!("[{}]", queue.messages(value).map(message).collect::<Vec<_>>().join(" "))
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        if slot.index() < self.participants.len() || self.counter_of(slot).is_some() {
            return out.extend_from_slice(&value.to_le_bytes());
        }
        for message in self.queue_of(slot).1.messages(value) {
            out.extend_from_slice(&message.to_le_bytes());
        }
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        let words = content.chunks_exact(4);
        let mut words =
            words.map(|word| Value::from_le_bytes([word[0], word[1], word[2], word[3]]));
        if let Some(participant) = self.participants.get(slot.index()) {
            return words.next().filter(|&value| (value as usize) < participant.states.len());
        }
        if let Some(counter) = self.counter_of(slot) {
            return words.next().filter(|&value| value <= counter.most);
        }
        let queue = self.queue_of(slot).1;
        queue.holding(slot.index() - queue.slots().start, words)
    }
}

/// The next-state function of a network, for one worker.
struct NetworkExplorer<'n> {
    network: &'n Network,
    /// The state being expanded, with what one template changes.
    scratch: Vec<Value>,
}

impl NetworkExplorer<'_> {
    fn copy(&mut self, state: &[Value]) {
        self.scratch.clear();
        self.scratch.extend_from_slice(state);
    }
}

impl Explorer for NetworkExplorer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        let mut state = vec![0; self.network.signature.n_slots()];
        for (slot, participant) in state.iter_mut().zip(&self.network.participants) {
            *slot = participant.initial.number();
        }
        let first = self.network.layout().counters;
        for (slot, counter) in state[first..].iter_mut().zip(&self.network.counters) {
            *slot = counter.initial;
        }
        sink(&state)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.copy(state);
        self.network.tables.successors(group, state, &mut self.scratch, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.copy(state);
        self.network.tables.expand(state, &mut self.scratch, sink)
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.network.predicates[proposition.index()].holds(self.network.layout(), state))
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let Network { participants, channels, queues, .. } = self.network;
        let finished =
            |(participant, value): (&Automaton, &Value)| participant.ends.contains(*value);
        let mut left = channels.iter().zip(queues);
        Ok(participants.iter().zip(state).all(finished)
            && left.all(|(channel, queue)| channel.may_keep || queue.is_empty(state)))
    }
}
