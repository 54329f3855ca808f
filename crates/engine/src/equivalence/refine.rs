//! The coarsest bisimulation on a [`System`], by refining a partition with signatures.
//!
//! A round computes for each state the set of (label, block) pairs it can reach in one step of the
//! relation and splits blocks whose members disagree: Kanellakis & Smolka (1983) in the signature
//! form of Blom & Orzan (2003), whose branching and weak signatures are used here. Only states
//! whose signature may have changed are looked at, and the largest part of a split block keeps its
//! name, so that a state is renamed at most log n times (Hopcroft's trick for signatures: Jacobs &
//! Wißmann, POPL 2023). All states of a round see the partition of the round before; therefore
//! round k separates exactly the states that k moves of the bisimulation game tell apart, which is
//! what explanations are read from.

use std::ops::Range;
use std::rc::Rc;

use quadrille_model::StateId;
use rustc_hash::FxHashMap;

use super::Bisimulation;
use super::system::{Label, System};

/// A block of the partition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Block(u32);

/// The partition when nothing splits any more, and how it came about.
pub(super) struct Refinement {
    block_of: Vec<Block>,
    /// Per state, the rounds that renamed its block and the new name, ascending.
    renamed: Vec<Vec<(u32, Block)>>,
    n_rounds: u32,
}

impl Refinement {
    /// The block of a state when `round` rounds are over.
    pub fn block_after(&self, round: u32, state: StateId) -> Block {
        let renamed = &self.renamed[state.index()];
        let later = renamed.partition_point(|&(when, _)| when <= round);
        later.checked_sub(1).map_or(Block(0), |last| renamed[last].1)
    }

    /// The first round that separates two states.
    pub fn separated(&self, left: StateId, right: StateId) -> Option<u32> {
        if self.block_of[left.index()] == self.block_of[right.index()] {
            return None;
        }
        // Blocks never join again, so the rounds that separate are an upper segment.
        let (mut equal, mut different) = (0, self.n_rounds);
        while equal + 1 < different {
            let middle = u32::midpoint(equal, different);
            if self.block_after(middle, left) == self.block_after(middle, right) {
                equal = middle;
            } else {
                different = middle;
            }
        }
        Some(different)
    }

    /// The classes as states of a quotient, in order of their first members, and their number.
    pub fn classes(&self) -> (Vec<StateId>, usize) {
        let mut number: FxHashMap<Block, StateId> = FxHashMap::default();
        let classes = self.block_of.iter().map(|block| {
            let next = StateId::from_usize(number.len());
            *number.entry(*block).or_insert(next)
        });
        (classes.collect(), number.len())
    }
}

/// Refines until stable. For branching and weak bisimulation the system must come from
/// [`System::without_cycles`]: internal steps lead to lower numbers.
pub(super) fn refine(system: &System, kind: Bisimulation) -> Refinement {
    refine_marking(system, kind, Refiner::mark_changed)
}

/// Refines; after each round that moved states, `mark` says which signatures are computed anew.
fn refine_marking<'a>(
    system: &'a System,
    kind: Bisimulation,
    mark: impl Fn(&mut Refiner<'a>, &[StateId]),
) -> Refinement {
    let n_states = system.n_states();
    let mut refiner = Refiner {
        system,
        kind,
        reversed: system.reversed(),
        partition: Partition::new(n_states),
        sets: Sets::default(),
        signature: vec![SetId(0); n_states],
        reach: vec![SetId(0); n_states],
        changed: system.states().collect(),
        is_changed: vec![true; n_states],
    };
    let mut renamed = vec![Vec::new(); n_states];
    let mut n_rounds = 0;
    while !refiner.changed.is_empty() {
        n_rounds += 1;
        let moved = refiner.round();
        for &state in &moved {
            renamed[state.index()].push((n_rounds, refiner.partition.block_of[state.index()]));
        }
        mark(&mut refiner, &moved);
    }
    Refinement { block_of: refiner.partition.block_of, renamed, n_rounds }
}

