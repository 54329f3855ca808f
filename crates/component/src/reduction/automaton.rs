//! Queries on the automata of one component: where they are, which steps are enabled first in a state or
//! behind an automaton; and normalisation after a change.

use std::collections::BTreeSet;

use crate::automata::{DfaState, DfaStateId, ForkId, ForkedDfa, Letter, StepId, Target, minimise};
use crate::composition::UnitId;

/// The forks and branches on the way from a component to one of its automata.
pub(super) type ForkPath = [(ForkId, usize)];

/// One automaton of a system.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct AutomatonPath {
    pub(super) unit: UnitId,
    pub(super) way: Vec<(ForkId, usize)>,
}

impl AutomatonPath {
    /// Whether it is another automaton or one of those that it forks.
    pub(super) fn is_within(&self, outer: &AutomatonPath) -> bool {
        self.unit == outer.unit && self.way.starts_with(&outer.way)
    }
}

/// All automata of a component, outside first.
pub(super) fn places(unit: UnitId, root: &ForkedDfa) -> Vec<AutomatonPath> {
    fn collect(dfa: &ForkedDfa, at: &AutomatonPath, all: &mut Vec<AutomatonPath>) {
        all.push(at.clone());
        for (fork, one) in dfa.forks.iter().enumerate() {
            for (position, branch) in one.branches.iter().enumerate() {
                let mut inner = at.clone();
                inner.way.push((ForkId(fork as u32), position));
                collect(branch, &inner, all);
            }
        }
    }
    let mut all = Vec::new();
    collect(root, &AutomatonPath { unit, way: Vec::new() }, &mut all);
    all
}

pub(super) fn dfa_at<'a>(root: &'a ForkedDfa, way: &ForkPath) -> &'a ForkedDfa {
    way.iter().fold(root, |dfa, (fork, branch)| &dfa.forks[fork.index()].branches[*branch])
}

pub(super) fn dfa_at_mut<'a>(root: &'a mut ForkedDfa, way: &ForkPath) -> &'a mut ForkedDfa {
    way.iter().fold(root, |dfa, (fork, branch)| &mut dfa.forks[fork.index()].branches[*branch])
}

/// Whether it makes a difference to a fork around an automaton whether the automaton has taken a step.
pub(super) fn counts_starts(root: &ForkedDfa, way: &ForkPath) -> bool {
    (0..way.len()).any(|depth| dfa_at(root, &way[..depth]).forks[way[depth].0.index()].needs_start)
}

/// A state, and those behind it that need no step: forks that may do nothing are passed over.
fn passing(dfa: &ForkedDfa, state: DfaStateId) -> Vec<DfaStateId> {
    let mut seen = vec![state];
    let mut done = 0;
    while done < seen.len() {
        for &(letter, target) in &dfa.state(seen[done]).edges {
            if let (Letter::Join(fork), Target::State(to)) = (letter, target)
                && dfa.forks[fork.index()].is_nullable()
                && !seen.contains(&to)
            {
                seen.push(to);
            }
        }
        done += 1;
    }
    seen
}

/// The steps that may be taken first in a state, by the automaton or by what it forks there.
pub(super) fn first(dfa: &ForkedDfa, state: DfaStateId) -> BTreeSet<StepId> {
    let mut steps = BTreeSet::new();
    for state in passing(dfa, state) {
        for &(letter, _) in &dfa.state(state).edges {
            match letter {
                Letter::Step(step) => {
                    steps.insert(step);
                }
                Letter::Join(fork) => {
                    for branch in &dfa.forks[fork.index()].branches {
                        steps.extend(first(branch, DfaStateId::START));
                    }
                }
                Letter::Abort(..) => {}
            }
        }
    }
    steps
}

