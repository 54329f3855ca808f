//! When a computation must stop, and what it tells while it runs. One [`Watch`] goes through every
//! phase of a check; it sees every byte that grows with the model. Reads no clock: time and Ctrl-C
//! come from the observer.

use std::ops::ControlFlow;

use quadrille_model::Bound;

use crate::store::MAX_STATES;

/// How much a check may use. `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// States of the model that are stored, nodes of a product, nodes of a diagram.
    pub states: Option<u64>,
    /// Bytes allocated for everything that grows with the model.
    pub memory: Option<u64>,
}

/// How far a computation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// States met.
    pub states: u64,
    /// Edges met.
    pub transitions: u64,
    /// Steps from an initial state (breadth-first search only).
    pub depth: Option<u64>,
    /// States met but not expanded yet.
    pub frontier: u64,
    /// Bytes allocated for everything that grows with the model.
    pub bytes: u64,
}

/// Called every thousand expansions or so, and at least as often in phases that expand nothing; a
/// bound as the answer ends the computation.
pub type Observer<'a> = dyn FnMut(&Progress) -> ControlFlow<Bound> + 'a;

/// The observer that lets everything go on.
pub fn unobserved(_: &Progress) -> ControlFlow<Bound> {
    ControlFlow::Continue(())
}

/// How many expansions lie between two calls of the observer: few enough for a model that takes a
/// millisecond for each to be stopped in time.
const INTERVAL: u32 = 1024;

/// Check limits at least every 65,536 new states: one expansion can add thousands.
const MOST_NEW: usize = 1 << 16;

/// Units of [`Watch::work`] that cost about as much as one expansion.
const WORK: u32 = 64;

/// Holds a computation to its limits.
pub struct Watch<'a> {
    limits: Limits,
    observer: &'a mut Observer<'a>,
    /// Expansions until the observer is called again.
    countdown: u32,
    /// Units of work until that counts as an expansion.
    work: u32,
    /// How many states are met by then at most.
    horizon: usize,
    /// What the observer was told last.
    last: Progress,
    /// Bytes of results that a phase left for the next ones, which do not count them.
    held: usize,
    /// The most bytes that were seen.
    peak: u64,
}

impl<'a> Watch<'a> {
    /// Nothing is spent yet.
    pub fn new(limits: Limits, observer: &'a mut Observer<'a>) -> Self {
        let last = Progress::default();
        Self {
            limits,
            observer,
            countdown: INTERVAL,
            work: 0,
            horizon: MOST_NEW,
            last,
            held: 0,
            peak: 0,
        }
    }

    /// The most bytes that were seen.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// Counts bytes from now on, whatever phase follows.
    pub fn hold(&mut self, bytes: usize) {
        self.held += bytes;
    }

    /// Replaces the limit of states, and gives the one that was there.
    pub(crate) fn limit_states(&mut self, states: Option<u64>) -> Option<u64> {
        std::mem::replace(&mut self.limits.states, states)
    }

    /// How many states may be stored.
    pub(crate) fn most_states(&self) -> u64 {
        self.limits.states.unwrap_or(MAX_STATES).min(MAX_STATES)
    }

    /// Whether an expansion, or a node of a product, may follow this one. `progress` is computed
    /// only when the observer will see it.
    #[inline]
    pub(crate) fn check(
        &mut self,
        n_states: usize,
        progress: impl FnOnce() -> Progress,
    ) -> Result<(), Bound> {
        if n_states as u64 > self.most_states() {
            return Err(Bound::States(self.most_states()));
        }
        self.countdown -= 1;
        if self.countdown > 0 && n_states < self.horizon {
            return Ok(());
        }
        self.horizon = n_states + MOST_NEW;
        self.look(progress())
    }

    /// The same after several expansions.
    pub(crate) fn check_after(
        &mut self,
        n_expanded: usize,
        n_states: usize,
        progress: impl FnOnce() -> Progress,
    ) -> Result<(), Bound> {
        let others = u32::try_from(n_expanded).unwrap_or(u32::MAX).saturating_sub(1);
        self.countdown = self.countdown.saturating_sub(others).max(1);
        self.check(n_states, progress)
    }

    /// Whether a phase that expands no states may go on after some steps of work. `bytes` is what
    /// is allocated at this moment for everything that is not held.
    #[inline]
    pub fn work(&mut self, amount: usize, bytes: impl FnOnce() -> usize) -> Result<(), Bound> {
        self.work = self.work.saturating_add(u32::try_from(amount).unwrap_or(u32::MAX));
        if self.work < INTERVAL * WORK {
            return Ok(());
        }
        self.work = 0;
        self.look(Progress { bytes: bytes() as u64, ..self.last })
    }

    /// Whether memory is limited, so that it is worth time.
    pub(crate) fn limits_memory(&self) -> bool {
        self.limits.memory.is_some()
    }

    /// Whether to go on waiting for workers, who change nothing that is counted.
    pub(crate) fn wait(&mut self) -> Result<(), Bound> {
        match (self.observer)(&self.last) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(bound) => Err(bound),
        }
    }

    /// Compares with the limit of memory now: before or after a large allocation.
    pub fn allocated(&mut self, bytes: usize) -> Result<(), Bound> {
        self.look(Progress { bytes: bytes as u64, ..self.last })
    }

    fn look(&mut self, mut progress: Progress) -> Result<(), Bound> {
        self.countdown = INTERVAL;
        progress.bytes += self.held as u64;
        self.peak = self.peak.max(progress.bytes);
        self.last = progress;
        match self.limits.memory {
            Some(most) if progress.bytes > most => Err(Bound::Memory(most)),
            _ => match (self.observer)(&progress) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(bound) => Err(bound),
            },
        }
    }
}
