//! Reachability where there are parallel parts: of each part for itself, and of what follows a fork once all its parts
//! can end. No two parts wait for each other, so nothing is lost by that.

use super::ActRelation;
use crate::plan::GlobalId;
use crate::table::{ForkTable, IDLE, Table};

/// By state: whether the request can be satisfied in it or later, before its part ends; whether the part can end.
#[derive(Debug)]
pub(super) struct PartsReachability {
    wanted: Vec<bool>,
    ends: Vec<bool>,
}

impl PartsReachability {
    pub(super) fn new(table: &Table, relations: &[ActRelation]) -> Self {
        let n_states = table.plan.strict.len();
        let mut made = Self { wanted: vec![false; n_states], ends: vec![false; n_states] };
        // Backwards, as states are numbered in the order in which they are met.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for state in (0..n_states as u32).rev() {
                let (wanted, ends) = made.of_state(table, relations, state);
                let known = (&mut made.wanted[state as usize], &mut made.ends[state as usize]);
                changed |= (wanted && !*known.0) || (ends && !*known.1);
                (*known.0, *known.1) = (wanted, ends);
            }
        }
        made
    }

    fn of_state(&self, table: &Table, relations: &[ActRelation], state: u32) -> (bool, bool) {
        let forks = &table.global.forks;
        let mut wanted = self.wanted[state as usize];
        let mut ends = self.ends[state as usize] || forks.after_part(state).is_some();
        for step in table.global.steps(GlobalId(state)) {
            if forks.is_entry(step.to.0) {
                continue;
            }
            match relations[step.act.index()] {
                ActRelation::Wanted => wanted = true,
                ActRelation::ByOthers => {
                    wanted |= self.wanted[step.to.index()];
                    ends |= self.ends[step.to.index()];
                }
                ActRelation::Excluded => {}
            }
        }
        for (parts, then) in forks.leaving(state) {
            let (some, after) = self.of_parts(parts.iter().map(|&part| self.of(part)), then);
            wanted |= some;
            ends |= after;
        }
        (wanted, ends)
    }

    fn of(&self, state: u32) -> (bool, bool) {
        (self.wanted[state as usize], self.ends[state as usize])
    }

    fn of_parts(&self, parts: impl Iterator<Item = (bool, bool)>, then: u32) -> (bool, bool) {
        let (mut wanted, mut all_end) = (false, true);
        for (some, ends) in parts {
            wanted |= some;
            all_end &= ends;
        }
        (wanted || (all_end && self.wanted[then as usize]), all_end && self.ends[then as usize])
    }

    /// Whether the request can be satisfied from a configuration.
    pub(super) fn holds(&self, table: &Table, slots: &[u32]) -> bool {
        self.of_slot(&table.global.forks, slots, 0).0
    }

    fn of_slot(&self, forks: &ForkTable, slots: &[u32], slot: u32) -> (bool, bool) {
        let value = slots[slot as usize];
        match forks.fork_in(value) {
            None if value == IDLE => (false, false),
            None => self.of(value),
            Some((parts, then)) => {
                self.of_parts(parts.map(|slot| self.of_slot(forks, slots, slot)), then)
            }
        }
    }
}

/// Which forks are over in a search, because all their parts can end.
pub(super) struct Joined {
    /// By slot.
    ended: Vec<bool>,
}

impl Joined {
    pub(super) fn new(forks: &ForkTable) -> Self {
        Self { ended: vec![false; forks.n_slots()] }
    }

    /// Where it goes on if a state ends the last part of its fork.
    pub(super) fn ended(&mut self, forks: &ForkTable, state: u32) -> Option<u32> {
        let then = forks.after_part(state)?;
        let slot = forks.slot(state);
        self.ended[slot as usize] = true;
        let mut parts = forks.siblings(slot);
        parts.all(|part| self.ended[part as usize]).then_some(then)
    }
}