/// Whether an automaton is in a state only when it is nowhere else. Behind a fork, the first step is also
/// what ends the fork: until then the branches may go on or, if they need not even start, whatever else
/// may happen where they are forked. `is_quiet` tells of the initial state, as [`starts_quietly`].
pub(super) fn is_settled(dfa: &ForkedDfa, state: DfaStateId, is_quiet: bool) -> bool {
    let is_idle = state == DfaStateId::START && !is_quiet;
    let mut states = (0..dfa.states.len() as u32).map(DfaStateId);
    !is_idle
        && states.all(|from| {
            let DfaState { edges, accepting } = dfa.state(from);
            edges.iter().all(|&(letter, target)| {
                let (Letter::Join(fork), Target::State(to)) = (letter, target) else { return true };
                let fork = &dfa.forks[fork.index()];
                let is_alone =
                    edges.len() == 1 && !accepting && (from != DfaStateId::START || is_quiet);
                !passing(dfa, to).contains(&state)
                    || fork.branches.iter().all(ends_for_good) && (is_alone || !fork.is_nullable())
            })
        })
}

/// Whether an automaton can do nothing more where it may end.
fn ends_for_good(dfa: &ForkedDfa) -> bool {
    dfa.states.iter().all(|state| {
        let may_end = |&(letter, target): &(Letter, Target)| {
            let (Letter::Join(fork), Target::State(to)) = (letter, target) else { return false };
            dfa.may_end_from(to)
                && (state.edges.len() > 1
                    || !dfa.forks[fork.index()].branches.iter().all(ends_for_good))
        };
        (!state.accepting || state.edges.is_empty()) && !state.edges.iter().any(may_end)
    })
}

/// The steps that may be taken first once an automaton has ended.
pub(super) fn follow(root: &ForkedDfa, way: &ForkPath) -> BTreeSet<StepId> {
    let Some((&(fork, _), outer)) = way.split_last() else { return BTreeSet::new() };
    let parent = dfa_at(root, outer);
    let mut steps = BTreeSet::new();
    let mut may_end = false;
    for state in &parent.states {
        for &(letter, target) in &state.edges {
            if let (Letter::Join(joined), Target::State(to)) = (letter, target)
                && joined == fork
            {
                steps.extend(first(parent, to));
                may_end |= parent.may_end_from(to);
            }
        }
    }
    if may_end {
        steps.extend(follow(root, outer));
    }
    steps
}

/// Whether nothing but what is in the fork may happen while an automaton is in its initial state.
pub(super) fn starts_quietly(root: &ForkedDfa, way: &ForkPath) -> bool {
    let Some((&(fork, _), outer)) = way.split_last() else { return true };
    let parent = dfa_at(root, outer);
    let is_quiet = starts_quietly(root, outer);
    let mut states = (0..parent.states.len() as u32).map(DfaStateId);
    states.all(|state| {
        !parent.forks_at(state).contains(&fork)
            || !parent.shows(state, fork) && is_settled(parent, state, is_quiet)
    })
}

/// Puts a component into its smallest form after a change: what cannot be reached is dropped, equal
/// states are one.
pub(super) fn normalise(dfa: &mut ForkedDfa) {
    for branch in dfa.forks.iter_mut().flat_map(|fork| &mut fork.branches) {
        normalise(branch);
    }
    for state in &mut dfa.states {
        state.edges.sort_unstable();
        state.edges.dedup();
    }
    *dfa = minimise(dfa);
    drop_unused_forks(dfa);
    dfa.separate_forks();
}

fn drop_unused_forks(dfa: &mut ForkedDfa) {
    let edges = || dfa.states.iter().flat_map(|state| &state.edges);
    let used: BTreeSet<ForkId> = edges().filter_map(|edge| edge.0.fork()).collect();
    if used.len() == dfa.forks.len() {
        return;
    }
    let new = |old: ForkId| ForkId(used.range(..old).count() as u32);
    for state in &mut dfa.states {
        for (letter, _) in &mut state.edges {
            *letter = match *letter {
                Letter::Step(step) => Letter::Step(step),
                Letter::Join(fork) => Letter::Join(new(fork)),
                Letter::Abort(fork, exit) => Letter::Abort(new(fork), exit),
            };
        }
    }
    let mut position = 0;
    dfa.forks.retain(|_| {
        position += 1;
        used.contains(&ForkId(position - 1))
    });
}
