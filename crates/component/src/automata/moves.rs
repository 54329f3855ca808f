//! The steps of one component whose branches run side by side: one slot per automaton, and moves that
//! look at some slots and set some. A fork that is not under way has all its slots in their initial
//! states; that is also what it looks like before its first step.

use std::collections::BTreeMap;

use quadrille_model::Value;

use super::alphabet::StepId;
use super::forked_dfa::{DfaStateId, ExitId, ForkId, ForkedDfa, Letter, Target};
use super::region::Region;

/// A step that a component can take in some of its configurations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where it can be taken.
    pub region: Region,
    /// What happens.
    pub step: StepId,
    /// The slots that are set, ascending, and their new values.
    pub effects: Vec<(u32, Value)>,
    /// For a branch alone: whether the move leaves the fork.
    pub exit: Option<ExitId>,
}

impl Move {
    /// The configuration after it.
    pub(crate) fn after(&self, configuration: &[Value]) -> Vec<Value> {
        let mut next = configuration.to_vec();
        for &(slot, value) in &self.effects {
            next[slot as usize] = value;
        }
        next
    }
}

/// A slot of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlotName {
    /// Positions of forks and branches on the way to the automaton; empty for the component itself.
    pub way: Vec<(u32, u32)>,
    /// How many states the automaton has.
    pub n_states: u32,
}

/// The slots of a component, in order: an automaton comes before the branches of its forks.
pub fn slots(dfa: &ForkedDfa) -> Vec<SlotName> {
    let mut all = Vec::new();
    collect_slots(dfa, &mut Vec::new(), &mut all);
    all
}

fn collect_slots(dfa: &ForkedDfa, way: &mut Vec<(u32, u32)>, all: &mut Vec<SlotName>) {
    all.push(SlotName { way: way.clone(), n_states: dfa.states.len() as u32 });
    for (fork, branches) in dfa.forks.iter().enumerate() {
        for (position, branch) in branches.branches.iter().enumerate() {
            way.push((fork as u32, position as u32));
            collect_slots(branch, way, all);
            way.pop();
        }
    }
}

/// All moves of a component.
pub fn moves(dfa: &ForkedDfa) -> Vec<Move> {
    Tree::new(dfa, &mut 0).moves()
}

/// Where a component may end: in each of these regions.
pub fn ends(dfa: &ForkedDfa) -> Vec<Region> {
    Tree::new(dfa, &mut 0).ends
}

/// An automaton with its slot, and its forks with theirs.
struct Tree<'a> {
    dfa: &'a ForkedDfa,
    slot: u32,
    forks: Vec<Vec<Tree<'a>>>,
    /// Where it may end.
    ends: Vec<Region>,
}

type Effects = BTreeMap<u32, Value>;

impl<'a> Tree<'a> {
    fn new(dfa: &'a ForkedDfa, next_slot: &mut u32) -> Self {
        let slot = *next_slot;
        *next_slot += 1;
        let mut forks = Vec::new();
        for fork in &dfa.forks {
            forks.push(fork.branches.iter().map(|branch| Tree::new(branch, next_slot)).collect());
        }
        let mut tree = Self { dfa, slot, forks, ends: Vec::new() };
        tree.ends = tree.find_ends();
        tree
    }

    fn branches(&self, fork: ForkId) -> &[Tree<'a>] {
        &self.forks[fork.index()]
    }

    /// Shows the slots of the automaton and of what it forks, with their numbers of states.
    fn all_slots(&self, each: &mut impl FnMut(u32, u32)) {
        each(self.slot, self.dfa.states.len() as u32);
        self.forks.iter().flatten().for_each(|branch| branch.all_slots(each));
    }

    fn fork_slots(&self, fork: ForkId) -> Vec<(u32, u32)> {
        let mut slots = Vec::new();
        for branch in self.branches(fork) {
            branch.all_slots(&mut |slot, n_states| slots.push((slot, n_states)));
        }
        slots
    }

    /// Where some branch of a fork has taken a step, as disjoint regions.
    fn started(&self, fork: ForkId) -> Vec<Region> {
        let mut before = Region::default();
        let mut regions = Vec::new();
        for (slot, n_states) in self.fork_slots(fork) {
            if n_states > 1 {
                regions.push(before.with(slot, (1..n_states).collect()));
            }
            before = before.with(slot, [0].into_iter().collect());
        }
        regions
    }

    /// In a state, with all forks there but one not under way.
    fn idle(&self, state: DfaStateId, but: Option<ForkId>) -> Region {
        let mut region = Region::at(self.slot, state.0);
        for fork in self.dfa.forks_at(state) {
            if Some(fork) != but {
                for (slot, _) in self.fork_slots(fork) {
                    region = region.with(slot, [0].into_iter().collect());
                }
            }
        }
        region
    }

    /// Where all branches of a fork may end.
    fn done(&self, fork: ForkId) -> Vec<Region> {
        let mut regions = vec![Region::default()];
        for branch in self.branches(fork) {
            let both = |region: &Region| -> Vec<Region> {
                branch.ends.iter().filter_map(|end| region.intersect(end)).collect()
            };
            regions = regions.iter().flat_map(both).collect();
        }
        if self.dfa.forks[fork.index()].needs_start {
            let started = self.started(fork);
            let both = |region: &Region| -> Vec<Region> {
                started.iter().filter_map(|other| region.intersect(other)).collect()
            };
            regions = regions.iter().flat_map(both).collect();
        }
        regions
    }

