//! The liberal form as a [`Model`]: the automata of all roles and queues between them, without bound unless
//! one is given. A queue is one slot, whose value is the number of its content. A queue that grows for ever
//! makes infinitely many states; an exploration must watch for that.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_model::{
    ActionId, Explorer, Flow, GroupId, GuardId, InteractionKind, LocalId, Model, Problem,
    Signature, SlotId, Successors, Value,
};

use super::declare::{QueueTest, declare};
use super::minimise::sends;
use super::{LocalEdge, LocalState, PacketId, Projection};
use crate::core::intern::Interner;
use crate::core::{ActId, RoleId};

/// How messages wait for their receivers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Queues {
    /// A queue for each pair of sender and receiver.
    #[default]
    PerPair,
    /// One queue for each receiver. What arrives in an order that the receiver does not expect
    /// blocks it.
    PerReceiver,
    /// One queue for each of these receivers, and for the others one for each sender.
    Inboxes(BTreeSet<RoleId>),
}

impl Queues {
    /// Who puts messages into the queue that leads from one role to another; `None` where anybody may.
    fn sender(&self, from: RoleId, to: RoleId) -> Option<RoleId> {
        let is_shared = match self {
            Queues::PerPair => false,
            Queues::PerReceiver => true,
            Queues::Inboxes(receivers) => receivers.contains(&to),
        };
        (!is_shared).then_some(from)
    }
}

/// A queue of the liberal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Who sends; `None` where anybody may.
    pub from: Option<RoleId>,
    /// Who receives.
    pub to: RoleId,
    /// What it may hold, ascending.
    pub packets: Vec<PacketId>,
}

/// What a step of a role does beside changing its own state.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// Nothing.
    Alone,
    /// Puts the packet at the end of these channels.
    Put(PacketId, Vec<usize>),
    /// Takes the packet from the front of this channel.
    Take(PacketId, usize),
    /// These others take the packet in the same step.
    Meet(PacketId, Vec<RoleId>),
}

/// A step of a role.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) act: ActId,
    pub(super) effect: Effect,
    pub(super) to: LocalId,
    /// Steps of one role that do the same from different states are a group.
    pub(super) group: GroupId,
}

impl Effect {
    /// What travels.
    pub(super) fn packet(&self) -> Option<PacketId> {
        match self {
            Effect::Alone => None,
            Effect::Put(packet, _) | Effect::Take(packet, _) | Effect::Meet(packet, _) => {
                Some(*packet)
            }
        }
    }
}

/// The liberal form of a protocol. A state has a slot per role, then one per channel.
pub struct Liberal {
    pub(super) projection: Projection,
    pub(super) channels: Vec<Channel>,
    /// How much each channel holds, where that is bounded.
    capacities: Option<Vec<u32>>,
    /// By role and local state.
    pub(super) moves: Vec<Vec<Vec<Move>>>,
    contents: Interner<Box<[PacketId]>>,
    signature: Signature,
    /// What the opaque guards of the signature ask, by guard.
    tests: Vec<Option<QueueTest>>,
    /// By group, the role that takes the step.
    actors: Vec<RoleId>,
}

/// The number of an empty queue's content.
const EMPTY: Value = 0;

impl Liberal {
    /// The automata of a projection with queues between them.
    pub fn new(projection: Projection, queues: &Queues) -> Self {
        let channels = channels(&projection, queues);
        let places: BTreeMap<_, _> = channels
            .iter()
            .enumerate()
            .map(|(position, channel)| ((channel.from, channel.to), position))
            .collect();
        let place = |from: RoleId, to: RoleId| places[&(queues.sender(from, to), to)];
        let mut moves: Vec<Vec<Vec<Move>>> = projection
            .locals
            .iter()
            .map(|local| {
                let of_state = |state: &LocalState| {
                    let edges = state.edges.iter();
                    edges.filter_map(|edge| step(&projection, local.role, edge, &place)).collect()
                };
                local.states.iter().map(of_state).collect()
            })
            .collect();
        let actors = number_groups(&mut moves);
        Self::with(projection, channels, None, moves, actors)
    }

