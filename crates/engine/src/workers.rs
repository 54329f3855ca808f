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

impl Workers {
    /// Calls `work` for every item, on all threads, and hands the results to `take`, in order. Nothing
    /// more is begun once `between` says `false` or `take` fails.
    pub(crate) fn in_order<T: Sync, C, R: Send, E>(
        self,
        items: &[T],
        begin: impl Fn() -> C + Sync,
        work: impl Fn(&mut C, &T) -> R + Sync,
        mut between: impl FnMut() -> bool,
        mut take: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut goes_on = true;
        for some in items.chunks(4 * self.number) {
            let results: Vec<Mutex<Option<R>>> = some.iter().map(|_| Mutex::new(None)).collect();
            let helpers = if some.len() > 1 { self } else { Self::default() };
            helpers.share(
                some.iter().zip(&results),
                &begin,
                |own, (item, result)| {
                    let done = work(own, item);
                    *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
                },
                || {
                    goes_on = goes_on && between();
                    goes_on
                },
            );
            for result in results {
                match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    Some(result) if goes_on => take(result)?,
                    _ => return Ok(()),
                }
            }
        }
        Ok(())
    }
}

/// One thread.
impl Default for Workers {
    fn default() -> Self {
        Self::new(1)
    }
}
