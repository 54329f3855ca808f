//! Projection on random protocols: with messages that carry nothing, where that is enough, against messages that
//! always carry what the sender knows; and the latter against its definition.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use quadrille_model::{Bound, InteractionKind, LocalId, StateId};
use quadrille_workshop::protocols::{Shape, body};
use quadrille_workshop::{Choices, check};

use super::bare::Bare;
use super::build::{Failure, Raw, build_with, received_as, takes_part};
use super::tests::{global, protocol};
use super::{
    Global, LocalAutomaton, LocalEdge, LocalState, PacketId, Projection, Size, Unprojected,
    minimise,
};
use crate::core::{ActId, RoleId};

/// The body of a protocol of four roles.
fn random_body(choices: &mut Choices) -> String {
    let shape =
        Shape { roles: &["r0", "r1", "r2", "r3"], messages: &["M", "N", "O"], ..Shape::default() };
    body(choices, &shape, 4)
}

/// Projected with and without what senders know; `None` where something must be carried.
fn both(global: &Global) -> (Projection, Option<Projection>) {
    let watch = &mut |_: &Size| ControlFlow::Continue(());
    let carried = build_with(global, None, watch).ok().expect("small");
    let bare = match Bare::new(global).map(|bare| build_with(global, Some(bare), watch)) {
        None | Some(Err(Failure::Insufficient)) => None,
        Some(Ok(raw)) => Some(minimise::minimise(&raw)),
        Some(Err(Failure::Unprojected(error))) => panic!("{error}"),
    };
    (minimise::minimise(&carried), bare)
}

#[test]
fn where_messages_need_carry_nothing_projection_is_the_same() {
    let (mut n_bare, mut n_parallel, mut n_carrying) = (0, 0, 0);
    check(2_000, |choices| {
        let body = random_body(choices);
        let global = global(&protocol(&body));
        if global.n_states() > 500 {
            return;
        }
        let (carried, bare) = both(&global);
        let Some(bare) = bare else {
            n_carrying += 1;
            return;
        };
        n_bare += 1;
        n_parallel += u32::from(body.contains("par"));
        assert_eq!(bare.packets, carried.packets, "{body}");
        assert_eq!(bare.locals, carried.locals, "{body}");
    });
    assert!(
        n_bare > 500 && n_parallel > 200 && n_carrying > 200,
        "{n_bare} {n_parallel} {n_carrying}"
    );
}

type Set = BTreeSet<StateId>;

/// The automata of roles whose messages carry what the sender knows, by definition: the steps of all states
/// of a role are found anew whenever a new packet goes to it.
#[derive(Default)]
struct Naive {
    sets: Vec<Vec<Set>>,
    edges: Vec<Vec<Vec<LocalEdge>>>,
    packets: Vec<(ActId, Set)>,
}

impl Naive {
    fn build(global: &Global) -> Raw<'_> {
        let roles: Vec<RoleId> = global.role_ids().collect();
        let start = |&role: &RoleId| vec![known(global, role, &Set::from([Global::START]))];
        let mut naive = Naive {
            sets: roles.iter().map(start).collect(),
            edges: vec![Vec::new(); roles.len()],
            packets: Vec::new(),
        };
        let mut queue: VecDeque<RoleId> = roles.iter().copied().collect();
        while let Some(role) = queue.pop_front() {
            let n_packets = naive.packets.len();
            naive.edges[role.0 as usize].clear();
            let mut state = 0;
            while let Some(set) = naive.sets[role.0 as usize].get(state).cloned() {
                let edges = naive.expand(global, role, &set);
                naive.edges[role.0 as usize].push(edges);
                state += 1;
            }
            for (act, _) in &naive.packets[n_packets..] {
                for &receiver in &global.act(*act).to {
                    if !queue.contains(&receiver) {
                        queue.push_back(receiver);
                    }
                }
            }
        }
        let locals = roles.into_iter().zip(naive.sets.into_iter().zip(naive.edges));
        let locals = locals.map(|(role, (sets, edges))| {
            let states = sets.into_iter().zip(edges).map(|(set, edges)| LocalState {
                edges,
                may_end: set.iter().any(|&state| global.is_end(state)),
                knows: set.into_iter().collect(),
            });
            LocalAutomaton { role, states: states.collect() }
        });
        let packets = naive.packets.iter().map(|&(act, _)| act).collect();
        Raw { global, locals: locals.collect(), packets }
    }

    fn expand(&mut self, global: &Global, role: RoleId, set: &Set) -> Vec<LocalEdge> {
        let mut edges = Vec::new();
        for act in global.act_ids().filter(|&act| takes_part(global.act(act), role)) {
            let steps: Vec<(StateId, StateId)> = set
                .iter()
                .flat_map(|&from| global.edges(from).iter().map(move |&(act, to)| (from, act, to)))
                .filter(|step| step.1 == act)
                .map(|(from, _, to)| (from, to))
                .collect();
            if steps.is_empty() {
                continue;
            }
            let shape = global.act(act);
            let targets: Set = steps.iter().map(|step| step.1).collect();
            if matches!(shape.kind, InteractionKind::Close | InteractionKind::Local) {
                edges.push(LocalEdge { act, packet: None, to: self.after(global, role, &targets) });
            } else if shape.kind != InteractionKind::Receive && shape.from == role {
                for branch in branches(global, role, &steps, targets) {
                    let known =
                        self.packets.iter().position(|packet| *packet == (act, branch.clone()));
                    let packet = known.unwrap_or_else(|| {
                        self.packets.push((act, branch.clone()));
                        self.packets.len() - 1
                    });
                    let to = self.after(global, role, &branch);
                    edges.push(LocalEdge { act, packet: Some(PacketId(packet as u32)), to });
                }
            } else {
                for packet in 0..self.packets.len() {
                    let (sent, after) = self.packets[packet].clone();
                    if received_as(global, sent, role) != Some(act) {
                        continue;
                    }
                    let ready = reachable(global, &after, |step| step != act);
                    let may = |&&(from, to): &&(StateId, StateId)| match shape.kind {
                        InteractionKind::Exchange => after.contains(&to),
                        _ => ready.contains(&from),
                    };
                    let targets: Set = steps.iter().filter(may).map(|step| step.1).collect();
                    if !targets.is_empty() {
                        let to = self.after(global, role, &targets);
                        edges.push(LocalEdge { act, packet: Some(PacketId(packet as u32)), to });
                    }
                }
            }
        }
        edges
    }

    fn after(&mut self, global: &Global, role: RoleId, targets: &Set) -> LocalId {
        let set = known(global, role, targets);
        let sets = &mut self.sets[role.0 as usize];
        let position = sets.iter().position(|other| *other == set).unwrap_or_else(|| {
            sets.push(set);
            sets.len() - 1
        });
        LocalId::from_usize(position)
    }
}