    /// The same with queues that hold only so much each, at least one message; senders wait for room.
    #[must_use]
    pub fn bounded(&self, capacities: &[u32]) -> Self {
        assert_eq!(capacities.len(), self.channels.len());
        let capacities = capacities.iter().map(|&capacity| capacity.max(1)).collect();
        let (projection, channels) = (self.projection.clone(), self.channels.clone());
        let (moves, actors) = (self.moves.clone(), self.actors.clone());
        Self::with(projection, channels, Some(capacities), moves, actors)
    }

    fn with(
        projection: Projection,
        channels: Vec<Channel>,
        capacities: Option<Vec<u32>>,
        moves: Vec<Vec<Vec<Move>>>,
        actors: Vec<RoleId>,
    ) -> Self {
        let contents = Interner::default();
        assert_eq!(contents.intern(Box::default()), EMPTY);
        let (signature, tests) =
            declare(&projection, &channels, capacities.is_some(), &moves, &actors);
        Self { projection, channels, capacities, moves, contents, signature, tests, actors }
    }

    /// The automata.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// The queues; their slots follow those of the roles.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The name of a queue.
    pub fn channel_name(&self, channel: usize) -> String {
        channel_name(&self.projection, &self.channels[channel])
    }

    /// What waits in a queue, front first.
    pub fn waiting(&self, channel: usize, state: &[Value]) -> &[PacketId] {
        self.contents.get(state[self.slot(channel)])
    }

    fn is_full(&self, channel: usize, state: &[Value]) -> bool {
        let capacities = self.capacities.as_ref();
        capacities.is_some_and(|most| self.waiting(channel, state).len() >= most[channel] as usize)
    }

    fn slot(&self, channel: usize) -> usize {
        self.projection.locals.len() + channel
    }

    /// Carries out a step on a copy of the state, if it is possible.
    fn perform(&self, role: usize, step: &Move, state: &[Value], next: &mut [Value]) -> bool {
        match &step.effect {
            Effect::Alone => {}
            Effect::Put(packet, channels) => {
                if channels.iter().any(|&channel| self.is_full(channel, state)) {
                    return false;
                }
                for &channel in channels {
                    let mut content = self.waiting(channel, state).to_vec();
                    content.push(*packet);
                    next[self.slot(channel)] = self.contents.intern(content.into());
                }
            }
            Effect::Take(packet, channel) => match self.waiting(*channel, state) {
                [front, rest @ ..] if front == packet => {
                    next[self.slot(*channel)] = self.contents.intern(rest.into());
                }
                _ => return false,
            },
            Effect::Meet(packet, others) => {
                for other in others {
                    let local = &self.projection.locals[other.0 as usize];
                    let edges = &local.states[state[other.0 as usize] as usize].edges;
                    let meets =
                        |edge: &&LocalEdge| edge.act == step.act && edge.packet == Some(*packet);
                    let Some(edge) = edges.iter().find(meets) else { return false };
                    next[other.0 as usize] = edge.to.number();
                }
            }
        }
        next[role] = step.to.number();
        true
    }
}

/// A step of a role as a move; `None` where it is the other side of another role's exchange.
fn step(
    projection: &Projection,
    role: RoleId,
    edge: &LocalEdge,
    place: &impl Fn(RoleId, RoleId) -> usize,
) -> Option<Move> {
    let act = projection.act(edge.act);
    let effect = match (act.kind, edge.packet) {
        (InteractionKind::Exchange, _) if !sends(act, role) => return None,
        (_, None) => Effect::Alone,
        (InteractionKind::Receive, Some(packet)) => Effect::Take(packet, place(act.from, role)),
        (InteractionKind::Exchange, Some(packet)) => {
            Effect::Meet(packet, act.to.iter().copied().filter(|&to| to != role).collect())
        }
        (_, Some(packet)) => {
            let receivers: BTreeSet<RoleId> = act.to.iter().copied().collect();
            Effect::Put(packet, receivers.into_iter().map(|to| place(role, to)).collect())
        }
    };
    Some(Move { act: edge.act, effect, to: edge.to, group: GroupId::new(0) })
}

