//! Whether a protocol receives messages of one role from another in another order than they are sent.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_engine::equivalence::Observation;
use quadrille_engine::{Edge, Space};
use quadrille_model::{Bound, Ending, InteractionKind, StateId, Trace};
use quadrille_protocol::core::{ActId, RoleId};
use quadrille_protocol::project::Global;

use super::super::faithful::{Deviation, Which};

/// Most states with what waits in them.
const MOST_PLACES: usize = 100_000;

/// Whether messages overtake each other.
pub(super) enum Overtaking {
    /// They are received in the order in which they are sent.
    Never,
    /// A shortest run in which one overtakes another.
    Run(Box<Deviation>),
    /// There are too many runs to say.
    Unknown(Bound),
}

/// Looks for a run in which a message overtakes another of the same sender to the same receiver, as no queue lets it.
pub(super) fn overtaking(global: &Global) -> Overtaking {
    type Place = (StateId, BTreeMap<(RoleId, RoleId), VecDeque<ActId>>);
    let start: Place = (Global::START, BTreeMap::new());
    let mut places: Vec<(Place, Option<(usize, ActId)>)> = vec![(start.clone(), None)];
    let mut seen = BTreeSet::from([start]);
    let mut next = 0;
    while next < places.len() {
        if places.len() > MOST_PLACES {
            return Overtaking::Unknown(Bound::States(MOST_PLACES as u64));
        }
        let (state, queues) = places[next].0.clone();
        for &(id, to) in global.edges(state) {
            let act = global.act(id);
            let mut queues = queues.clone();
            match act.kind {
                InteractionKind::Send => {
                    for &receiver in &act.to {
                        queues.entry((act.from, receiver)).or_default().push_back(id);
                    }
                }
                InteractionKind::Receive => {
                    let pair = (act.from, act.to[0]);
                    let queue = queues.entry(pair).or_default();
                    let is_it = |&sent: &ActId| global.act(sent).message == act.message;
                    if !queue.front().is_some_and(is_it) {
                        return Overtaking::Run(Box::new(lost(global, &places, next, id)));
                    }
                    queue.pop_front();
                    if queue.is_empty() {
                        queues.remove(&pair);
                    }
                }
                InteractionKind::Exchange | InteractionKind::Close | InteractionKind::Local => {}
            }
            let place = (to, queues);
            if seen.insert(place.clone()) {
                places.push((place, Some((next, id))));
            }
        }
        next += 1;
    }
    Overtaking::Never
}

/// The run of the protocol to a place and one step further.
fn lost<P>(
    global: &Global,
    places: &[(P, Option<(usize, ActId)>)],
    at: usize,
    last: ActId,
) -> Deviation {
    let (mut acts, mut here) = (vec![last], at);
    while let Some((before, act)) = places[here].1 {
        acts.push(act);
        here = before;
    }
    acts.reverse();
    let labels = acts.iter().map(|&act| Observation::Action(global.label(act).to_owned()));
    let observations: Vec<Observation> = labels.collect();
    let mut space = Space::new(global);
    let run = retold(global, &mut space, &acts);
    Deviation { which: Which::Lost, observations, trace: run }
}

/// A run of the protocol by its steps.
fn retold(global: &Global, space: &mut Space<'_>, acts: &[ActId]) -> Trace {
    let start = space.initial()[0];
    // All ways to do the same, as a step may lead to several states.
    let mut ways: Vec<(StateId, Vec<Edge>)> = vec![(start, Vec::new())];
    for &act in acts {
        let mut next: Vec<(StateId, Vec<Edge>)> = Vec::new();
        for (state, edges) in &ways {
            let Ok(expanded) = space.expand(*state) else { continue };
            for edge in expanded.iter().filter(|edge| ActId::from(edge.action) == act) {
                if next.iter().all(|(known, _)| *known != edge.to) {
                    let mut edges = edges.clone();
                    edges.push(*edge);
                    next.push((edge.to, edges));
                }
            }
        }
        ways = next;
    }
    debug_assert!(!ways.is_empty(), "{} has this run", global.n_states());
    let edges = ways.into_iter().next().map(|(_, edges)| edges).unwrap_or_default();
    space.trace(start, &edges, Ending::Prefix)
}
