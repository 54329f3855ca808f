//! Whether the liberal form of a protocol is *the same up to reordering*: whether the two differ only in the order of
//! steps of different threads, as asynchronous multiparty session types understand it (Honda, Yoshida, Carbone, POPL 2008;
//! Ghilezan et al., POPL 2021).
//!
//! A *thread* is what a role does in one part of a parallel composition, or outside all. A role keeps its order within each
//! part, and what it does before a composition comes before what it does in it, but its parts have no order among each
//! other: this is the weak sequencing of message sequence charts (ITU-T Z.120; Mauw and Reniers, 1994), and the reading of
//! forks in Deniélou and Yoshida (ESOP 2012) and in pomsets of choreographies (Tuosto and Guanciale, JLAMP 2018). What all
//! roles do in a run is then a partial order. The liberal form is the same up to reordering if
//!
//! - each run of the liberal form follows the order of a run of the protocol in which all threads do what they do in the
//!   first, and perhaps more; and if the run may end, of one in which none does more, and which may end;
//! - where nothing more can happen in the liberal form, it may end: no role is stuck and no queue holds a message;
//! - the protocol receives messages of one role from another in the order in which they were sent, as queues do: then
//!   each of its runs is one of the liberal form, too.
//!
//! The first is decided by following each run of the liberal form with runs of the protocol that may be ahead of it
//! (`order/explanation.rs`). In general this is undecidable, as it asks whether one rational relation is within another.
//! Here what a run may be ahead is bounded; a bound that mattered makes it *unknown*. The third is in
//! `order/overtaking.rs`. On schemes the same is decided on the tree, by sufficient conditions
//! (`quadrille_runtime::scheme`).

mod explanation;
mod overtaking;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use quadrille_engine::equivalence::Observation;
use quadrille_engine::{Edge, Limits, Observer, Progress, Space};
use quadrille_model::{Bound, Ending, StateId};
use quadrille_protocol::core::ActId;
use quadrille_protocol::project::{Global, Liberal};

use self::explanation::{After, Explanation, Explanations};
use self::overtaking::{Overtaking, overtaking};
use super::Stopped;
use super::explored::Explored;
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

/// Compares a liberal form with its protocol.
pub fn compare_order(
    explored: &Explored<'_>,
    liberal: &Liberal,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Order, Stopped> {
    let global = explored.global();
    match overtaking(global) {
        Overtaking::Never => {}
        Overtaking::Run(deviation) => return Ok(Order::Differs(deviation)),
        Overtaking::Unknown(bound) => return Ok(Order::Unknown(bound)),
    }
    let most = limits.states.unwrap_or(u64::MAX).min(MOST_PAIRS);
    let mut space = Space::new(liberal);
    let protocol = Explanations::new(explored.model(), global);
    let explanations = BTreeSet::from([protocol.start()?]);
    let start = Pair { state: space.initial()[0], explanations, is_cut: false };
    let mut search =
        Search { global, seen: BTreeSet::from([start.clone()]), pairs: vec![(start, None)] };
    let mut next = 0;
    while next < search.pairs.len() {
        let Pair { state, explanations, is_cut } = search.pairs[next].0.clone();
        let may_end = space.may_end(state)?;
        let edges = space.expand(state)?.to_vec();
        if may_end && !protocol.some_ends(&explanations)? {
            return Ok(search.found(&space, next, Last::Ends, is_cut));
        }
        if edges.is_empty() && !may_end {
            return Ok(search.found(&space, next, Last::Stuck, false));
        }
        for edge in edges {
            let act = ActId::from(edge.action);
            let mut after = After { is_cut, ..After::default() };
            for explanation in &explanations {
                protocol.follow(explanation, act, &mut after)?;
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
            return Order::Unknown(Bound::States(explanation::MOST_OWED as u64));
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