/// Numbers the groups of moves, by role, action and packet; the role of each group.
fn number_groups(moves: &mut [Vec<Vec<Move>>]) -> Vec<RoleId> {
    let mut known: BTreeMap<(u32, ActId, Option<PacketId>), GroupId> = BTreeMap::new();
    let mut actors = Vec::new();
    for (role, states) in moves.iter_mut().enumerate() {
        for step in states.iter_mut().flatten() {
            let key = (role as u32, step.act, step.effect.packet());
            step.group = *known.entry(key).or_insert_with(|| {
                actors.push(RoleId(role as u32));
                GroupId::from_usize(actors.len() - 1)
            });
        }
    }
    actors
}

/// The queues that some packet travels through, by sender and receiver.
fn channels(projection: &Projection, queues: &Queues) -> Vec<Channel> {
    let mut found: BTreeMap<(Option<RoleId>, RoleId), Vec<PacketId>> = BTreeMap::new();
    for (number, packet) in projection.packets.iter().enumerate() {
        let act = projection.act(packet.act);
        for &to in act.to.iter().filter(|_| act.kind == InteractionKind::Send) {
            let packets = found.entry((queues.sender(act.from, to), to)).or_default();
            if packets.last() != Some(&PacketId(number as u32)) {
                packets.push(PacketId(number as u32));
            }
        }
    }
    found.into_iter().map(|((from, to), packets)| Channel { from, to, packets }).collect()
}

pub(super) fn channel_name(projection: &Projection, channel: &Channel) -> String {
    let to = projection.role(channel.to);
    match channel.from {
        Some(from) => format!("{}->{to}", projection.role(from)),
        None => format!("->{to}"),
    }
}

impl Model for Liberal {
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
        Box::new(LiberalExplorer { form: self, next: Vec::new() })
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        if slot.index() < self.projection.locals.len() {
            return value.to_string();
        }
        let names = self.contents.get(value).iter().map(|&packet| self.packet_name(packet));
        format!("[{}]", names.collect::<Vec<_>>().join(" "))
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        if slot.index() < self.projection.locals.len() {
            return out.extend_from_slice(&value.to_le_bytes());
        }
        for packet in self.contents.get(value) {
            out.extend_from_slice(&packet.0.to_le_bytes());
        }
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        let words = content.chunks_exact(4);
        let mut words = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let Some(channel) = slot.index().checked_sub(self.projection.locals.len()) else {
            let n_states = self.projection.locals[slot.index()].states.len();
            return words.next().filter(|&value| (value as usize) < n_states);
        };
        let packets: Box<[PacketId]> = words.map(PacketId).collect();
        let known = &self.channels[channel].packets;
        let fits = packets.iter().all(|packet| known.binary_search(packet).is_ok());
        fits.then(|| self.contents.intern(packets))
    }
}

/// The next-state function of the liberal form, for one worker.
struct LiberalExplorer<'l> {
    form: &'l Liberal,
    /// The state after a step.
    next: Vec<Value>,
}

impl LiberalExplorer<'_> {
    /// The steps of one role that belong to a group, or all of them.
    fn steps(
        &mut self,
        role: usize,
        group: Option<GroupId>,
        state: &[Value],
        sink: &mut dyn Successors,
    ) -> Flow {
        for step in &self.form.moves[role][state[role] as usize] {
            if group.is_some_and(|group| group != step.group) {
                continue;
            }
            self.next.clear();
            self.next.extend_from_slice(state);
            if self.form.perform(role, step, state, &mut self.next) {
                sink.next(step.group, ActionId::new(step.act.0), &self.next)?;
            }
        }
        Flow::Continue(())
    }
}

impl Explorer for LiberalExplorer<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        sink(&vec![0; self.form.signature.n_slots()])
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.steps(self.form.actors[group.index()].0 as usize, Some(group), state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        (0..self.form.moves.len()).try_for_each(|role| self.steps(role, None, state, sink))
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(match self.form.tests[guard.index()] {
            Some(QueueTest::Front(channel, packet)) => {
                self.form.waiting(channel, state).first() == Some(&packet)
            }
            Some(QueueTest::Room(channel)) => !self.form.is_full(channel, state),
            None => unreachable!("guard {guard:?} is not opaque"),
        })
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let locals = &self.form.projection.locals;
        let (roles, queues) = state.split_at(locals.len());
        let mut finished = locals.iter().zip(roles);
        Ok(finished.all(|(local, &state)| local.states[state as usize].may_end)
            && queues.iter().all(|&content| content == EMPTY))
    }
}