struct Refiner<'a> {
    system: &'a System,
    kind: Bisimulation,
    reversed: System,
    partition: Partition,
    sets: Sets,
    /// The signature of each state under the current partition, unless `is_changed`.
    signature: Vec<SetId>,
    /// Weak bisimulation only: the blocks that internal steps reach.
    reach: Vec<SetId>,
    /// States whose signature may have changed.
    changed: Vec<StateId>,
    is_changed: Vec<bool>,
}

impl Refiner<'_> {
    /// Computes the changed signatures, splits, and returns the states whose block got a new name.
    fn round(&mut self) -> Vec<StateId> {
        // Ascending: targets of internal steps come first.
        self.changed.sort_unstable();
        let changed = std::mem::take(&mut self.changed);
        if self.kind == Bisimulation::Weak {
            for &state in &changed {
                self.reach[state.index()] = self.weak_reach(state);
            }
        }
        for &state in &changed {
            self.signature[state.index()] = match self.kind {
                Bisimulation::Strong => self.strong_signature(state),
                Bisimulation::Branching => self.branching_signature(state),
                Bisimulation::Weak => self.weak_signature(state),
            };
        }
        let mut by_block: Vec<(Block, SetId, StateId)> = changed
            .iter()
            .map(|state| {
                let block = self.partition.block_of[state.index()];
                (block, self.signature[state.index()], *state)
            })
            .collect();
        by_block.sort_unstable();
        let mut moved = Vec::new();
        for members in by_block.chunk_by(|left, right| left.0 == right.0) {
            self.split(members, &mut moved);
        }
        for state in changed {
            self.is_changed[state.index()] = false;
        }
        moved
    }

    /// Splits a block, given its changed members with their signatures.
    fn split(&mut self, members: &[(Block, SetId, StateId)], moved: &mut Vec<StateId>) {
        let block = members[0].0;
        let range = self.partition.range(block);
        let n_unchanged = range.len() - members.len();
        let unchanged = (n_unchanged > 0).then(|| {
            let states = &self.partition.order[range];
            let calm = states.iter().find(|state| !self.is_changed[state.index()]);
            self.signature[calm.expect("counted as unchanged").index()]
        });
        let size = |group: &[(Block, SetId, StateId)]| {
            group.len() + if Some(group[0].1) == unchanged { n_unchanged } else { 0 }
        };
        let groups: Vec<_> = members.chunk_by(|left, right| left.1 == right.1).collect();
        let mut kept = (n_unchanged, unchanged);
        for group in &groups {
            if size(group) > kept.0 {
                kept = (size(group), Some(group[0].1));
            }
        }
        let mut leave = |states: &[StateId], partition: &mut Partition| {
            if !states.is_empty() {
                partition.split_off(block, states);
                moved.extend_from_slice(states);
            }
        };
        for group in groups {
            if Some(group[0].1) != kept.1 && Some(group[0].1) != unchanged {
                let states: Vec<StateId> = group.iter().map(|member| member.2).collect();
                leave(&states, &mut self.partition);
            }
        }
        if unchanged.is_some() && unchanged != kept.1 {
            let rest = &self.partition.order[self.partition.range(block)];
            let states: Vec<StateId> = rest
                .iter()
                .copied()
                .filter(|state| Some(self.signature[state.index()]) != kept.1)
                .collect();
            leave(&states, &mut self.partition);
        }
    }

    /// Marks the states whose signature mentions the block of a state that moved.
    fn mark_changed(&mut self, moved: &[StateId]) {
        match self.kind {
            Bisimulation::Strong => self.mark_sources(moved),
            Bisimulation::Branching => {
                self.mark_sources(moved);
                // Steps within its old block are not inert any more.
                for &state in moved {
                    self.mark(state);
                }
                self.mark_backwards(|partition, from, to| {
                    partition.block_of[from.index()] == partition.block_of[to.index()]
                });
            }
            Bisimulation::Weak => {
                for &state in moved {
                    self.mark(state);
                }
                self.mark_backwards(|_, _, _| true);
                let reaching = self.changed.clone();
                self.mark_sources(&reaching);
                self.mark_backwards(|_, _, _| true);
            }
        }
    }

    fn mark(&mut self, state: StateId) {
        if !self.is_changed[state.index()] {
            self.is_changed[state.index()] = true;
            self.changed.push(state);
        }
    }

    fn mark_sources(&mut self, targets: &[StateId]) {
        for &target in targets {
            for position in 0..self.reversed.edges(target).len() {
                self.mark(self.reversed.edges(target)[position].1);
            }
        }
    }

    /// Marks whatever reaches a marked state by internal steps that `follow` admits.
    fn mark_backwards(&mut self, follow: impl Fn(&Partition, StateId, StateId) -> bool) {
        let mut position = 0;
        while let Some(&to) = self.changed.get(position) {
            position += 1;
            let sources: Vec<StateId> = self.reversed.internal(to).collect();
            for from in sources {
                if follow(&self.partition, from, to) {
                    self.mark(from);
                }
            }
        }
    }

    fn pair(&self, label: Label, to: StateId) -> u64 {
        pack(label, self.partition.block_of[to.index()])
    }

    fn strong_signature(&mut self, state: StateId) -> SetId {
        let mut set = self.sets.scratch();
        set.extend(self.system.edges(state).iter().map(|&(label, to)| self.pair(label, to)));
        self.sets.intern(set)
    }

    /// What inert internal steps (those within the block) followed by one other step reach.
    fn branching_signature(&mut self, state: StateId) -> SetId {
        let own = self.partition.block_of[state.index()];
        let mut set = self.sets.scratch();
        for &(label, to) in self.system.edges(state) {
            if label == Label::INTERNAL && self.partition.block_of[to.index()] == own {
                set.extend_from_slice(self.sets.get(self.signature[to.index()]));
            } else {
                set.push(self.pair(label, to));
            }
        }
        self.sets.intern(set)
    }

    fn weak_reach(&mut self, state: StateId) -> SetId {
        let mut set = self.sets.scratch();
        set.push(self.pair(Label::INTERNAL, state));
        for to in self.system.internal(state) {
            set.extend_from_slice(self.sets.get(self.reach[to.index()]));
        }
        self.sets.intern(set)
    }

    /// What internal steps reach, and what they reach before and after one other step.
    fn weak_signature(&mut self, state: StateId) -> SetId {
        let mut set = self.sets.scratch();
        set.extend_from_slice(self.sets.get(self.reach[state.index()]));
        for &(label, to) in self.system.visible(state) {
            let reached = self.sets.get(self.reach[to.index()]);
            set.extend(reached.iter().map(|pair| pack(label, unpack_block(*pair))));
        }
        for to in self.system.internal(state) {
            set.extend_from_slice(self.sets.get(self.signature[to.index()]));
        }
        self.sets.intern(set)
    }
}

