//! Propositions of a network: boolean combinations of what participants, channels and counters are like.

use super::queue::Queue;
use crate::{
    ChannelId, Condition, CounterId, Guard, MessageId, ParticipantId, SlotId, Value, ValueSet,
    Weight,
};

/// Where channels and counters are in a state.
#[derive(Clone, Copy)]
pub(super) struct Layout<'n> {
    pub queues: &'n [Queue],
    /// The slot of the first counter.
    pub counters: usize,
}

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
    /// A sum of counters with factors is at most this. Each counter is listed once.
    AtMost(Vec<(CounterId, i64)>, i64),
    /// The other way round.
    Not(Box<Predicate>),
    /// All of them; true for none.
    All(Vec<Predicate>),
    /// One of them; false for none.
    Any(Vec<Predicate>),
}

impl Predicate {
    pub(super) fn holds(&self, layout: Layout<'_>, state: &[Value]) -> bool {
        let Layout { queues, counters } = layout;
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
            Predicate::AtMost(sum, most) => {
                let terms = sum
                    .iter()
                    .map(|(counter, factor)| factor * i64::from(state[counters + counter.index()]));
                terms.sum::<i64>() <= *most
            }
            Predicate::Not(inner) => !inner.holds(layout, state),
            Predicate::All(parts) => parts.iter().all(|part| part.holds(layout, state)),
            Predicate::Any(parts) => parts.iter().any(|part| part.holds(layout, state)),
        }
    }

    /// What it asks of single slots.
    pub(super) fn condition(&self, layout: Layout<'_>) -> Condition {
        let Layout { queues, counters } = layout;
        let all = |parts: &[Predicate]| parts.iter().map(|part| part.condition(layout)).collect();
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
            Predicate::AtMost(sum, most) => {
                let slot = |counter: &CounterId| SlotId::from_usize(counters + counter.index());
                match &sum[..] {
                    // One number below a bound: its negation is a guard.
                    [(counter, factor)] if *factor > 0 && *most >= 0 => {
                        match Value::try_from(most / factor + 1) {
                            Ok(least) => {
                                let guard = Guard::AtLeast(slot(counter), least);
                                Condition::Not(Box::new(Condition::Guard(guard)))
                            }
                            Err(_) => Condition::All(Vec::new()),
                        }
                    }
                    _ => {
                        let weigh = |(counter, factor): &(CounterId, i64)| {
                            (slot(counter), Weight::Times(*factor))
                        };
                        Condition::AtMost(sum.iter().map(weigh).collect(), *most)
                    }
                }
            }
            Predicate::Not(inner) => Condition::Not(Box::new(inner.condition(layout))),
            Predicate::All(parts) => Condition::All(all(parts)),
            Predicate::Any(parts) => Condition::Any(all(parts)),
        }
    }

    /// Adds the slots that it depends on.
    pub(super) fn support(&self, layout: Layout<'_>, slots: &mut Vec<SlotId>) {
        let Layout { queues, counters } = layout;
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
            Predicate::AtMost(sum, _) => {
                let all = sum.iter().map(|(counter, _)| counters + counter.index());
                slots.extend(all.map(SlotId::from_usize));
            }
            Predicate::Not(inner) => inner.support(layout, slots),
            Predicate::All(parts) | Predicate::Any(parts) => {
                parts.iter().for_each(|part| part.support(layout, slots));
            }
        }
    }
}