    /// Where a fork of a state may end, with no other fork there under way.
    fn done_at(&self, state: DfaStateId, fork: ForkId) -> Vec<Region> {
        let base = self.idle(state, Some(fork));
        self.done(fork).iter().filter_map(|region| region.intersect(&base)).collect()
    }

    fn states(&self) -> impl Iterator<Item = DfaStateId> + use<> {
        (0..self.dfa.states.len() as u32).map(DfaStateId)
    }

    fn find_ends(&self) -> Vec<Region> {
        let plain = |state: &DfaStateId| self.dfa.forks_at(*state).is_empty();
        let accepts = |state: &DfaStateId| self.dfa.state(*state).accepting;
        let mut regions = Vec::new();
        let simple: Vec<Value> =
            self.states().filter(|state| plain(state) && accepts(state)).map(|s| s.0).collect();
        if !simple.is_empty() {
            regions.push(Region::among(self.slot, simple));
        }
        for state in self.states().filter(|state| !plain(state)) {
            if accepts(&state) {
                regions.push(self.idle(state, None));
            }
            for &(letter, target) in &self.dfa.state(state).edges {
                let (Letter::Join(fork), Target::State(to)) = (letter, target) else { continue };
                if self.dfa.may_end_from(to) {
                    regions.extend(self.done_at(state, fork));
                }
            }
        }
        regions
    }

    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let inner: Vec<Vec<Move>> = self
            .forks
            .iter()
            .map(|branches| branches.iter().flat_map(Tree::moves).collect())
            .collect();
        for state in self.states() {
            let idle = self.idle(state, None);
            self.first_moves(state, &idle, &Effects::new(), &inner, &mut moves, false);
            for fork in self.dfa.forks_at(state) {
                self.moves_within(state, fork, &inner, &mut moves);
                for target in self.dfa.follow(state, Letter::Join(fork)) {
                    let Target::State(to) = target else { continue };
                    for region in self.done_at(state, fork) {
                        let mut seen = Vec::new();
                        self.moves_after(
                            to,
                            &region,
                            &self.reset(fork),
                            &inner,
                            &mut moves,
                            &mut seen,
                        );
                    }
                }
            }
        }
        moves.sort_unstable();
        moves.dedup();
        moves
    }

    fn reset(&self, fork: ForkId) -> Effects {
        self.fork_slots(fork).into_iter().map(|(slot, _)| (slot, 0)).collect()
    }

    /// Moves of the branches of a fork of this state.
    fn moves_within(
        &self,
        state: DfaStateId,
        fork: ForkId,
        inner: &[Vec<Move>],
        moves: &mut Vec<Move>,
    ) {
        let base = self.idle(state, Some(fork));
        for one in &inner[fork.index()] {
            let Some(region) = one.region.intersect(&base) else { continue };
            let Some(exit) = one.exit else {
                moves.push(Move { region, ..one.clone() });
                continue;
            };
            for target in self.dfa.follow(state, Letter::Abort(fork, exit)) {
                moves.push(self.finished(&region, one.step, self.reset(fork), target));
            }
        }
    }

    /// A move of the automaton itself.
    fn finished(
        &self,
        region: &Region,
        step: StepId,
        mut effects: Effects,
        target: Target,
    ) -> Move {
        let mut exit = None;
        match target {
            Target::State(to) => {
                effects.insert(self.slot, to.0);
            }
            // The owner of the fork resets its slots.
            Target::Leave(out) => {
                effects.clear();
                exit = Some(out);
            }
        }
        Move { region: region.clone(), step, effects: effects.into_iter().collect(), exit }
    }

    /// Moves once a fork has joined and control is, in effect, in `state`.
    fn moves_after(
        &self,
        state: DfaStateId,
        region: &Region,
        effects: &Effects,
        inner: &[Vec<Move>],
        moves: &mut Vec<Move>,
        seen: &mut Vec<DfaStateId>,
    ) {
        if seen.contains(&state) {
            return;
        }
        seen.push(state);
        self.first_moves(state, region, effects, inner, moves, true);
        for &(letter, target) in &self.dfa.state(state).edges {
            let (Letter::Join(fork), Target::State(to)) = (letter, target) else { continue };
            if self.dfa.forks[fork.index()].is_nullable() {
                self.moves_after(to, region, effects, inner, moves, seen);
            }
        }
    }

    /// Moves of a state as if it were just entered: its own steps and, where `enters`, the first
    /// steps of its forks.
    fn first_moves(
        &self,
        state: DfaStateId,
        region: &Region,
        effects: &Effects,
        inner: &[Vec<Move>],
        moves: &mut Vec<Move>,
        enters: bool,
    ) {
        for &(letter, target) in &self.dfa.state(state).edges {
            if let Letter::Step(step) = letter {
                moves.push(self.finished(region, step, effects.clone(), target));
            }
        }
        if !enters {
            return;
        }
        for fork in self.dfa.forks_at(state) {
            for one in inner[fork.index()].iter().filter(|one| one.region.contains_start()) {
                let Some(exit) = one.exit else {
                    let mut effects = effects.clone();
                    effects.insert(self.slot, state.0);
                    effects.extend(one.effects.iter().copied());
                    let effects = effects.into_iter().collect();
                    moves.push(Move { region: region.clone(), effects, ..one.clone() });
                    continue;
                };
                for target in self.dfa.follow(state, Letter::Abort(fork, exit)) {
                    moves.push(self.finished(region, one.step, effects.clone(), target));
                }
            }
        }
    }
}
