//! The liberal form as a [`Model`]: the automata of all roles and queues between them, without bound unless
//! one is given. A queue is one slot, whose value is the number of its content. A queue that grows for ever
//! makes infinitely many states; whoever explores must watch for that.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_model::{
    Action, ActionId, Domain, Group, GroupId, Layout, LocalId, Model, ParticipantId, Slot, SlotId,
    Successors, Value,
};

use super::minimise::sends;
use super::{LocalEdge, LocalState, PacketId, Projection};
use crate::core::intern::Interner;
use crate::core::{ActId, ActKind, RoleId};

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
    layout: Layout,
    groups: Vec<Group>,
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
        let moves: Vec<Vec<Vec<Move>>> = projection
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
        let contents = Interner::default();
        assert_eq!(contents.intern(Box::default()), EMPTY);
        let layout = layout(&projection, &channels);
        let groups = groups(&projection, &moves);
        Self { projection, channels, capacities: None, moves, contents, layout, groups }
    }

    /// The same with queues that hold only so much each, at least one message; senders wait for room.
    #[must_use]
    pub fn bounded(&self, capacities: &[u32]) -> Self {
        assert_eq!(capacities.len(), self.channels.len());
        let contents = Interner::default();
        assert_eq!(contents.intern(Box::default()), EMPTY);
        Self {
            projection: self.projection.clone(),
            channels: self.channels.clone(),
            capacities: Some(capacities.iter().map(|&capacity| capacity.max(1)).collect()),
            moves: self.moves.clone(),
            contents,
            layout: self.layout.clone(),
            groups: self.groups.clone(),
        }
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

/// A step of a role as a move; `None` where it is the other side of somebody's exchange.
fn step(
    projection: &Projection,
    role: RoleId,
    edge: &LocalEdge,
    place: &impl Fn(RoleId, RoleId) -> usize,
) -> Option<Move> {
    let act = projection.act(edge.act);
    let effect = match (act.kind, edge.packet) {
        (ActKind::Exchange, _) if !sends(act, role) => return None,
        (_, None) => Effect::Alone,
        (ActKind::Receive, Some(packet)) => Effect::Take(packet, place(act.from, role)),
        (ActKind::Exchange, Some(packet)) => {
            Effect::Meet(packet, act.to.iter().copied().filter(|&to| to != role).collect())
        }
        (_, Some(packet)) => {
            let receivers: BTreeSet<RoleId> = act.to.iter().copied().collect();
            Effect::Put(packet, receivers.into_iter().map(|to| place(role, to)).collect())
        }
    };
    Some(Move { act: edge.act, effect, to: edge.to })
}

/// The queues that some packet travels through, by sender and receiver.
fn channels(projection: &Projection, queues: &Queues) -> Vec<Channel> {
    let mut found: BTreeMap<(Option<RoleId>, RoleId), Vec<PacketId>> = BTreeMap::new();
    for (number, packet) in projection.packets.iter().enumerate() {
        let act = projection.act(packet.act);
        for &to in act.to.iter().filter(|_| act.kind == ActKind::Send) {
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

fn layout(projection: &Projection, channels: &[Channel]) -> Layout {
    let roles = projection.locals.iter().map(|local| Slot {
        name: projection.role(local.role).to_owned(),
        domain: Domain::Size(u32::try_from(local.states.len()).unwrap_or(u32::MAX)),
    });
    let queues = channels
        .iter()
        .map(|channel| Slot { name: channel_name(projection, channel), domain: Domain::Interned });
    Layout::new(roles.chain(queues).collect())
}

/// A group per role: the steps that it takes, decides or receives.
fn groups(projection: &Projection, moves: &[Vec<Vec<Move>>]) -> Vec<Group> {
    let n_roles = projection.locals.len();
    let of_role = |(role, states): (usize, &Vec<Vec<Move>>)| {
        let mut slots = BTreeSet::from([SlotId::from_usize(role)]);
        for step in states.iter().flatten() {
            match &step.effect {
                Effect::Alone => {}
                Effect::Put(_, channels) => {
                    slots.extend(channels.iter().map(|c| SlotId::from_usize(n_roles + c)));
                }
                Effect::Take(_, channel) => {
                    slots.insert(SlotId::from_usize(n_roles + channel));
                }
                Effect::Meet(_, others) => {
                    slots.extend(others.iter().map(|other| SlotId::new(other.0)));
                }
            }
        }
        let slots: Vec<SlotId> = slots.into_iter().collect();
        let id = RoleId(role as u32);
        Group {
            name: projection.role(id).to_owned(),
            participants: vec![id.participant()],
            reads: slots.clone(),
            writes: slots,
            ..Group::default()
        }
    };
    moves.iter().enumerate().map(of_role).collect()
}

impl Model for Liberal {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        sink(&vec![0; self.layout.n_slots()]);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        let role = group.index();
        let steps = &self.moves[role][state[role] as usize];
        if steps.is_empty() {
            return;
        }
        let mut next = state.to_vec();
        for step in steps {
            if self.perform(role, step, state, &mut next) {
                sink.next(group, ActionId::new(step.act.0), &next);
            }
            next.copy_from_slice(state);
        }
    }

    fn action(&self, action: ActionId) -> Action {
        self.projection.vocabulary.actions[action.index()].clone()
    }

    fn n_actions(&self) -> usize {
        self.projection.vocabulary.actions.len()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.projection.role(participant.into()).to_owned()
    }

    fn may_end(&self, state: &[Value]) -> bool {
        let (roles, queues) = state.split_at(self.projection.locals.len());
        let mut locals = self.projection.locals.iter().zip(roles);
        locals.all(|(local, &state)| local.states[state as usize].may_end)
            && queues.iter().all(|&content| content == EMPTY)
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        if slot.index() < self.projection.locals.len() {
            return value.to_string();
        }
        let names = self.contents.get(value).iter().map(|&packet| self.packet_name(packet));
        format!("[{}]", names.collect::<Vec<_>>().join(" "))
    }
}
