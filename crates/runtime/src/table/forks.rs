//! Forks of an automaton, compiled: which part a state belongs to, and steps that start parts.
//!
//! A configuration is a vector of slots, one for the automaton itself and one for each part of each fork. A slot holds a
//! state, or a fork whose parts are under way, or nothing. Steps lead to a state, or to an *entry*: forks that begin, and
//! the state after the first step of the part in which the step is.

use super::PlanError;
use crate::structure::Fork;

/// What a slot holds where its automaton is not under way.
pub(crate) const IDLE: u32 = u32::MAX;

/// The forks of one automaton.
#[derive(Debug, Default)]
pub(crate) struct ForkTable {
    n_states: u32,
    forks: Vec<ForkRow>,
    /// By state: its slot.
    slots: Vec<u32>,
    /// By state: whether it ends a part.
    ends_part: Vec<bool>,
    /// By state: the forks that leave it.
    leaving: Vec<Vec<u32>>,
    entries: Vec<Entry>,
    n_slots: u32,
}

#[derive(Debug)]
struct ForkRow {
    parts: Vec<u32>,
    then: u32,
    /// The slot of its first part.
    first_slot: u32,
    /// The slot that it is in.
    slot: u32,
}

/// Forks that begin with a step, outermost first, and the state after it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    forks: Vec<u32>,
    to: u32,
}

impl ForkTable {
    /// `targets` are the steps of each state.
    pub(super) fn new(
        n_states: usize,
        forks: &[Fork],
        targets: &dyn Fn(u32) -> Vec<u32>,
    ) -> Result<Self, PlanError> {
        let in_range = |state: &u32| (*state as usize) < n_states;
        for fork in forks {
            let all = fork.at.iter().chain(&fork.parts).chain([&fork.then]);
            if let Some(&index) = all.clone().find(|state| !in_range(state)) {
                return Err(PlanError::OutOfRange { list: "forks", index });
            }
            if fork.parts.is_empty() || fork.at.is_empty() {
                return Err(PlanError::Empty { list: "parts of a fork" });
            }
        }
        let mut table = Self {
            n_states: n_states as u32,
            forks: Vec::new(),
            slots: vec![0; n_states],
            ends_part: vec![false; n_states],
            leaving: vec![Vec::new(); n_states],
            entries: Vec::new(),
            n_slots: 1,
        };
        for (number, fork) in forks.iter().enumerate() {
            for &at in &fork.at {
                table.leaving[at as usize].push(number as u32);
            }
            let first_slot = table.n_slots;
            table.n_slots += fork.parts.len() as u32;
            let (parts, then) = (fork.parts.clone(), fork.then);
            table.forks.push(ForkRow { parts, then, first_slot, slot: 0 });
        }
        for fork in 0..table.forks.len() {
            for part in 0..table.forks[fork].parts.len() {
                let slot = table.forks[fork].first_slot + part as u32;
                table.settle(table.forks[fork].parts[part], slot, targets);
            }
        }
        for (number, fork) in forks.iter().enumerate() {
            table.forks[number].slot = table.slots[fork.at[0] as usize];
        }
        Ok(table)
    }

