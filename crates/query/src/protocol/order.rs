//! Whether the liberal form of a protocol is *the same up to reordering*: whether the two differ only in the order of
//! steps of different roles, as asynchronous multiparty session types understand it (Honda, Yoshida, Carbone, POPL 2008;
//! Ghilezan et al., POPL 2021; Li, Stutz, Wies, Zufferey, CAV 2023).
//!
//! What each role does in a run, in its own order, is a *tuple* of sequences. The liberal form is the same up to reordering
//! if
//!
//! - for each run of the liberal form there is a run of the protocol in which each role does what it does in the first, and
//!   perhaps more; and if the run may end, one in which no role does more, and which may end;
//! - where nothing more can happen in the liberal form, it may end: no role is stuck and no queue holds a message;
//! - the protocol receives messages of one role from another in the order in which they were sent, as queues do: then
//!   each of its runs is one of the liberal form, too.
//!
//! The first is decided by following each run of the liberal form with runs of the protocol that may be ahead of it. What
//! they have done and the liberal form has not is owed, role by role: a role that owes something must do that next. In
//! general this is undecidable, as it asks whether one rational relation is within another. Here what is owed is bounded,
//! and so is how often a run goes round before the step that it is to explain; a bound that mattered makes it *unknown*.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use quadrille_engine::equivalence::Observation;
use quadrille_engine::{Edge, Limits, Observer, Progress, Space};
use quadrille_model::{Bound, Ending, InteractionKind, StateId};
use quadrille_protocol::core::{ActId, RoleId};
use quadrille_protocol::project::{Global, Liberal};

use super::Stopped;
use super::faithful::{Deviation, Which};

/// How a liberal form relates to its protocol when the order of different roles is of no account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// They are the same.
    Same,
    /// They are not: a run of one of them that shows it.
    Differs(Box<Deviation>),
    /// A bound was reached, of the search or of what may be owed.
    Unknown(Bound),
}

/// Most pairs of a state and its explanations.
const MOST_PAIRS: u64 = 20_000;

/// Most explanations of a run.
const MOST_EXPLANATIONS: usize = 128;

/// Most steps that are owed.
const MOST_OWED: usize = 96;

/// How often a state of the protocol is met on the way to a step that is to be explained.
const MOST_ROUNDS: usize = 2;

/// Compares a liberal form with its protocol.
pub fn compare_order(
    global: &Global,
    liberal: &Liberal,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Order, Stopped> {
    if let Some(deviation) = overtaken(global) {
        return Ok(Order::Differs(Box::new(deviation)));
    }
    let most = limits.states.unwrap_or(u64::MAX).min(MOST_PAIRS);
    let mut space = Space::new(liberal);
    let explanations = BTreeSet::from([Explanation::start()]);
    let start = Pair { state: space.initial()[0], explanations, is_cut: false };
    let mut search =
        Search { global, seen: BTreeSet::from([start.clone()]), pairs: vec![(start, None)] };
    let mut next = 0;
    while next < search.pairs.len() {
        let Pair { state, explanations, is_cut } = search.pairs[next].0.clone();
        let may_end = space.may_end(state)?;
        let edges = space.expand(state)?.to_vec();
        let is_explained = |may: &dyn Fn(&Explanation) -> bool| explanations.iter().any(may);
        let ends = |it: &Explanation| it.owed.is_empty() && global.is_end(it.at);
        if may_end && !is_explained(&ends) {
            return Ok(search.found(&space, next, Last::Ends, is_cut));
        }
        if edges.is_empty() && !may_end {
            return Ok(search.found(&space, next, Last::Stuck, false));
        }
        for edge in edges {
            let act = ActId::from(edge.action);
            let mut after = After { is_cut, ..After::default() };
            for explanation in &explanations {
                explanation.follow(global, act, &mut after);
            }
            if after.explanations.is_empty() {
                return Ok(search.found(&space, next, Last::Step(edge), after.is_cut));
            }
            if after.explanations.len() > MOST_EXPLANATIONS {
                return Ok(Order::Unknown(Bound::States(MOST_EXPLANATIONS as u64)));
            }
            let After { explanations, is_cut } = after;
            search.meet(Pair { state: edge.to, explanations, is_cut }, next, edge);
        }
        next += 1;
        let progress = Progress {
            states: search.pairs.len() as u64,
            frontier: (search.pairs.len() - next) as u64,
            bytes: space.bytes() as u64,
            ..Progress::default()
        };
        if progress.states > most {
            return Ok(Order::Unknown(Bound::States(most)));
        }
        if next.is_multiple_of(256)
            && let ControlFlow::Break(bound) = observer(&progress)
        {
            return Err(bound.into());
        }
    }
    Ok(Order::Same)
}

/// What is wrong after a run.
#[derive(Clone, Copy)]
enum Last {
    /// This step.
    Step(Edge),
    /// That it may end.
    Ends,
    /// That nothing can happen.
    Stuck,
}

/// A state of the liberal form, and what explains how it was reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    state: StateId,
    explanations: BTreeSet<Explanation>,
    /// Whether there may be explanations that were not tried.
    is_cut: bool,
}

