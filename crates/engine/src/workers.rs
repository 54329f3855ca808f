//! Work shared out among threads. Knows nothing of models: what is shared and in which order results
//! are taken is up to the caller.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many threads expand states side by side. What a walk reports does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    number: usize,
    /// From how many states on that wait to be expanded they are shared out.
    least: usize,
}

/// Below this many waiting states one thread is faster than starting others.
const LEAST: usize = 1 << 12;

impl Workers {
    /// This many threads; at least one.
    pub fn new(number: usize) -> Self {
        Self { number: number.max(1), least: LEAST }
    }

    /// This many threads even where one is faster: for tests on small models.
    pub fn eager(number: usize) -> Self {
        Self { least: 1, ..Self::new(number) }
    }

    /// How many there are.
    pub fn number(self) -> usize {
        self.number
    }

    /// Whether this many waiting states are worth sharing.
    pub(crate) fn suit(self, n_waiting: usize) -> bool {
        n_waiting >= self.least
    }

    /// Calls `work` for every item, on all threads. Each thread begins with a value of its own; the
    /// calling one looks up by `between` after each of its items, and nothing more is begun once that
    /// says `false`.
    pub(crate) fn share<T: Send, C>(
        self,
        items: impl Iterator<Item = T> + Send,
        begin: impl Fn() -> C + Sync,
        work: impl Fn(&mut C, T) + Sync,
        mut between: impl FnMut() -> bool,
    ) {
        let queue = Mutex::new(Some(items));
        let take = || {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.as_mut().and_then(Iterator::next)
        };
        let help = || {
            let mut own = begin();
            while let Some(item) = take() {
                work(&mut own, item);
            }
        };
        thread::scope(|scope| {
            let helpers: Vec<_> = (1..self.number).map(|_| scope.spawn(help)).collect();
            let mut own = begin();
            while let Some(item) = take() {
                work(&mut own, item);
                if !between() {
                    *queue.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
            }
            for helper in helpers {
                if let Err(panic) = helper.join() {
                    resume_unwind(panic);
                }
            }
        });
    }
}

/// One thread.
impl Default for Workers {
    fn default() -> Self {
        Self::new(1)
    }
}
