//! The automata of all roles made small, together with the packets between them.
//!
//! States of a role that do the same are one; all packets of an action are one, unless a state of a
//! receiver would then go two ways with it. The packets of such an action are told apart by what
//! receivers do with them, each partition refining the other; and where that is not enough, for good.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_graph::{Bisimulation, Csr, Partition, Tree, bisimulation_classes};
use quadrille_model::LocalId;

use super::build::Raw;
use super::{LocalAutomaton, LocalEdge, LocalState, Packet, PacketId, Projection};
use crate::core::{Act, ActId, RoleId};

/// How the packets of an action are told apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// By what receivers do with them.
    Use,
    /// Always.
    Each,
}

pub(super) fn minimise(raw: &Raw<'_>) -> Projection {
    let mut details = BTreeMap::new();
    loop {
        let classes = Classes::refine(raw, &details);
        let ambiguous = classes.ambiguous(raw);
        let before = details.clone();
        for act in ambiguous {
            let detail = details.get(&act).map_or(Detail::Use, |_| Detail::Each);
            details.insert(act, detail);
        }
        if details == before {
            return classes.merge(raw);
        }
    }
}

/// Labels of the links of an edge that carries a packet.
const FROM: u32 = 0;
const PACKET: u32 = 1;
const TO: u32 = 2;

/// What tells nodes apart before anything is refined.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    State(RoleId, bool),
    Packet(ActId, usize),
    Edge,
}

struct Classes {
    /// Of all local states of all roles, one role after the other.
    states: Partition,
    /// Where the states of each role begin.
    offsets: Vec<usize>,
    packets: Partition,
}

impl Classes {
    /// The coarsest classes that no state and no packet tells apart: a strong bisimulation on a graph
    /// of states, packets and edges that carry packets, where such an edge is a node that points to
    /// the state it leaves, to its packet and to the state it enters.
    fn refine(raw: &Raw<'_>, details: &BTreeMap<ActId, Detail>) -> Self {
        let mut offsets = vec![0];
        for local in &raw.locals {
            offsets.push(offsets[offsets.len() - 1] + local.states.len());
        }
        let n_states = offsets[offsets.len() - 1];
        let (first_packet, first_edge) = (n_states, n_states + raw.packets.len());
        let n_acts = raw.global.act_ids().count() as u32;
        let mut keys: Vec<Key> = Vec::new();
        let mut links: Vec<(usize, (u32, u32))> = Vec::new();
        let all =
            raw.locals.iter().flat_map(|local| local.states.iter().map(|one| (local.role, one)));
        keys.extend(all.clone().map(|(role, state)| Key::State(role, state.may_end)));
        keys.extend(raw.packets.iter().enumerate().map(|(packet, &act)| {
            let is_own = details.get(&act) == Some(&Detail::Each);
            Key::Packet(act, if is_own { packet } else { 0 })
        }));
        for (from, (role, state)) in all.enumerate() {
            for edge in &state.edges {
                let to = (offsets[role.0 as usize] + edge.to.index()) as u32;
                let Some(packet) = edge.packet.map(|packet| packet.0 as usize) else {
                    links.push((from, (n_acts + edge.act.0, to)));
                    continue;
                };
                let node = keys.len();
                keys.push(Key::Edge);
                links.push((from, (edge.act.0, node as u32)));
                links.push((node, (FROM, from as u32)));
                links.push((node, (PACKET, (first_packet + packet) as u32)));
                links.push((node, (TO, to)));
                let is_told_apart = details.contains_key(&raw.packets[packet]);
                if is_told_apart && !sends(raw.global.act(edge.act), role) {
                    links.push((first_packet + packet, (role.0, node as u32)));
                }
            }
        }
        let graph = Csr::group(keys.len(), links.iter().copied());
        let initial = Partition::by_key(keys);
        let partition = bisimulation_classes(&graph, initial, Bisimulation::Strong);
        let classes = partition.classes();
        Self {
            states: Partition::by_key(&classes[..first_packet]),
            packets: Partition::by_key(&classes[first_packet..first_edge]),
            offsets,
        }
    }

    fn class(&self, role: RoleId, state: LocalId) -> u32 {
        self.states.class(self.offsets[role.0 as usize] + state.index())
    }