    /// Marks the states of a part.
    fn settle(&mut self, start: u32, slot: u32, targets: &dyn Fn(u32) -> Vec<u32>) {
        let mut stack = vec![start];
        while let Some(state) = stack.pop() {
            if std::mem::replace(&mut self.slots[state as usize], slot) == slot {
                continue;
            }
            let next = targets(state);
            let inner = &self.leaving[state as usize];
            self.ends_part[state as usize] = next.is_empty() && inner.is_empty();
            stack.extend(inner.iter().map(|&inner| self.forks[inner as usize].then));
            stack.extend(next);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forks.is_empty()
    }

    pub(crate) fn n_slots(&self) -> usize {
        self.n_slots.max(1) as usize
    }

    /// How many values a slot has, without [`IDLE`].
    #[cfg(feature = "explore")]
    pub(crate) fn n_values(&self) -> u32 {
        self.n_states + self.forks.len() as u32
    }

    /// How many states there are.
    pub(crate) fn n_states(&self) -> u32 {
        self.n_states
    }

    /// How many states and entries there are.
    pub(crate) fn n_targets(&self) -> u32 {
        self.n_states + self.entries.len() as u32
    }

    /// The slot of a state.
    pub(crate) fn slot(&self, state: u32) -> u32 {
        self.slots.get(state as usize).copied().unwrap_or(0)
    }

    /// The first steps of the forks that leave a state: a state in which a part begins, and where a step from it to
    /// `to` leads here. `steps` gives the targets of a state, in the same order for every call.
    pub(super) fn entering(&mut self, state: u32, step: &mut dyn FnMut(&mut Self, &[u32], u32)) {
        self.enter(state, &mut Vec::new(), step);
    }

    fn enter(
        &mut self,
        state: u32,
        begun: &mut Vec<u32>,
        step: &mut dyn FnMut(&mut Self, &[u32], u32),
    ) {
        for position in 0..self.leaving.get(state as usize).map_or(0, Vec::len) {
            let fork = self.leaving[state as usize][position];
            begun.push(fork);
            for part in 0..self.forks[fork as usize].parts.len() {
                let start = self.forks[fork as usize].parts[part];
                step(self, begun, start);
                self.enter(start, begun, step);
            }
            begun.pop();
        }
    }

    /// The number by which a step names an entry.
    pub(super) fn entry(&mut self, forks: &[u32], to: u32) -> u32 {
        self.entries.push(Entry { forks: forks.to_vec(), to });
        self.n_states + self.entries.len() as u32 - 1
    }

    /// Whether a target is an entry.
    pub(crate) fn is_entry(&self, to: u32) -> bool {
        to >= self.n_states && !self.is_empty()
    }

    /// The state after a step, whether or not forks begin.
    pub(crate) fn landing(&self, to: u32) -> u32 {
        if self.is_entry(to) { self.entries[(to - self.n_states) as usize].to } else { to }
    }

    /// The states that may come to be under way when a state is entered: itself, the parts of forks that begin with a
    /// step to it, and what follows its part.
    pub(crate) fn consequences(&self, to: u32, mut visit: impl FnMut(u32)) {
        visit(self.landing(to));
        if self.is_entry(to) {
            for &fork in &self.entries[(to - self.n_states) as usize].forks {
                self.forks[fork as usize].parts.iter().for_each(|&part| visit(part));
            }
        }
        let mut state = self.landing(to);
        while let Some(then) = self.after_part(state) {
            visit(then);
            state = then;
        }
    }

    /// Where it goes on after a state that ends a part.
    pub(crate) fn after_part(&self, state: u32) -> Option<u32> {
        let ends = self.ends_part.get(state as usize).copied().unwrap_or(false);
        ends.then(|| self.forks[self.fork_of(self.slot(state)) as usize].then)
    }

    /// The forks that leave a state, with their parts and what follows them.
    pub(crate) fn leaving(&self, state: u32) -> impl Iterator<Item = (&[u32], u32)> {
        let leaving = self.leaving.get(state as usize).map_or(&[][..], Vec::as_slice);
        leaving.iter().map(|&fork| {
            let ForkRow { parts, then, .. } = &self.forks[fork as usize];
            (parts.as_slice(), *then)
        })
    }

    /// The slots of the parts of a fork that a slot holds, and what follows them.
    pub(crate) fn fork_in(&self, value: u32) -> Option<(std::ops::Range<u32>, u32)> {
        let row = self.forks.get(value.checked_sub(self.n_states)? as usize)?;
        Some((row.first_slot..row.first_slot + row.parts.len() as u32, row.then))
    }

    /// The slots of all parts beside one, with it.
    pub(crate) fn siblings(&self, slot: u32) -> std::ops::Range<u32> {
        let row = &self.forks[self.fork_of(slot) as usize];
        row.first_slot..row.first_slot + row.parts.len() as u32
    }

    /// The fork whose part a slot belongs to.
    fn fork_of(&self, slot: u32) -> u32 {
        let after = self.forks.partition_point(|fork| fork.first_slot <= slot);
        after as u32 - 1
    }

    /// The first configuration.
    pub(crate) fn start(&self) -> Vec<u32> {
        let mut slots = vec![IDLE; self.n_slots()];
        slots[0] = 0;
        slots
    }

    /// Takes a step from a state in a slot: begins forks, and joins those whose parts have all ended.
    pub(crate) fn go(&self, slots: &mut [u32], slot: u32, to: u32) {
        let mut slot = slot;
        if self.is_entry(to) {
            let Entry { forks, to } = &self.entries[(to - self.n_states) as usize];
            for &fork in forks {
                let row = &self.forks[fork as usize];
                slots[row.slot as usize] = self.n_states + fork;
                for (part, &start) in row.parts.iter().enumerate() {
                    slots[row.first_slot as usize + part] = start;
                }
            }
            slot = self.slots[*to as usize];
            slots[slot as usize] = *to;
        } else {
            slots[slot as usize] = to;
        }
        while slot != 0 && self.ends_part[slots[slot as usize] as usize] {
            let row = &self.forks[self.fork_of(slot) as usize];
            let parts = row.first_slot as usize..row.first_slot as usize + row.parts.len();
            let is_over =
                |&state: &u32| self.ends_part.get(state as usize).copied().unwrap_or(false);
            if !slots[parts.clone()].iter().all(is_over) {
                return;
            }
            slots[parts].fill(IDLE);
            slots[row.slot as usize] = row.then;
            slot = row.slot;
        }
    }

    /// The states that are under way, in the order of slots.
    pub(crate) fn under_way(&self, slots: &[u32], visit: impl FnMut(u32)) {
        slots.iter().copied().filter(|&value| value < self.n_states).for_each(visit);
    }
}
