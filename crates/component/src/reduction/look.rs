//! Looking around in one component: its automata and where they are, what may happen first in a state,
//! what may follow an automaton, and tidying up after a change.

use std::collections::BTreeSet;

use crate::automata::{Fork, ForkId, Letter, Local, Piece, State, StepId, Target, minimise};
use crate::composition::UnitId;

/// The forks and branches on the way from a component to one of its automata.
pub(super) type Way = [(ForkId, usize)];

/// One automaton of a system.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub(super) unit: UnitId,
    pub(super) way: Vec<(ForkId, usize)>,
}

impl Place {
    /// Whether it is another automaton or one of those that it forks.
    pub(super) fn is_within(&self, outer: &Place) -> bool {
        self.unit == outer.unit && self.way.starts_with(&outer.way)
    }
}

/// All automata of a component, outside first.
pub(super) fn places(unit: UnitId, root: &Piece) -> Vec<Place> {
    fn collect(piece: &Piece, at: &Place, all: &mut Vec<Place>) {
        all.push(at.clone());
        for (fork, Fork { branches }) in piece.forks.iter().enumerate() {
            for (position, branch) in branches.iter().enumerate() {
                let mut inner = at.clone();
                inner.way.push((ForkId(fork as u32), position));
                collect(branch, &inner, all);
            }
        }
    }
    let mut all = Vec::new();
    collect(root, &Place { unit, way: Vec::new() }, &mut all);
    all
}

pub(super) fn piece_at<'a>(root: &'a Piece, way: &Way) -> &'a Piece {
    way.iter().fold(root, |piece, (fork, branch)| &piece.forks[fork.index()].branches[*branch])
}

pub(super) fn piece_at_mut<'a>(root: &'a mut Piece, way: &Way) -> &'a mut Piece {
    way.iter().fold(root, |piece, (fork, branch)| &mut piece.forks[fork.index()].branches[*branch])
}

/// A state, and those behind it that need no step: forks that may do nothing are passed over.
fn passing(piece: &Piece, state: Local) -> Vec<Local> {
    let mut seen = vec![state];
    let mut done = 0;
    while done < seen.len() {
        for &(letter, target) in &piece.state(seen[done]).edges {
            if let (Letter::Join(fork), Target::State(to)) = (letter, target)
                && piece.forks[fork.index()].is_nullable()
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
pub(super) fn first(piece: &Piece, state: Local) -> BTreeSet<StepId> {
    let mut steps = BTreeSet::new();
    for state in passing(piece, state) {
        for &(letter, _) in &piece.state(state).edges {
            match letter {
                Letter::Step(step) => {
                    steps.insert(step);
                }
                Letter::Join(fork) => {
                    for branch in &piece.forks[fork.index()].branches {
                        steps.extend(first(branch, Local::START));
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
pub(super) fn is_settled(piece: &Piece, state: Local, is_quiet: bool) -> bool {
    let is_idle = state == Local::START && !is_quiet;
    let mut states = (0..piece.states.len() as u32).map(Local);
    !is_idle
        && states.all(|from| {
            let State { edges, accepting } = piece.state(from);
            edges.iter().all(|&(letter, target)| {
                let (Letter::Join(fork), Target::State(to)) = (letter, target) else { return true };
                let fork = &piece.forks[fork.index()];
                let is_alone = edges.len() == 1 && !accepting && (from != Local::START || is_quiet);
                !passing(piece, to).contains(&state)
                    || fork.branches.iter().all(ends_for_good) && (is_alone || !fork.is_nullable())
            })
        })
}

/// Whether an automaton can do nothing more where it may end.
fn ends_for_good(piece: &Piece) -> bool {
    piece.states.iter().all(|state| {
        let may_end = |&(letter, target): &(Letter, Target)| {
            let (Letter::Join(fork), Target::State(to)) = (letter, target) else { return false };
            piece.may_end_from(to)
                && (state.edges.len() > 1
                    || !piece.forks[fork.index()].branches.iter().all(ends_for_good))
        };
        (!state.accepting || state.edges.is_empty()) && !state.edges.iter().any(may_end)
    })
}

/// The steps that may be taken first once an automaton has ended.
pub(super) fn follow(root: &Piece, way: &Way) -> BTreeSet<StepId> {
    let Some((&(fork, _), outer)) = way.split_last() else { return BTreeSet::new() };
    let parent = piece_at(root, outer);
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
pub(super) fn starts_quietly(root: &Piece, way: &Way) -> bool {
    let Some((&(fork, _), outer)) = way.split_last() else { return true };
    let parent = piece_at(root, outer);
    let is_quiet = starts_quietly(root, outer);
    let mut states = (0..parent.states.len() as u32).map(Local);
    states.all(|state| {
        !parent.forks_at(state).contains(&fork)
            || !parent.shows(state, fork) && is_settled(parent, state, is_quiet)
    })
}

/// Puts a component into its smallest form after a change: what cannot be reached is dropped, equal
/// states are one.
pub(super) fn tidy(piece: &mut Piece) {
    for branch in piece.forks.iter_mut().flat_map(|fork| &mut fork.branches) {
        tidy(branch);
    }
    for state in &mut piece.states {
        state.edges.sort_unstable();
        state.edges.dedup();
    }
    *piece = minimise(piece);
    drop_unused_forks(piece);
    piece.separate_forks();
}

fn drop_unused_forks(piece: &mut Piece) {
    let edges = || piece.states.iter().flat_map(|state| &state.edges);
    let used: BTreeSet<ForkId> = edges().filter_map(|edge| edge.0.fork()).collect();
    if used.len() == piece.forks.len() {
        return;
    }
    let new = |old: ForkId| ForkId(used.range(..old).count() as u32);
    for state in &mut piece.states {
        for (letter, _) in &mut state.edges {
            *letter = match *letter {
                Letter::Step(step) => Letter::Step(step),
                Letter::Join(fork) => Letter::Join(new(fork)),
                Letter::Abort(fork, exit) => Letter::Abort(new(fork), exit),
            };
        }
    }
    let mut position = 0;
    piece.forks.retain(|_| {
        position += 1;
        used.contains(&ForkId(position - 1))
    });
}
