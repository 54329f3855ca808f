//! A number of executions that each follow from a seed of their own, of which parts can be lent.

use super::PartId;

/// Fewer executions than this are not worth lending.
const LEAST_LENT: u64 = 32;

/// Executions with seeds one after the other.
#[derive(Clone, Debug)]
pub(super) struct Seeded {
    seed: u64,
    started: u64,
    executions: u64,
    /// Parts at the end that other workers explore.
    n_lent: u32,
}

impl Seeded {
    pub(super) fn new(seed: u64, executions: u64) -> Seeded {
        Seeded { seed, started: 0, executions, n_lent: 0 }
    }

    /// The seed of the next execution, if there is one left here.
    pub(super) fn next(&mut self) -> Option<u64> {
        if self.started == self.executions {
            return None;
        }
        self.started += 1;
        Some(self.seed.wrapping_add(self.started - 1))
    }

    /// Lends the second half of what is left: its seed, and how many executions it has.
    pub(super) fn lend(&mut self) -> Option<(PartId, u64, u64)> {
        let half = (self.executions - self.started) / 2;
        if half < LEAST_LENT {
            return None;
        }
        self.executions -= half;
        self.n_lent += 1;
        Some((PartId(self.n_lent), self.seed.wrapping_add(self.executions), half))
    }

    /// The part that comes next.
    pub(super) fn awaited(&self) -> Option<PartId> {
        (self.n_lent > 0).then_some(PartId(self.n_lent))
    }

    pub(super) fn take_back(&mut self) {
        self.n_lent -= 1;
    }
}
