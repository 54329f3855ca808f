//! How much a symbolic computation may use, and what ends it. Reads no clock: steps are counted, so
//! that the same input always gets the same answer; time and Ctrl-C come from the observer.

use quadrille_engine::{Error, Limits, Observer, Stopped, Watch};
use quadrille_model::{Bound, Problem};

/// What may be spent before another engine is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Nodes that are alive at once.
    pub nodes: u64,
    /// Operations on nodes that were not known already; calls of the model count for several.
    pub steps: u64,
    /// Nodes after which those that nothing needs are given back for the first time.
    pub collect_at: usize,
}

/// Numbers of nodes have 32 bits.
const MOST_NODES: u64 = u32::MAX as u64 - 8;

/// Steps that a call of the model costs.
pub(crate) const CALL: u64 = 4;

/// Steps of work that the watch is told of at a time.
const CHUNK: u64 = 256;

impl Default for Budget {
    fn default() -> Self {
        Self { nodes: MOST_NODES, steps: u64::MAX, collect_at: 1 << 18 }
    }
}

/// Why a symbolic computation ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// A limit of the user was reached, or it failed.
    Stopped(Stopped),
    /// The budget is spent: another engine may do better.
    Budget,
}

impl From<Stopped> for Ended {
    fn from(stopped: Stopped) -> Self {
        Ended::Stopped(stopped)
    }
}

impl From<Bound> for Ended {
    fn from(bound: Bound) -> Self {
        Ended::Stopped(bound.into())
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Ended::Stopped(error.into())
    }
}

impl From<Box<Problem>> for Ended {
    fn from(problem: Box<Problem>) -> Self {
        Ended::Stopped(problem.into())
    }
}

/// Holds a computation to its limits and its budget.
pub struct Meter<'w> {
    watch: Watch<'w>,
    limits: Limits,
    budget: Budget,
    steps: u64,
    /// Steps at which the watch looks next.
    due: u64,
}

impl<'w> Meter<'w> {
    /// Nothing is spent yet.
    pub fn new(limits: Limits, budget: Budget, observer: &'w mut Observer<'w>) -> Self {
        Self { watch: Watch::new(limits, observer), limits, budget, steps: 0, due: CHUNK }
    }

    /// Steps spent so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Spends steps; `bytes` is what is allocated at this moment.
    #[inline]
    pub(crate) fn spend(&mut self, steps: u64, bytes: impl FnOnce() -> usize) -> Result<(), Ended> {
        self.steps += steps;
        if self.steps < self.due {
            return Ok(());
        }
        let amount = (self.steps + CHUNK - self.due) as usize;
        self.due = self.steps + CHUNK;
        if self.steps > self.budget.steps {
            return Err(Ended::Budget);
        }
        Ok(self.watch.work(amount, bytes)?)
    }

    /// Whether there may be this many nodes.
    #[inline]
    pub(crate) fn allow_nodes(&self, nodes: u64) -> Result<(), Ended> {
        match self.limits.states {
            Some(most) if nodes > most => Err(Bound::States(most).into()),
            _ if nodes > self.budget.nodes => Err(Ended::Budget),
            _ => Ok(()),
        }
    }
}
