//! When a search must stop, and what it tells while it runs. Reads no clock: time and Ctrl-C come
//! from the observer.

use std::ops::ControlFlow;

use quadrille_model::Bound;

use crate::store::MAX_STATES;

/// How much a search may use. `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// States stored; a search stops when it has met more.
    pub states: Option<u64>,
    /// Bytes used for everything that grows with the search.
    pub memory: Option<u64>,
}

/// How far a search has come.
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
    /// Bytes used for everything that grows with the search.
    pub bytes: u64,
}

/// Called every thousand expansions or so; a bound as the answer ends the search.
pub type Observer<'a> = dyn FnMut(&Progress) -> ControlFlow<Bound> + 'a;

/// The observer that lets everything go on.
pub fn unobserved(_: &Progress) -> ControlFlow<Bound> {
    ControlFlow::Continue(())
}

/// How many expansions lie between two calls of the observer: few enough for a model that takes a
/// millisecond for each to be stopped in time.
const INTERVAL: u32 = 1024;

/// States met between two looks at the limits, however few expansions it took: one of a model of many parts may meet
/// thousands of large states.
const MOST_NEW: usize = 1 << 16;

/// Holds a search to its limits. Every algorithm calls [`Watch::check`] once per expansion.
pub(crate) struct Watch<'a> {
    limits: Limits,
    observer: &'a mut Observer<'a>,
    /// Expansions until the observer is called again.
    countdown: u32,
    /// How many states are met by then at most.
    horizon: usize,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(limits: Limits, observer: &'a mut Observer<'a>) -> Self {
        Self { limits, observer, countdown: INTERVAL, horizon: MOST_NEW }
    }

    /// Whether the search may go on. `progress` is asked for only when somebody will look at it.
    #[inline]
    pub(crate) fn check(
        &mut self,
        n_states: usize,
        progress: impl FnOnce() -> Progress,
    ) -> ControlFlow<Bound> {
        let most = self.limits.states.unwrap_or(MAX_STATES).min(MAX_STATES);
        if n_states as u64 > most {
            return ControlFlow::Break(Bound::States(most));
        }
        self.countdown -= 1;
        if self.countdown > 0 && n_states < self.horizon {
            return ControlFlow::Continue(());
        }
        self.countdown = INTERVAL;
        self.horizon = n_states + MOST_NEW;
        let progress = progress();
        match self.limits.memory {
            Some(most) if progress.bytes > most => ControlFlow::Break(Bound::Memory(most)),
            _ => (self.observer)(&progress),
        }
    }
}
