//! A bounded queue of one producer (Lamport 1983). Each side caches the position of the other, and reloads it only when the
//! cached one says full or empty.
//!
//! Invariant: positions only grow (modulo the word size); `head <= tail <= head + capacity`. The producer
//! alone writes `tail`, the consumer alone `head`. Cells from `head` to `tail` are full and the consumer's,
//! the others empty and the producer's. A copy of the other's position is never ahead of it.

use std::fmt;

use super::cell::{Cell, Padded, fetch_to_read};
use crate::sync::{Arc, AtomicUsize, Ordering};

struct Ring<T> {
    /// The position to take from next.
    head: Padded<AtomicUsize>,
    /// The position to put to next.
    tail: Padded<AtomicUsize>,
    /// A power of two of them, so that positions may wrap around.
    cells: Box<[Cell<T>]>,
    capacity: usize,
}

/// The producing half.
pub(super) struct RingProducer<T> {
    ring: Arc<Ring<T>>,
    tail: usize,
    /// A position the consumer has reached.
    head_seen: usize,
}

/// The consuming half.
pub(super) struct RingConsumer<T> {
    ring: Arc<Ring<T>>,
    head: usize,
    /// A position the producer has reached.
    tail_seen: usize,
}

pub(super) fn halves<T: Send>(capacity: usize, start: usize) -> (RingProducer<T>, RingConsumer<T>) {
    let capacity = capacity.max(1);
    let ring = Arc::new(Ring {
        head: Padded(AtomicUsize::new(start)),
        tail: Padded(AtomicUsize::new(start)),
        cells: (0..capacity.next_power_of_two()).map(|_| Cell::empty()).collect(),
        capacity,
    });
    let push = RingProducer { ring: ring.clone(), tail: start, head_seen: start };
    let pop = RingConsumer { ring, head: start, tail_seen: start };
    (push, pop)
}

impl<T> Ring<T> {
    /// How many cells ahead the consumer fetches memory, where several cells share a cache line: about two lines.
    /// Larger elements are fetched as quickly by themselves.
    const AHEAD: usize =
        if size_of::<Cell<T>>() <= 16 { 128 / (size_of::<Cell<T>>() + 1) } else { usize::MAX };

    #[inline(always)]
    fn cell(&self, position: usize) -> &Cell<T> {
        &self.cells[position & (self.cells.len() - 1)]
    }
}

impl<T: Send> RingProducer<T> {
    /// Puts an element at the end.
    ///
    /// # Safety
    /// There was room, and nothing was put there since.
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, element: T) {
        // SAFETY: `tail` is less than `capacity` ahead of `head`, so its cell is the producer's; `&mut self`
        // of its only half is here. The acquiring load of `head` saw the consumer's release, which came after
        // it had read the cell one lap ago.
        unsafe { self.ring.cell(self.tail).put(element) };
        self.tail = self.tail.wrapping_add(1);
        self.ring.tail.store(self.tail, Ordering::Release);
    }

    #[inline(always)]
    pub(super) fn has_room(&mut self) -> bool {
        if self.tail.wrapping_sub(self.head_seen) < self.ring.capacity {
            return true;
        }
        self.head_seen = self.ring.head.load(Ordering::Acquire);
        self.tail.wrapping_sub(self.head_seen) < self.ring.capacity
    }

    pub(super) fn len(&self) -> usize {
        let head = self.ring.head.load(Ordering::Acquire);
        self.tail.wrapping_sub(head)
    }
}

impl<T: Send> RingConsumer<T> {
    /// Takes the element at the front.
    ///
    /// # Safety
    /// The queue was ready, and nothing was taken since.
    #[inline(always)]
    pub(super) unsafe fn take(&mut self) -> T {
        // SAFETY: `head` is behind `tail`, so its cell is full and the consumer's; `&mut self` of its only
        // half is here. The acquiring load of `tail` saw the producer's release, which came after it had
        // written the cell.
        let element = unsafe { self.ring.cell(self.head).take() };
        if self.tail_seen.wrapping_sub(self.head) > Ring::<T>::AHEAD {
            fetch_to_read(self.ring.cell(self.head.wrapping_add(Ring::<T>::AHEAD)));
        }
        self.head = self.head.wrapping_add(1);
        self.ring.head.store(self.head, Ordering::Release);
        element
    }

    /// Looks at the element at the front.
    ///
    /// # Safety
    /// As for `take`.
    #[inline(always)]
    pub(super) unsafe fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: as in `take`; the cell stays the consumer's while `self` is borrowed.
        unsafe { self.ring.cell(self.head).look(look) }
    }

    #[inline(always)]
    pub(super) fn is_ready(&mut self) -> bool {
        if self.head != self.tail_seen {
            return true;
        }
        self.tail_seen = self.ring.tail.load(Ordering::Acquire);
        self.head != self.tail_seen
    }

    pub(super) fn for_each(&self, mut look: impl FnMut(&T)) {
        let tail = self.ring.tail.load(Ordering::Acquire);
        for ahead in 0..tail.wrapping_sub(self.head) {
            let position = self.head.wrapping_add(ahead);
            // SAFETY: the position is behind `tail`, so its cell is full; the producer does not write it, and
            // taking needs `&mut self`, which cannot be while `self` is borrowed.
            unsafe { self.ring.cell(position).look(&mut look) };
        }
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        // The halves that were dropped before synchronised through the count of the `Arc`.
        let tail = self.tail.load(Ordering::Relaxed);
        let mut head = self.head.load(Ordering::Relaxed);
        while head != tail {
            // SAFETY: the cell is between `head` and `tail`, so full, and this is the last owner of the ring.
            drop(unsafe { self.cell(head).take() });
            head = head.wrapping_add(1);
        }
    }
}

// SAFETY: elements go from one thread to another, which `Send` allows; cells are shared as the invariant of the
// file says, never by two threads at once but for reading by `Pop::for_each`, and the public `Receiver` is
// `Sync` only if `T` is.
unsafe impl<T: Send> Sync for Ring<T> {}
// SAFETY: it owns elements.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T> fmt::Debug for RingProducer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ring({})", self.ring.capacity)
    }
}

impl<T> fmt::Debug for RingConsumer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ring({})", self.ring.capacity)
    }
}
