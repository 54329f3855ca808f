//! Propositions of a network: boolean combinations of what participants and channels are like.

use super::queue::Queue;
use crate::{ChannelId, Condition, Guard, MessageId, ParticipantId, SlotId, Value, ValueSet};

/// A property of a network's states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Predicate {
    /// The participant is in one of these local states.
    In(ParticipantId, ValueSet),
    /// The channel holds nothing.
    Empty(ChannelId),
    /// The channel has no room.
    Full(ChannelId),
    /// The message is somewhere in the channel.
    Contains(ChannelId, MessageId),
    /// The message is the next one to be received.
    Head(ChannelId, MessageId),
    /// The other way round.
    Not(Box<Predicate>),
    /// All of them; true for none.
    All(Vec<Predicate>),
    /// One of them; false for none.
    Any(Vec<Predicate>),
}

impl Predicate {
    pub(super) fn holds(&self, queues: &[Queue], state: &[Value]) -> bool {
        match self {
            Predicate::In(participant, set) => set.contains(state[participant.index()]),
            Predicate::Empty(channel) => queues[channel.index()].is_empty(state),
            Predicate::Full(channel) => {
                queues[channel.index()].has_room().holds(state) == Some(false)
            }
            Predicate::Contains(channel, message) => {
                let queue = queues[channel.index()];
                state[queue.slots()]
                    .iter()
                    .any(|&value| queue.messages(value).any(|held| held == message.number()))
            }
            Predicate::Head(channel, message) => {
                queues[channel.index()].head_is(message.number()).holds(state) == Some(true)
            }
            Predicate::Not(inner) => !inner.holds(queues, state),
            Predicate::All(parts) => parts.iter().all(|part| part.holds(queues, state)),
            Predicate::Any(parts) => parts.iter().any(|part| part.holds(queues, state)),
        }
    }

    /// What it asks of single slots.
    pub(super) fn condition(&self, queues: &[Queue]) -> Condition {
        let all = |parts: &[Predicate]| parts.iter().map(|part| part.condition(queues)).collect();
        match self {
            Predicate::In(participant, set) => {
                Condition::Guard(Guard::In(SlotId::new(participant.number()), set.clone()))
            }
            Predicate::Empty(channel) => Condition::Guard(queues[channel.index()].nothing()),
            Predicate::Full(channel) => {
                Condition::Not(Box::new(Condition::Guard(queues[channel.index()].has_room())))
            }
            Predicate::Contains(channel, message) => {
                let cells = queues[channel.index()].cells_with(message.number());
                Condition::Any(cells.map(Condition::Guard).collect())
            }
            Predicate::Head(channel, message) => {
                Condition::Guard(queues[channel.index()].head_is(message.number()))
            }
            Predicate::Not(inner) => Condition::Not(Box::new(inner.condition(queues))),
            Predicate::All(parts) => Condition::All(all(parts)),
            Predicate::Any(parts) => Condition::Any(all(parts)),
        }
    }

    /// Adds the slots that it depends on.
    pub(super) fn support(&self, queues: &[Queue], slots: &mut Vec<SlotId>) {
        match self {
            Predicate::In(participant, _) => slots.push(SlotId::new(participant.number())),
            Predicate::Empty(channel) | Predicate::Head(channel, _) => {
                slots.push(queues[channel.index()].head_slot());
            }
            Predicate::Full(channel) => {
                slots.extend(queues[channel.index()].has_room().reads());
            }
            Predicate::Contains(channel, _) => {
                slots.extend(queues[channel.index()].slots().map(SlotId::from_usize));
            }
            Predicate::Not(inner) => inner.support(queues, slots),
            Predicate::All(parts) | Predicate::Any(parts) => {
                parts.iter().for_each(|part| part.support(queues, slots));
            }
        }
    }
}
