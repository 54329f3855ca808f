//! The result of lowering: deterministic automata with forks, as plain data. Two automata that were
//! built alike are equal, so that equal forks of one automaton are one.

use super::alphabet::StepId;

/// Most moves of a component.
const MAX_MOVES: u64 = 1 << 18;
/// Most regions in which a component may end.
const MAX_ENDS: u64 = 1 << 14;

/// A state of one automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DfaStateId(pub u32);

impl DfaStateId {
    /// Where every automaton starts.
    pub const START: DfaStateId = DfaStateId(0);

    /// The position in the list of states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fork of one dfa: a position in [`ForkedDfa::forks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ForkId(pub u32);

impl ForkId {
    /// The position in the list of forks.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A way to leave a fork other than by joining: an exception that goes further out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExitId(pub u32);

/// A deterministic automaton whose letters include forks (`|`). Its first state is the initial one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ForkedDfa {
    /// The states; a [`DfaStateId`] is a position in this list.
    pub states: Vec<DfaState>,
    /// The forks that its letters mention.
    pub forks: Vec<Fork>,
}

/// A state of an automaton.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DfaState {
    /// What can happen here, ascending. Each letter leads to one state at most, and may lead out of
    /// the fork as well.
    pub edges: Vec<(Letter, Target)>,
    /// Whether the automaton may end here.
    pub accepting: bool,
}

/// What leads from state to state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Letter {
    /// Something happens.
    Step(StepId),
    /// A fork, from its beginning until all branches are done.
    Join(ForkId),
    /// A fork that a branch ended by leaving through an exit.
    Abort(ForkId, ExitId),
}

impl Letter {
    /// The fork it belongs to.
    pub fn fork(self) -> Option<ForkId> {
        match self {
            Letter::Step(_) => None,
            Letter::Join(fork) | Letter::Abort(fork, _) => Some(fork),
        }
    }
}

/// Where a letter leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// Another state of the automaton.
    State(DfaStateId),
    /// Out of the fork whose branch this automaton is.
    Leave(ExitId),
}

/// Automata that run in parallel, until all of them end.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fork {
    /// The branches, each with its initial state.
    pub branches: Vec<ForkedDfa>,
    /// Whether at least one branch must take a step, although each of them may end without one:
    /// the fork of `A || B` where neither `A` nor `B` may do nothing.
    pub needs_start: bool,
}

impl ForkedDfa {
    /// A state.
    pub fn state(&self, state: DfaStateId) -> &DfaState {
        &self.states[state.index()]
    }

    /// The forks that can be under way in a state, ascending.
    pub fn forks_at(&self, state: DfaStateId) -> Vec<ForkId> {
        let edges = &self.state(state).edges;
        let mut forks: Vec<ForkId> = edges.iter().filter_map(|edge| edge.0.fork()).collect();
        forks.sort_unstable();
        forks.dedup();
        forks
    }

