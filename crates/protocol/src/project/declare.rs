//! What the liberal form promises of itself: slots, guards and effects of its groups. A group is what
//! one role does by one action with one packet, from whatever state.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_model::{
    ActionId, Change, Domain, Effect as Written, Group, Guard, GuardId, LocalId, Signature, Slot,
    SlotId, SlotKind, TaskId, Value, ValueSet,
};

use super::liberal::{Channel, Effect, Move, channel_name};
use super::{PacketId, Projection};
use crate::core::RoleId;

/// What an opaque guard asks of a queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum QueueTest {
    /// This packet is at the front of this channel.
    Front(usize, PacketId),
    /// This channel has room.
    Room(usize),
}

/// The signature of the automata with these channels, and what its opaque guards ask, by guard.
pub(super) fn declare(
    projection: &Projection,
    channels: &[Channel],
    is_bounded: bool,
    moves: &[Vec<Vec<Move>>],
    actors: &[RoleId],
) -> (Signature, Vec<Option<QueueTest>>) {
    let mut signature = Signature::new(slots(projection, channels));
    let vocabulary = &projection.vocabulary;
    signature.participants.clone_from(&vocabulary.participants);
    signature.actions.clone_from(&vocabulary.actions);
    signature.tasks.clone_from(&vocabulary.roles);
    let mut declaring = Declaring {
        projection,
        channels,
        is_bounded,
        guards: Vec::new(),
        tests: Vec::new(),
        known: BTreeMap::new(),
    };
    let mut by_group: Vec<Vec<(Value, &Move)>> = vec![Vec::new(); actors.len()];
    for states in moves {
        for (state, steps) in states.iter().enumerate() {
            for step in steps {
                by_group[step.group.index()].push((state as Value, step));
            }
        }
    }
    let groups = by_group.iter().zip(actors);
    signature.groups = groups.map(|(steps, &actor)| declaring.group(actor, steps)).collect();
    signature.guards = declaring.guards;
    (signature, declaring.tests)
}

/// A slot for each role, then one for each channel.
fn slots(projection: &Projection, channels: &[Channel]) -> Vec<Slot> {
    let roles = projection.locals.iter().map(|local| {
        let domain = Domain::Size(u32::try_from(local.states.len()).unwrap_or(u32::MAX));
        let slot = Slot::new(projection.role(local.role), domain);
        slot.owned_by(Some(local.role.participant())).hidden()
    });
    let queues = channels.iter().map(|channel| {
        let slot = Slot::new(channel_name(projection, channel), Domain::Interned);
        slot.owned_by(Some(channel.to.participant())).of_kind(SlotKind::Queue)
    });
    roles.chain(queues).collect()
}

/// A signature under construction.
struct Declaring<'p> {
    projection: &'p Projection,
    channels: &'p [Channel],
    is_bounded: bool,
    guards: Vec<Guard>,
    tests: Vec<Option<QueueTest>>,
    known: BTreeMap<(Guard, Option<QueueTest>), GuardId>,
}

/// Where a role must be for a step, and where it may be afterwards.
#[derive(Default)]
struct Turn {
    sources: ValueSet,
    targets: ValueSet,
    by_source: BTreeMap<Value, BTreeSet<LocalId>>,
}

impl Turn {
    fn add(&mut self, from: Value, to: LocalId) {
        self.sources.insert(from);
        self.targets.insert(to.number());
        self.by_source.entry(from).or_default().insert(to);
    }

    /// Whether it matters for the result where the role comes from.
    fn is_read(&self) -> bool {
        let mut results = self.by_source.values();
        let first = results.next();
        results.any(|other| Some(other) != first)
    }
}

impl Declaring<'_> {
    /// The group of these steps, each with the state it starts in.
    fn group(&mut self, actor: RoleId, steps: &[(Value, &Move)]) -> Group {
        let (_, step) = steps[0];
        let mut group = Group {
            task: TaskId::new(actor.0),
            participants: vec![actor.participant()],
            guards_complete: true,
            actions: Some(vec![ActionId::new(step.act.0)]),
            ..Group::default()
        };
        let mut turn = Turn::default();
        for (from, step) in steps {
            turn.add(*from, step.to);
        }
        self.take_turn(&mut group, actor, &turn);
        match &step.effect {
            Effect::Alone => {}
            Effect::Put(packet, channels) => {
                for &channel in channels {
                    let change = Change::Push(ValueSet::one(packet.0));
                    let test = self.is_bounded.then_some(QueueTest::Room(channel));
                    self.use_queue(&mut group, channel, change, test);
                }
            }
            Effect::Take(packet, channel) => {
                let change = Change::Pop(ValueSet::one(packet.0));
                let test = QueueTest::Front(*channel, *packet);
                self.use_queue(&mut group, *channel, change, Some(test));
            }
            Effect::Meet(packet, others) => {
                for other in others {
                    let local = &self.projection.locals[other.0 as usize];
                    let mut turn = Turn::default();
                    for (from, state) in local.states.iter().enumerate() {
                        let meets = state
                            .edges
                            .iter()
                            .find(|edge| edge.act == step.act && edge.packet == Some(*packet));
                        if let Some(edge) = meets {
                            turn.add(from as Value, edge.to);
                        }
                    }
                    group.participants.push(other.participant());
                    self.take_turn(&mut group, *other, &turn);
                }
            }
        }
        group.reads.sort_unstable();
        group.effects.sort_by_key(|effect| effect.slot);
        group
    }

    fn take_turn(&mut self, group: &mut Group, role: RoleId, turn: &Turn) {
        let slot = SlotId::new(role.0);
        group.guards.push(self.guard(Guard::In(slot, turn.sources.clone()), None));
        group.effects.push(Written { slot, change: Change::Assign(turn.targets.clone()) });
        if turn.is_read() {
            group.reads.push(slot);
        }
    }

    fn use_queue(
        &mut self,
        group: &mut Group,
        channel: usize,
        change: Change,
        test: Option<QueueTest>,
    ) {
        let slot = SlotId::from_usize(self.projection.locals.len() + channel);
        if let Some(test) = test {
            let name = channel_name(self.projection, &self.channels[channel]);
            let text = match test {
                QueueTest::Front(_, packet) => {
                    format!("the front of {name} is packet {}", packet.0)
                }
                QueueTest::Room(_) => format!("{name} has room"),
            };
            let guard = Guard::Opaque { reads: vec![slot], text };
            group.guards.push(self.guard(guard, Some(test)));
        }
        group.reads.push(slot);
        group.effects.push(Written { slot, change });
    }

    fn guard(&mut self, guard: Guard, test: Option<QueueTest>) -> GuardId {
        *self.known.entry((guard, test)).or_insert_with_key(|(guard, test)| {
            self.guards.push(guard.clone());
            self.tests.push(*test);
            GuardId::from_usize(self.guards.len() - 1)
        })
    }
}
