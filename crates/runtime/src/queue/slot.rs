//! A queue of one producer that holds one element: a cell and one atomic that says whether it is full.
//!
//! Invariant: only the producer sets `full`, only the consumer clears it. So what either side waits for stays true until it
//! acts, and the cell belongs to the producer while `full` is clear and to the consumer while it is set.

use std::fmt;

use super::cell::{Cell, Padded, fetch_to_write};
use crate::sync::{Arc, AtomicBool, Ordering};

struct Slot<T> {
    full: AtomicBool,
    cell: Cell<T>,
}

/// The producing half.
pub(super) struct SlotProducer<T>(Arc<Padded<Slot<T>>>);

/// The consuming half.
pub(super) struct SlotConsumer<T>(Arc<Padded<Slot<T>>>);

pub(super) fn halves<T: Send>() -> (SlotProducer<T>, SlotConsumer<T>) {
    let slot = Arc::new(Padded(Slot { full: AtomicBool::new(false), cell: Cell::empty() }));
    (SlotProducer(slot.clone()), SlotConsumer(slot))
}

impl<T: Send> SlotProducer<T> {
    /// Puts an element at the end.
    ///
    /// # Safety
    /// There was room, and nothing was put there since.
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, element: T) {
        // SAFETY: `full` is off, so the cell is the producer's; `&mut self` of its only half is here. The
        // acquiring load in `has_room` saw the consumer's release, which came after it had read the cell.
        unsafe { self.0.cell.put(element) };
        self.0.full.store(true, Ordering::Release);
    }

    /// Whether there is room, for a producer that fills it at once: fetches the cache line for writing, or else it would
    /// move twice.
    #[inline(always)]
    pub(super) fn is_free(&mut self) -> bool {
        fetch_to_write(&self.0.full);
        self.has_room()
    }

    #[inline(always)]
    pub(super) fn has_room(&mut self) -> bool {
        !self.0.full.load(Ordering::Acquire)
    }

    pub(super) fn len(&self) -> usize {
        self.0.full.load(Ordering::Acquire).into()
    }
}

impl<T: Send> SlotConsumer<T> {
    #[inline(always)]
    pub(super) fn is_ready(&mut self) -> bool {
        self.0.full.load(Ordering::Acquire)
    }

    /// Takes the element at the front.
    ///
    /// # Safety
    /// The queue was ready, and nothing was taken since.
    #[inline(always)]
    pub(super) unsafe fn take(&mut self) -> T {
        // SAFETY: `full` is on, so the cell is full and the consumer's; `&mut self` of its only half is here. The
        // acquiring load in `is_ready` saw the producer's release, which came after it had written the cell.
        let element = unsafe { self.0.cell.take() };
        self.0.full.store(false, Ordering::Release);
        element
    }

    /// Looks at the element at the front.
    ///
    /// # Safety
    /// As for `take`.
    #[inline(always)]
    pub(super) unsafe fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: as in `take`; the cell stays the consumer's while `self` is borrowed.
        unsafe { self.0.cell.look(look) }
    }

    pub(super) fn for_each(&self, look: impl FnMut(&T)) {
        if self.0.full.load(Ordering::Acquire) {
            // SAFETY: `full` is on, so the producer does not write; taking needs `&mut self`, which cannot
            // be while `self` is borrowed.
            unsafe { self.0.cell.look(look) };
        }
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        // The halves that were dropped before synchronised through the count of the `Arc`.
        if self.full.load(Ordering::Relaxed) {
            // SAFETY: the cell is full, and this is the last owner of the slot.
            drop(unsafe { self.cell.take() });
        }
    }
}

// SAFETY: elements go from one thread to another, which `Send` allows; the cell is shared as the invariant of
// the file says, never by two threads at once but for reading by `Pop::for_each`, and the public `Receiver`
// is `Sync` only if `T` is.
unsafe impl<T: Send> Sync for Slot<T> {}
// SAFETY: it owns an element at most.
unsafe impl<T: Send> Send for Slot<T> {}

impl<T> fmt::Debug for SlotProducer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}

impl<T> fmt::Debug for SlotConsumer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}