    /// Where a letter leads from a state.
    pub fn follow(&self, state: DfaStateId, letter: Letter) -> impl Iterator<Item = Target> + '_ {
        let edges = self.state(state).edges.iter();
        edges.filter(move |edge| edge.0 == letter).map(|edge| edge.1)
    }

    /// Whether the automaton may end without doing anything.
    pub fn is_nullable(&self) -> bool {
        self.may_end_from(DfaStateId::START)
    }

    /// Whether the automaton may end in a state, perhaps by passing through forks that do nothing.
    pub fn may_end_from(&self, state: DfaStateId) -> bool {
        let mut seen = vec![state];
        let mut done = 0;
        while done < seen.len() {
            let state = self.state(seen[done]);
            done += 1;
            if state.accepting {
                return true;
            }
            for &(letter, target) in &state.edges {
                let (Letter::Join(fork), Target::State(to)) = (letter, target) else { continue };
                if self.forks[fork.index()].is_nullable() && !seen.contains(&to) {
                    seen.push(to);
                }
            }
        }
        false
    }

    /// Whether the moves of the component, and the regions in which it may end, can be listed: forks
    /// in loops of forks multiply.
    pub(super) fn is_affordable(&self) -> bool {
        let Cost { moves, ends } = self.cost();
        moves <= MAX_MOVES && ends <= MAX_ENDS
    }

    fn cost(&self) -> Cost {
        let forks: Vec<Cost> = self.forks.iter().map(Fork::cost).collect();
        let mut cost = Cost { moves: 0, ends: 1 };
        for state in &self.states {
            for (letter, _) in &state.edges {
                let (moves, ends) = match letter {
                    Letter::Join(fork) => {
                        let Cost { moves, ends } = forks[fork.index()];
                        (moves.saturating_add(ends), ends)
                    }
                    Letter::Step(_) | Letter::Abort(..) => (1, 0),
                };
                cost.moves = cost.moves.saturating_add(moves);
                cost.ends = cost.ends.saturating_add(ends);
            }
        }
        // An automaton that ends in forks only has no region of its own.
        let has_own = self.states.iter().any(|state| state.accepting);
        cost.ends -= u64::from(!has_own && cost.ends > 1);
        cost
    }

    /// Number of states in this automaton and in all nested ones.
    pub fn n_states(&self) -> usize {
        let nested = self.forks.iter().flat_map(|fork| &fork.branches).map(ForkedDfa::n_states);
        self.states.len() + nested.sum::<usize>()
    }

    /// Makes sure that "no branch has moved" and "all branches are in their initial states" are the
    /// same wherever the difference could be seen: where something else than the fork may happen.
    pub(crate) fn separate_forks(&mut self) {
        for fork in (0..self.forks.len() as u32).map(ForkId) {
            let shows =
                (0..self.states.len() as u32).any(|state| self.shows(DfaStateId(state), fork));
            if shows || self.forks[fork.index()].needs_start {
                self.forks[fork.index()].branches.iter_mut().for_each(ForkedDfa::never_return);
            }
        }
    }

    /// Whether a state has the fork and something else.
    pub(crate) fn shows(&self, state: DfaStateId, fork: ForkId) -> bool {
        let DfaState { edges, accepting } = self.state(state);
        if edges.iter().all(|edge| edge.0.fork() != Some(fork)) {
            return false;
        }
        let ends_through = || {
            let mut after = self.follow(state, Letter::Join(fork));
            self.forks[fork.index()].is_nullable()
                && after.any(|to| matches!(to, Target::State(to) if self.may_end_from(to)))
        };
        edges.iter().any(|edge| edge.0.fork() != Some(fork)) || *accepting && !ends_through()
    }

    /// Gives the initial state to the beginning alone.
    fn never_return(&mut self) {
        let moved = DfaStateId(self.states.len() as u32);
        let mut returns = false;
        for state in &mut self.states {
            for (_, target) in &mut state.edges {
                if *target == Target::State(DfaStateId::START) {
                    *target = Target::State(moved);
                    returns = true;
                }
            }
        }
        if returns {
            self.states.push(self.states[0].clone());
        }
        for fork in self.forks_at(DfaStateId::START) {
            self.forks[fork.index()].branches.iter_mut().for_each(ForkedDfa::never_return);
        }
    }
}

/// How much work the moves of an automaton are.
#[derive(Clone, Copy, Debug)]
struct Cost {
    moves: u64,
    ends: u64,
}

impl Fork {
    fn cost(&self) -> Cost {
        let all = self.branches.iter().map(ForkedDfa::cost);
        all.fold(Cost { moves: 0, ends: 1 }, |sum, one| Cost {
            moves: sum.moves.saturating_add(one.moves),
            ends: sum.ends.saturating_mul(one.ends),
        })
    }

    /// Whether all branches may end without doing anything.
    pub fn is_nullable(&self) -> bool {
        !self.needs_start && self.branches.iter().all(ForkedDfa::is_nullable)
    }
}
