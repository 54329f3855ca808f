//! A queue of several producers that holds a fixed number of elements, after Vyukov's bounded queue: a
//! producer claims a position, then stamps the cell once it is written.
//!
//! Invariant: positions only grow (modulo the word size); `head <= tail <= head + capacity`. A position
//! belongs to the producer that moved `tail` past it until it stamps the cell with the position after it,
//! then to the consumer until it moves `head` past it. The consumer alone writes `head`.

use std::fmt;

use super::cell::{Cell, Padded};
use crate::sync::{Arc, AtomicUsize, Ordering};

struct Inbox<T> {
    /// The position to take from next.
    head: Padded<AtomicUsize>,
    /// The position to claim next.
    tail: Padded<AtomicUsize>,
    /// A power of two of them, so that positions may wrap around.
    cells: Box<[Stamped<T>]>,
    capacity: usize,
}

struct Stamped<T> {
    /// The position after the last one that was written here.
    stamp: AtomicUsize,
    cell: Cell<T>,
}

/// The producing half; the only one of which there may be several.
pub(super) struct InboxProducer<T>(Arc<Inbox<T>>);

/// The consuming half.
pub(super) struct InboxConsumer<T> {
    inbox: Arc<Inbox<T>>,
    head: usize,
}

pub(super) fn halves<T: Send>(
    capacity: usize,
    start: usize,
) -> (InboxProducer<T>, InboxConsumer<T>) {
    let capacity = capacity.max(1);
    // The stamp of the position before the start, which is the last that it can be mistaken for.
    let empty = |_| Stamped { stamp: AtomicUsize::new(start), cell: Cell::empty() };
    let inbox = Arc::new(Inbox {
        head: Padded(AtomicUsize::new(start)),
        tail: Padded(AtomicUsize::new(start)),
        cells: (0..capacity.next_power_of_two()).map(empty).collect(),
        capacity,
    });
    (InboxProducer(inbox.clone()), InboxConsumer { inbox, head: start })
}

impl<T> Inbox<T> {
    #[inline(always)]
    fn at(&self, position: usize) -> &Stamped<T> {
        &self.cells[position & (self.cells.len() - 1)]
    }

    /// Whether the position was written and not yet taken.
    #[inline(always)]
    fn is_written(&self, position: usize) -> bool {
        self.at(position).stamp.load(Ordering::Acquire) == position.wrapping_add(1)
    }

    /// Whether `tail` can be claimed. It was read before the head, so it may be behind it; then another producer has
    /// claimed it.
    #[inline(always)]
    fn has_room_at(&self, tail: usize) -> bool {
        let head = self.head.load(Ordering::Acquire);
        tail.wrapping_sub(head).cast_signed() < self.capacity.cast_signed()
    }
}

impl<T: Send> InboxProducer<T> {
    pub(super) fn try_push(&mut self, element: T) -> Result<(), T> {
        let inbox = &*self.0;
        let mut tail = inbox.tail.load(Ordering::Relaxed);
        loop {
            if !inbox.has_room_at(tail) {
                return Err(element);
            }
            let next = tail.wrapping_add(1);
            match inbox.tail.compare_exchange_weak(tail, next, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => break,
                Err(now) => tail = now,
            }
        }
        let place = inbox.at(tail);
        // SAFETY: moving `tail` past the position gave it to this producer. It is less than `capacity` ahead of
        // `head`, whose acquiring load saw the consumer's release after it had read the cell one lap ago.
        unsafe { place.cell.put(element) };
        place.stamp.store(tail.wrapping_add(1), Ordering::Release);
        Ok(())
    }

    pub(super) fn has_room(&mut self) -> bool {
        self.0.has_room_at(self.0.tail.load(Ordering::Relaxed))
    }

    pub(super) fn len(&self) -> usize {
        // The head first: it never overtakes a tail that is read later.
        let head = self.0.head.load(Ordering::Acquire);
        self.0.tail.load(Ordering::Acquire).wrapping_sub(head)
    }
}

impl<T> Clone for InboxProducer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Send> InboxConsumer<T> {
    pub(super) fn is_ready(&mut self) -> bool {
        self.inbox.is_written(self.head)
    }

    /// Takes the element at the front.
    ///
    /// # Safety
    /// The queue was ready, and nothing was taken since.
    pub(super) unsafe fn take(&mut self) -> T {
        // SAFETY: the stamp said that the position is written, so it is the consumer's; `&mut self` of its only
        // half is here. The acquiring load saw the producer's release, which came after it had written.
        let element = unsafe { self.inbox.at(self.head).cell.take() };
        self.head = self.head.wrapping_add(1);
        self.inbox.head.store(self.head, Ordering::Release);
        element
    }

    /// Looks at the element at the front.
    ///
    /// # Safety
    /// As for `take`.
    pub(super) unsafe fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: as in `take`; the position stays the consumer's while `self` is borrowed.
        unsafe { self.inbox.at(self.head).cell.look(look) }
    }

    pub(super) fn for_each(&self, mut look: impl FnMut(&T)) {
        let mut position = self.head;
        while self.inbox.is_written(position) {
            // SAFETY: the position is written; its cell is written again only after `head` moved past it, and
            // that needs `&mut self`, which cannot be while `self` is borrowed.
            unsafe { self.inbox.at(position).cell.look(&mut look) };
            position = position.wrapping_add(1);
        }
    }
}

impl<T> Drop for Inbox<T> {
    fn drop(&mut self) {
        // The halves that were dropped before synchronised through the count of the `Arc`.
        let mut head = self.head.load(Ordering::Relaxed);
        while self.is_written(head) {
            // SAFETY: the position is written and not taken, and this is the last owner of the inbox.
            drop(unsafe { self.at(head).cell.take() });
            head = head.wrapping_add(1);
        }
    }
}

// SAFETY: elements go from one thread to another, which `Send` allows; cells are shared as the invariant of the
// file says, never by two threads at once but for reading by `Pop::for_each`, and the public `Receiver` is
// `Sync` only if `T` is.
unsafe impl<T: Send> Sync for Inbox<T> {}
// SAFETY: it owns elements.
unsafe impl<T: Send> Send for Inbox<T> {}

impl<T> fmt::Debug for InboxProducer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inbox({})", self.0.capacity)
    }
}

impl<T> fmt::Debug for InboxConsumer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inbox({})", self.inbox.capacity)
    }
}
