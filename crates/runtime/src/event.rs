//! Waiting for something that others bring about: one role waits, many notify. Knows nothing of what is
//! waited for: whoever waits brings a function that looks.
//!
//! Nobody loses a wake-up, by the argument of Dekker: a notifier first makes its change, then looks whether
//! somebody waits; the role first says that it waits, then looks whether there is a change. A
//! sequentially consistent fence stands between the two on either side, so one of them sees the other.

use std::mem;
use std::sync::PoisonError;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use crate::sync::{
    AtomicBool, AtomicU32, Mutex, Ordering, Thread, current, fence, park, park_timeout, patience,
    spin_loop, yield_now,
};

/// Something may have happened for the one role that waits for it.
#[derive(Debug)]
#[repr(align(128))] // notifiers read `waiting` all the time: nothing that is written often may be beside it
pub struct Event {
    /// Whether a thread or task sleeps or is about to.
    waiting: AtomicBool,
    /// How often looking again is worth it, as far as the role has learnt.
    spins: AtomicU32,
    /// Who is to be woken. Written only by a role that is about to sleep and by whoever wakes it.
    waiter: Mutex<Option<Waiter>>,
}

#[derive(Debug)]
enum Waiter {
    Thread(Thread),
    Task(Waker),
}

impl Default for Event {
    fn default() -> Self {
        Self::new()
    }
}

impl Event {
    /// Nobody waits, nothing happened.
    pub fn new() -> Self {
        Self {
            waiting: AtomicBool::new(false),
            spins: AtomicU32::new(patience().spins.end() / 4),
            waiter: Mutex::new(None),
        }
    }

    /// Tells the role to look again. Everything that the caller did before is seen by it. Costs a fence and a
    /// load while the role does not sleep.
    #[inline]
    pub fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    /// Whether the role registered to sleep and nobody notified it since.
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Acquire)
    }

    /// Blocks the thread until `ready` gives something; `None` if that does not happen before the
    /// deadline. Looks a while, lets others run, then sleeps.
    ///
    /// Only one thread or task may wait for an event at a time: of two, one would sleep for ever.
    pub fn wait<R>(
        &self,
        mut ready: impl FnMut() -> Option<R>,
        deadline: Option<Instant>,
    ) -> Option<R> {
        if let Some(result) = self.spin(&mut ready) {
            return Some(result);
        }
        loop {
            self.register(Waiter::Thread(current()));
            let result = ready();
            if result.is_some() || !sleep(deadline) {
                self.withdraw();
                return result;
            }
        }
    }

    /// Looks once; if there is nothing, the task is woken by the next notification.
    ///
    /// Only one thread or task may wait for an event at a time: of two, one would sleep for ever.
    pub fn poll<R>(
        &self,
        context: &mut Context<'_>,
        mut ready: impl FnMut() -> Option<R>,
    ) -> Poll<R> {
        if let Some(result) = ready() {
            return Poll::Ready(result);
        }
        self.register(Waiter::Task(context.waker().clone()));
        match ready() {
            Some(result) => {
                self.withdraw();
                Poll::Ready(result)
            }
            None => Poll::Pending,
        }
    }

    /// Says that the role does not wait any more, as when a future is dropped. It may still be woken once,
    /// for nothing.
    pub fn withdraw(&self) {
        self.set(None);
    }

    /// Looks without sleeping, and learns for the next time how long that is worth it.
    fn spin<R>(&self, ready: &mut impl FnMut() -> Option<R>) -> Option<R> {
        let patience = patience();
        let budget = self.spins.load(Ordering::Relaxed);
        for _ in 0..budget {
            if let Some(result) = ready() {
                if budget < *patience.spins.end() {
                    self.spins.store(budget * 2, Ordering::Relaxed);
                }
                return Some(result);
            }
            spin_loop();
        }
        if budget > *patience.spins.start() {
            self.spins.store(budget / 2, Ordering::Relaxed);
        }
        for _ in 0..patience.yields {
            if let Some(result) = ready() {
                return Some(result);
            }
            yield_now();
        }
        None
    }

    /// Says that the role is about to sleep; what others did before they could know that is seen by the
    /// caller from here on.
    fn register(&self, waiter: Waiter) {
        self.set(Some(waiter));
        fence(Ordering::SeqCst);
    }

    fn set(&self, waiter: Option<Waiter>) {
        let mut place = self.waiter.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.store(waiter.is_some(), Ordering::Relaxed);
        let before = mem::replace(&mut *place, waiter);
        // A waker may do anything when it is dropped, even notify.
        drop(place);
        drop(before);
    }

    #[cold]
    fn wake(&self) {
        let waiter = {
            let mut waiter = self.waiter.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody is here if another notifier was faster. Had the role registered again since, it would
            // be here, because that takes the same lock.
            self.waiting.store(false, Ordering::Relaxed);
            waiter.take()
        };
        match waiter {
            Some(Waiter::Thread(thread)) => thread.unpark(),
            Some(Waiter::Task(waker)) => waker.wake(),
            None => {}
        }
    }
}

/// Sleeps until woken, perhaps for nothing; `false` if the deadline is over.
fn sleep(deadline: Option<Instant>) -> bool {
    let Some(deadline) = deadline else {
        park();
        return true;
    };
    #[allow(clippy::disallowed_methods)] // a time-out is what the caller asked for
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return false;
    }
    park_timeout(left);
    true
}
