//! `Barrier`, over our own mutex and condition variable.

use ::std::fmt;
use ::std::sync::PoisonError;

use crate::sync::{Condvar, Mutex};

/// A place where a number of threads meet.
pub struct Barrier {
    state: Mutex<Meeting>,
    all_here: Condvar,
    n: usize,
}

struct Meeting {
    count: usize,
    generation: usize,
}

/// Whether the thread was the last to come.
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether it was.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for `n` threads.
    #[must_use]
    pub const fn new(n: usize) -> Barrier {
        let state = Mutex::new(Meeting { count: 0, generation: 0 });
        Barrier { state, all_here: Condvar::new(), n }
    }

    /// Waits for the others.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let mut meeting = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = meeting.generation;
        meeting.count += 1;
        if meeting.count < self.n {
            while meeting.generation == generation {
                meeting = self.all_here.wait(meeting).unwrap_or_else(PoisonError::into_inner);
            }
            return BarrierWaitResult(false);
        }
        meeting.count = 0;
        meeting.generation = meeting.generation.wrapping_add(1);
        self.all_here.notify_all();
        BarrierWaitResult(true)
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").field("is_leader", &self.0).finish()
    }
}