fn reachable(global: &Global, seeds: &Set, follow: impl Fn(ActId) -> bool) -> Set {
    let (mut found, mut stack) = (Set::new(), seeds.iter().copied().collect::<Vec<_>>());
    while let Some(state) = stack.pop() {
        if found.insert(state) {
            let edges = global.edges(state).iter();
            stack.extend(edges.filter(|&&(act, _)| follow(act)).map(|&(_, to)| to));
        }
    }
    found
}

fn known(global: &Global, role: RoleId, seeds: &Set) -> Set {
    let is_local = |act: ActId| takes_part(global.act(act), role);
    let matters = |state: &StateId| {
        global.is_end(*state) || global.edges(*state).iter().any(|&(act, _)| is_local(act))
    };
    reachable(global, seeds, |act| !is_local(act)).into_iter().filter(matters).collect()
}

/// Targets of a send that others lead from one to the other stay together; all do, where the sender
/// has nothing to decide.
fn branches(
    global: &Global,
    role: RoleId,
    steps: &[(StateId, StateId)],
    mut targets: Set,
) -> Vec<Set> {
    let decides =
        |one: &(StateId, StateId)| steps.iter().any(|two| one.0 == two.0 && one.1 != two.1);
    if !steps.iter().any(decides) {
        return vec![targets];
    }
    let leads = |from: StateId, to: StateId| {
        reachable(global, &Set::from([from]), |act| !takes_part(global.act(act), role))
            .contains(&to)
    };
    let mut found = Vec::new();
    while let Some(first) = targets.pop_first() {
        let mut branch = Set::from([first]);
        loop {
            let joins = |other: &&StateId| {
                branch.iter().any(|&member| leads(member, **other) || leads(**other, member))
            };
            let Some(&other) = targets.iter().find(joins) else { break };
            targets.remove(&other);
            branch.insert(other);
        }
        found.push(branch);
    }
    found
}

#[test]
fn what_senders_know_is_followed_as_defined() {
    let (mut n_protocols, mut n_variants) = (0, 0);
    check(1_000, |choices| {
        let body = random_body(choices);
        let global = global(&protocol(&body));
        if global.n_states() > 100 {
            return;
        }
        n_protocols += 1;
        let watch = &mut |_: &Size| ControlFlow::Continue(());
        let mut built = build_with(&global, None, watch).ok().expect("small");
        for state in built.locals.iter_mut().flat_map(|local| &mut local.states) {
            state.edges.sort_by_key(|edge| edge.act);
        }
        let naive = Naive::build(&global);
        assert_eq!(built.packets, naive.packets, "{body}");
        assert_eq!(built.locals, naive.locals, "{body}");
        let acts: BTreeSet<ActId> = naive.packets.iter().copied().collect();
        n_variants += u32::from(acts.len() < naive.packets.len());
    });
    assert!(n_protocols > 500 && n_variants > 200, "{n_protocols} {n_variants}");
}

#[test]
fn whoever_watches_can_end_a_projection() {
    let worker = |i| format!("(s/cat (s/-->> M ::m ::w{i}) (s/-->> N ::w{i} ::m))");
    let workers: String = (0..6).map(worker).collect();
    let global = global(&protocol(&format!("(s/par {workers})")));
    let mut seen = None;
    let ended = Projection::watched(&global, &mut |size| {
        seen = Some(*size);
        ControlFlow::Break(Bound::Interrupted)
    });
    assert_eq!(ended.err(), Some(Unprojected::Stopped(Bound::Interrupted)));
    assert!(seen.is_some_and(|size| size.states > 0 && size.bytes > 0), "{seen:?}");
}
