//! The one search loop: which state is expanded next, where each state was met from, and what is
//! counted. Knows nothing of properties; [`crate::safety`] looks at each visit.

use std::ops::Range;

use quadrille_model::{Counts, Misfit, Model, StateId};

use crate::arena::Arena;
use crate::evidence::Unrepeatable;
use crate::limits::Progress;
use crate::space::{Edge, Space};

/// Which state is expanded next. Counts of a complete search do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The one met first: traces are as short as possible.
    #[default]
    Breadth,
    /// The one met last: deep violations are often found sooner, with longer traces.
    Depth,
}

/// A search in progress.
pub(crate) struct Search<'m> {
    pub(crate) space: Space<'m>,
    /// Per state, the number of the state it was met from; [`NONE`] for initial states.
    parents: Arena,
    frontier: Frontier,
    transitions: u64,
    deadlocks: u64,
    expanded: u64,
}

/// What expanding one state brought.
pub(crate) struct Visit {
    /// The state expanded.
    pub(crate) state: StateId,
    /// Numbers of the states met for the first time.
    pub(crate) fresh: Range<u32>,
    /// Whether there is no successor and the system may not end here.
    pub(crate) stuck: bool,
}

const NONE: u32 = u32::MAX;

/// States met but not expanded yet.
enum Frontier {
    /// States are numbered in order of discovery, so that the queue is the store itself, from
    /// `next` on. The states of the current depth end at `level_end`.
    Queue {
        next: u32,
        level_end: u32,
        depth: u64,
    },
    Stack(Vec<u32>),
}

impl<'m> Search<'m> {
    /// A search that has met the initial states.
    pub(crate) fn new(model: &'m dyn Model, order: Order) -> Self {
        let space = Space::new(model);
        let n_initial = space.n_states() as u32;
        let frontier = match order {
            Order::Breadth => Frontier::Queue { next: 0, level_end: n_initial, depth: 0 },
            Order::Depth => Frontier::Stack((0..n_initial).rev().collect()),
        };
        let mut parents = Arena::new(1);
        for _ in 0..n_initial {
            parents.push(&[NONE]);
        }
        Self { space, parents, frontier, transitions: 0, deadlocks: 0, expanded: 0 }
    }

    /// Expands the next state; `None` when there is none left.
    #[inline]
    pub(crate) fn step(&mut self) -> Option<Visit> {
        let first_fresh = self.space.n_states() as u32;
        let number = self.frontier.take(first_fresh)?;
        let state = StateId::new(number);
        let n_edges = self.space.expand(state).len();
        let stuck = n_edges == 0 && !self.space.may_end(state);
        self.transitions += n_edges as u64;
        self.deadlocks += u64::from(stuck);
        self.expanded += 1;
        let fresh = first_fresh..self.space.n_states() as u32;
        for _ in fresh.clone() {
            self.parents.push(&[number]);
        }
        if let Frontier::Stack(stack) = &mut self.frontier {
            stack.extend(fresh.clone().rev());
        }
        Some(Visit { state, fresh, stuck })
    }

    /// An initial state, and edges that lead from it to `state`. Only the states on the way are
    /// remembered: the model is asked for the edges again.
    pub(crate) fn path(&self, state: StateId) -> Result<(StateId, Vec<Edge>), Unrepeatable> {
        let parent = |&state: &StateId| {
            let parent = self.parents.get(state.index())[0];
            (parent != NONE).then_some(StateId::new(parent))
        };
        let mut states: Vec<StateId> = std::iter::successors(Some(state), parent).collect();
        states.reverse();
        let edges = states.windows(2).enumerate().map(|(position, step)| {
            let edge = self.space.edge_between(step[0], step[1]);
            edge.ok_or(Unrepeatable { misfit: Misfit::Step(position) })
        });
        Ok((states[0], edges.collect::<Result<_, _>>()?))
    }

    /// How far the search has come.
    pub(crate) fn progress(&self) -> Progress {
        let counts = self.counts();
        Progress {
            states: counts.states,
            transitions: counts.transitions,
            depth: counts.depth,
            frontier: counts.states - self.expanded,
            bytes: counts.bytes + self.frontier.bytes(),
        }
    }

    /// What was counted so far.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            states: self.space.n_states() as u64,
            transitions: self.transitions,
            deadlocks: self.deadlocks,
            depth: match self.frontier {
                Frontier::Queue { depth, .. } => Some(depth),
                Frontier::Stack(_) => None,
            },
            bytes: (self.space.bytes() + self.parents.bytes()) as u64,
        }
    }
}

impl Frontier {
    /// Takes the next state out, of `n_states` met so far.
    #[inline]
    fn take(&mut self, n_states: u32) -> Option<u32> {
        match self {
            Frontier::Stack(stack) => stack.pop(),
            Frontier::Queue { next, level_end, depth } => {
                if *next == n_states {
                    return None;
                }
                if *next == *level_end {
                    *level_end = n_states;
                    *depth += 1;
                }
                *next += 1;
                Some(*next - 1)
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Frontier::Queue { .. } => 0,
            Frontier::Stack(stack) => (stack.capacity() * size_of::<u32>()) as u64,
        }
    }
}