struct Search<'g> {
    global: &'g Global,
    seen: BTreeSet<Pair>,
    /// With how each was reached: from which, by which step.
    pairs: Vec<(Pair, Option<(usize, Edge)>)>,
}

impl Search<'_> {
    fn meet(&mut self, pair: Pair, from: usize, edge: Edge) {
        if self.seen.insert(pair.clone()) {
            self.pairs.push((pair, Some((from, edge))));
        }
    }

    /// The run to a pair and what is wrong there, unless something that was not tried might explain it.
    fn found(&self, space: &Space<'_>, at: usize, last: Last, is_cut: bool) -> Order {
        if is_cut {
            return Order::Unknown(Bound::States(MOST_OWED as u64));
        }
        let mut edges = Vec::new();
        let mut here = at;
        while let Some((before, edge)) = self.pairs[here].1 {
            edges.push(edge);
            here = before;
        }
        edges.reverse();
        let ending = match last {
            Last::Step(edge) => {
                edges.push(edge);
                Ending::Prefix
            }
            Last::Ends => Ending::Finished,
            Last::Stuck => Ending::Stuck,
        };
        let label = |edge: &Edge| {
            Observation::Action(self.global.label(ActId::from(edge.action)).to_owned())
        };
        let mut observations: Vec<Observation> = edges.iter().map(label).collect();
        if let Last::Ends = last {
            observations.push(Observation::End);
        }
        let trace = space.trace(space.initial()[0], &edges, ending);
        Order::Differs(Box::new(Deviation { which: Which::Added, observations, trace }))
    }
}

/// Steps that each role must do next, because the run of the protocol that explains what happened so far has them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Owed(BTreeMap<RoleId, VecDeque<ActId>>);

impl Owed {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn len(&self) -> usize {
        self.0.values().map(VecDeque::len).sum()
    }

    fn next(&self, role: RoleId) -> Option<ActId> {
        self.0.get(&role)?.front().copied()
    }

    fn add(&mut self, role: RoleId, act: ActId) {
        self.0.entry(role).or_default().push_back(act);
    }

    fn pay(&mut self, role: RoleId) {
        if let Some(owed) = self.0.get_mut(&role) {
            owed.pop_front();
            if owed.is_empty() {
                self.0.remove(&role);
            }
        }
    }
}

/// A run of the protocol that explains a run of the liberal form: where it is, and what the liberal form still owes it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Explanation {
    at: StateId,
    owed: Owed,
}

/// What explains a run after one more step.
#[derive(Default)]
struct After {
    explanations: BTreeSet<Explanation>,
    /// Whether something was not tried.
    is_cut: bool,
}

impl Explanation {
    fn start() -> Self {
        Self { at: Global::START, owed: Owed::default() }
    }

    /// Explains one more step of the liberal form.
    fn follow(&self, global: &Global, act: ActId, after: &mut After) {
        let roles = global.act(act).subjects();
        let owed: Vec<Option<ActId>> = roles.iter().map(|&role| self.owed.next(role)).collect();
        if owed.iter().any(Option::is_some) {
            if owed.iter().all(|&next| next == Some(act)) {
                let mut paid = self.clone();
                roles.iter().for_each(|&role| paid.owed.pay(role));
                after.explanations.insert(paid);
            }
            return;
        }
        // The protocol goes ahead, without these roles, until it can do the same.
        let mut stack = vec![(self.clone(), Vec::<StateId>::new())];
        let mut met = BTreeSet::new();
        while let Some((here, path)) = stack.pop() {
            for &(step, to) in global.edges(here.at) {
                if step == act {
                    after.explanations.insert(Explanation { at: to, owed: here.owed.clone() });
                    continue;
                }
                let others = global.act(step).subjects();
                if others.iter().any(|role| roles.contains(role)) {
                    continue;
                }
                let n_rounds = path.iter().filter(|&&before| before == to).count();
                if n_rounds >= MOST_ROUNDS || here.owed.len() >= MOST_OWED {
                    after.is_cut = true;
                    continue;
                }
                let mut ahead = Explanation { at: to, owed: here.owed.clone() };
                others.into_iter().for_each(|role| ahead.owed.add(role, step));
                if met.len() > MOST_EXPLANATIONS * 16 {
                    after.is_cut = true;
                } else if met.insert(ahead.clone()) {
                    let mut path = path.clone();
                    path.push(here.at);
                    stack.push((ahead, path));
                }
            }
        }
    }
}

/// A shortest run of the protocol in which a message overtakes another of the same sender to the same receiver, as no queue
/// lets it.
fn overtaken(global: &Global) -> Option<Deviation> {
    type Place = (StateId, BTreeMap<(RoleId, RoleId), VecDeque<ActId>>);
    let start: Place = (Global::START, BTreeMap::new());
    let mut places: Vec<(Place, Option<(usize, ActId)>)> = vec![(start.clone(), None)];
    let mut seen = BTreeSet::from([start]);
    let mut next = 0;
    while next < places.len() && (places.len() as u64) < MOST_PAIRS {
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
                        return Some(lost(global, &places, next, id));
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
    None
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
fn retold(global: &Global, space: &mut Space<'_>, acts: &[ActId]) -> quadrille_model::Trace {
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
