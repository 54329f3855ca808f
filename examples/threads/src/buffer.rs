//! A bounded buffer for several producers and consumers, with one condition variable for all.

use std::collections::VecDeque;

use quadrille_sim_std::sync::{Condvar, Mutex, PoisonError};

/// Whom a change wakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakes {
    /// All threads that wait.
    All,
    /// One thread. The error: it may be one that waits for the opposite change, and then the threads
    /// that wait for this one sleep on.
    One,
}

/// A queue of limited length.
pub struct Buffer<T> {
    items: Mutex<VecDeque<T>>,
    changed: Condvar,
    capacity: usize,
    wakes: Wakes,
}

impl<T> Buffer<T> {
    /// A buffer that is empty.
    #[must_use]
    pub fn new(capacity: usize, wakes: Wakes) -> Self {
        Self { items: Mutex::default(), changed: Condvar::new(), capacity, wakes }
    }

    /// Waits for room and appends.
    pub fn put(&self, item: T) {
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        while items.len() == self.capacity {
            items = self.changed.wait(items).unwrap_or_else(PoisonError::into_inner);
        }
        items.push_back(item);
        self.wake();
    }

    /// Waits for an item and takes it.
    pub fn take(&self) -> T {
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(item) = items.pop_front() {
                self.wake();
                return item;
            }
            items = self.changed.wait(items).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wake(&self) {
        match self.wakes {
            Wakes::All => self.changed.notify_all(),
            Wakes::One => self.changed.notify_one(),
        }
    }
}