fn pack(label: Label, block: Block) -> u64 {
    u64::from(label.number()) << 32 | u64::from(block.0)
}

fn unpack_block(pair: u64) -> Block {
    Block(pair as u32)
}

/// A refinable partition: the members of a block are neighbours in `order` (Valmari 2009).
struct Partition {
    block_of: Vec<Block>,
    order: Vec<StateId>,
    position: Vec<u32>,
    ranges: Vec<Range<u32>>,
}

impl Partition {
    fn new(n_states: usize) -> Self {
        let n = u32::try_from(n_states).expect("states are numbered with 32 bits");
        Partition {
            block_of: vec![Block(0); n_states],
            order: (0..n).map(StateId::new).collect(),
            position: (0..n).collect(),
            ranges: std::iter::once(0..n).collect(),
        }
    }

    fn range(&self, block: Block) -> Range<usize> {
        let range = &self.ranges[block.0 as usize];
        range.start as usize..range.end as usize
    }

    /// Makes some members of a block, not all, a block of their own.
    fn split_off(&mut self, block: Block, states: &[StateId]) {
        let new = Block(u32::try_from(self.ranges.len()).expect("no more blocks than states"));
        let old_end = self.ranges[block.0 as usize].end;
        let mut end = old_end;
        for &state in states {
            end -= 1;
            let other = self.order[end as usize];
            let hole = self.position[state.index()];
            self.order.swap(hole as usize, end as usize);
            self.position[other.index()] = hole;
            self.position[state.index()] = end;
            self.block_of[state.index()] = new;
        }
        self.ranges[block.0 as usize].end = end;
        self.ranges.push(end..old_end);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct SetId(u32);

/// Sets of packed (label, block) pairs, each kept once.
#[derive(Default)]
struct Sets {
    by_content: FxHashMap<Rc<[u64]>, SetId>,
    contents: Vec<Rc<[u64]>>,
    scratch: Vec<u64>,
}

impl Sets {
    fn get(&self, set: SetId) -> &[u64] {
        &self.contents[set.0 as usize]
    }

    /// An empty list to fill and to hand to [`Sets::intern`].
    fn scratch(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.scratch)
    }

    fn intern(&mut self, mut set: Vec<u64>) -> SetId {
        set.sort_unstable();
        set.dedup();
        let known = self.by_content.get(set.as_slice()).copied();
        let id = known.unwrap_or_else(|| {
            let id = SetId(u32::try_from(self.contents.len()).expect("fewer sets than 32 bits"));
            let content: Rc<[u64]> = set.as_slice().into();
            self.contents.push(content.clone());
            self.by_content.insert(content, id);
            id
        });
        set.clear();
        self.scratch = set;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::View;
    use crate::equivalence::system::join;
    use crate::random::Random;
    use quadrille_model::ExplicitBuilder;

    /// A sparse system with long ways, so that there are many rounds.
    fn random_system(random: &mut Random) -> System {
        let n_states = 200;
        let mut builder = ExplicitBuilder::default();
        let actions = ["i", "a", "b"].map(|label| builder.action(label));
        builder.initial(StateId::new(0));
        for state in 0..n_states {
            let action = actions[random.below(3) as usize];
            builder.edge(StateId::new(state), action, StateId::new((state + 1) % n_states));
            if random.below(3) == 0 {
                let to = (state + random.below(6)) % n_states;
                builder.edge(StateId::new(state), actions[0], StateId::new(to));
            }
        }
        builder.end(StateId::new(n_states / 2));
        let view = View { internal: ["i".to_owned()].into(), ..View::default() };
        join(&[&builder.build()], &view).system
    }

    #[test]
    fn looking_at_changed_states_only_is_as_good_as_looking_at_all() {
        let mark_all = |refiner: &mut Refiner<'_>, moved: &[StateId]| {
            if !moved.is_empty() {
                for state in refiner.system.states() {
                    refiner.mark(state);
                }
            }
        };
        for seed in 0..60 {
            let system = random_system(&mut Random::new(seed));
            for kind in [Bisimulation::Strong, Bisimulation::Branching, Bisimulation::Weak] {
                let system = match kind {
                    Bisimulation::Strong => system.clone(),
                    _ => system.without_cycles(true).0,
                };
                let fast = refine(&system, kind);
                let slow = refine_marking(&system, kind, mark_all);
                assert!(slow.n_rounds > 3, "seed {seed}, {kind:?}: too easy");
                for round in 0..=slow.n_rounds {
                    let names = |refinement: &Refinement| -> Vec<Block> {
                        system.states().map(|s| refinement.block_after(round, s)).collect()
                    };
                    let pairs: Vec<_> = names(&fast).into_iter().zip(names(&slow)).collect();
                    let mut to_slow = FxHashMap::default();
                    let mut to_fast = FxHashMap::default();
                    for (fast, slow) in pairs {
                        assert_eq!(*to_slow.entry(fast).or_insert(slow), slow, "seed {seed}");
                        assert_eq!(*to_fast.entry(slow).or_insert(fast), fast, "seed {seed}");
                    }
                }
            }
        }
    }
}