    /// The actions of packets that a receiver would take two ways.
    fn ambiguous(&self, raw: &Raw<'_>) -> BTreeSet<ActId> {
        let mut ways = BTreeSet::new();
        for local in &raw.locals {
            for (position, state) in local.states.iter().enumerate() {
                let from = self.class(local.role, LocalId::from_usize(position));
                for edge in &state.edges {
                    let Some(packet) = edge.packet else { continue };
                    if !sends(raw.global.act(edge.act), local.role) {
                        let packet = self.packets.class(packet.0 as usize);
                        ways.insert((from, edge.act, packet, self.class(local.role, edge.to)));
                    }
                }
            }
        }
        let packets = self.packets.first_members();
        let ways: Vec<(u32, ActId, u32, u32)> = ways.into_iter().collect();
        let is_twice = |pair: &&[(u32, ActId, u32, u32)]| {
            (pair[0].0, pair[0].1, pair[0].2) == (pair[1].0, pair[1].1, pair[1].2)
        };
        let twice = ways.windows(2).filter(is_twice);
        twice.map(|pair| raw.packets[packets[pair[0].2 as usize]]).collect()
    }

    /// One state and one packet for each class, numbered in an order that does not depend on how they were
    /// found: packets by their actions, states breadth-first from the start.
    fn merge(&self, raw: &Raw<'_>) -> Projection {
        let acts: Vec<ActId> =
            self.packets.first_members().iter().map(|&first| raw.packets[first]).collect();
        let mut order: Vec<usize> = (0..acts.len()).collect();
        order.sort_by_key(|&class| acts[class]);
        let mut numbers = vec![PacketId(0); order.len()];
        let mut packets: Vec<Packet> = Vec::new();
        for class in order {
            numbers[class] = PacketId(packets.len() as u32);
            let before = packets.last().filter(|packet| packet.act == acts[class]);
            let variant = before.map_or(0, |packet| packet.variant + 1);
            packets.push(Packet { act: acts[class], variant });
        }
        let locals = raw.locals.iter().map(|local| self.merge_role(local, &numbers));
        Projection {
            vocabulary: Arc::clone(&raw.global.vocabulary),
            locals: locals.collect(),
            packets,
        }
    }

    fn merge_role(&self, local: &LocalAutomaton, packets: &[PacketId]) -> LocalAutomaton {
        let ids = (0..local.states.len()).map(LocalId::from_usize);
        // Classes of a role in order of their first members: the start stays first.
        let own = Partition::by_key(ids.map(|state| self.class(local.role, state)));
        let empty = LocalState { edges: Vec::new(), may_end: false, knows: Vec::new() };
        let mut states = vec![empty; own.n_classes()];
        for (state, &class) in local.states.iter().zip(own.classes()) {
            let merged = &mut states[class as usize];
            merged.may_end = state.may_end;
            merged.knows.extend(&state.knows);
            merged.edges.extend(state.edges.iter().map(|edge| {
                LocalEdge {
                    act: edge.act,
                    packet: edge
                        .packet
                        .map(|packet| packets[self.packets.class(packet.0 as usize) as usize]),
                    to: LocalId::new(own.class(edge.to.index())),
                }
            }));
        }
        for state in &mut states {
            state.edges.sort_unstable();
            state.edges.dedup();
            state.knows.sort_unstable();
            state.knows.dedup();
        }
        LocalAutomaton { role: local.role, states: breadth_first(states) }
    }
}

/// The same states, all reachable from the first, in the order in which a search by their edges meets them.
fn breadth_first(states: Vec<LocalState>) -> Vec<LocalState> {
    let mut tree = Tree::default();
    tree.root(0);
    while let Some(at) = tree.next() {
        for edge in &states[*tree.node(at)].edges {
            tree.child(at, (), edge.to.index());
        }
    }
    let mut states: Vec<Option<LocalState>> = states.into_iter().map(Some).collect();
    let moved = tree.nodes().iter().filter_map(|&state| states[state].take());
    let renumbered = moved.map(|mut state| {
        for edge in &mut state.edges {
            let to = tree.number(&edge.to.index()).expect("reachable from a reachable state");
            edge.to = LocalId::from_usize(to);
        }
        state
    });
    renumbered.collect()
}

/// Whether the role decides the packet of an action, as its sender.
pub(super) fn sends(act: &Act, role: RoleId) -> bool {
    act.kind != quadrille_model::InteractionKind::Receive && act.from == role
}
