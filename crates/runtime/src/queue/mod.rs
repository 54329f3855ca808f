//! Queues between roles: what is pushed comes out once, in order, or is dropped with the queue. No
//! allocation per element, no lock. A full or empty queue says so at once; waiting is the business of
//! events.
//!
//! A queue is only reached through its halves. They are not `Clone` and their methods want `&mut self`, so
//! there is one consumer, and one producer per [`Sender`]: nobody needs `unsafe` to use them. What projection
//! proved picks the kind: [`channel`] for one producer (a slot of one element, else a ring), [`inbox`]
//! for several.

mod cell;
mod inbox;
mod ring;
mod slot;

use std::marker::PhantomData;

/// The producing half of a queue. It counts for itself, so it must not share a cache line with another half.
#[derive(Debug)]
#[repr(align(128))]
pub struct Sender<T>(Push<T>);

/// The consuming half of a queue. It counts for itself, so it must not share a cache line with another half.
#[derive(Debug)]
#[repr(align(128))]
pub struct Receiver<T> {
    pop: Pop<T>,
    /// `&Receiver` hands out `&T`, so it may be shared only if `T` may.
    shares: PhantomData<T>,
}

#[derive(Debug)]
enum Push<T> {
    Slot(slot::Push<T>),
    Ring(ring::Push<T>),
    Inbox(inbox::Push<T>),
}

#[derive(Debug)]
enum Pop<T> {
    Slot(slot::Pop<T>),
    Ring(ring::Pop<T>),
    Inbox(inbox::Pop<T>),
}

/// A queue from one producer that holds `capacity` elements, at least one.
pub fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    channel_from(capacity, 0)
}

/// The same with positions from here on: tests let them wrap around.
pub(crate) fn channel_from<T: Send>(capacity: usize, start: usize) -> (Sender<T>, Receiver<T>) {
    if capacity <= 1 {
        let (push, pop) = slot::halves();
        (Sender(Push::Slot(push)), Receiver::new(Pop::Slot(pop)))
    } else {
        let (push, pop) = ring::halves(capacity, start);
        (Sender(Push::Ring(push)), Receiver::new(Pop::Ring(pop)))
    }
}

/// A queue from several producers that holds `capacity` elements, at least one. Elements of one producer
/// stay in order.
pub fn inbox<T: Send>(capacity: usize, producers: usize) -> (Vec<Sender<T>>, Receiver<T>) {
    inbox_from(capacity, producers, 0)
}

/// The same with positions from here on: tests let them wrap around.
pub(crate) fn inbox_from<T: Send>(
    capacity: usize,
    producers: usize,
    start: usize,
) -> (Vec<Sender<T>>, Receiver<T>) {
    let (push, pop) = inbox::halves(capacity, start);
    let senders = (0..producers).map(|_| Sender(Push::Inbox(push.clone())));
    (senders.collect(), Receiver::new(Pop::Inbox(pop)))
}

/// Calls the method of the half that is there.
macro_rules! either {
    ($kind:ident, $half:expr, $each:ident => $call:expr) => {
        match $half {
            $kind::Slot($each) => $call,
            $kind::Ring($each) => $call,
            $kind::Inbox($each) => $call,
        }
    };
}

/// A free place at the end of a queue.
#[must_use = "nothing is put there yet"]
pub struct Place<'q, T>(Free<'q, T>);

enum Free<'q, T> {
    Slot(&'q mut slot::Push<T>),
    Ring(&'q mut ring::Push<T>),
}

impl<T: Send> Place<'_, T> {
    /// Puts an element there.
    #[inline(always)]
    pub fn put(self, element: T) {
        match self.0 {
            // SAFETY: there was room, or there would be no `Place`, which borrows the only producer.
            Free::Slot(half) => unsafe { half.put(element) },
            // SAFETY: the same.
            Free::Ring(half) => unsafe { half.put(element) },
        }
    }
}

/// The element at the front of a queue. Like the [`Receiver`] that it borrows, it may be shared only if `T` may:
///
/// ```compile_fail,E0277
/// fn is_sync<T: Sync>() {}
/// is_sync::<quadrille_runtime::queue::Front<'static, std::cell::Cell<u8>>>();
/// ```
pub struct Front<'q, T>(&'q mut Receiver<T>);

impl<T: Send> Front<'_, T> {
    /// Looks at it.
    #[inline(always)]
    pub fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: the queue was ready, or there would be no `Front`, which borrows the consumer.
        either!(Pop, &self.0.pop, half => unsafe { half.look(look) })
    }

    /// Takes it.
    #[inline(always)]
    pub fn take(self) -> T {
        // SAFETY: as in `look`.
        either!(Pop, &mut self.0.pop, half => unsafe { half.take() })
    }
}

impl<T: Send> Sender<T> {
    /// Puts an element at the end; gives it back if the queue is full.
    #[inline(always)]
    pub fn try_push(&mut self, element: T) -> Result<(), T> {
        if let Push::Inbox(half) = &mut self.0 {
            return half.try_push(element);
        }
        match self.place() {
            Some(place) => {
                place.put(element);
                Ok(())
            }
            None => Err(element),
        }
    }

    /// The place at the end, if it is free and nobody else can fill it: not in a queue of several producers.
    #[inline(always)]
    pub fn place(&mut self) -> Option<Place<'_, T>> {
        let (has_room, free) = match &mut self.0 {
            Push::Slot(half) => (half.is_free(), Free::Slot(half)),
            Push::Ring(half) => (half.has_room(), Free::Ring(half)),
            Push::Inbox(_) => return None,
        };
        if has_room { Some(Place(free)) } else { None }
    }

    /// Whether an element can be pushed. What is true stays true until this producer pushes, unless the queue
    /// has other producers.
    #[inline(always)]
    pub fn has_room(&mut self) -> bool {
        either!(Push, &mut self.0, half => half.has_room())
    }

    /// How many elements are waiting; by the time it is known it may be fewer, or with several producers
    /// more.
    pub fn len(&self) -> usize {
        either!(Push, &self.0, half => half.len())
    }

    /// Whether nothing is waiting.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Send> Receiver<T> {
    fn new(pop: Pop<T>) -> Self {
        Self { pop, shares: PhantomData }
    }

    /// Takes the element at the front.
    #[inline(always)]
    pub fn try_pop(&mut self) -> Option<T> {
        self.front().map(Front::take)
    }

    /// Whether there is an element at the front; it stays there until this consumer takes it.
    #[inline(always)]
    pub fn is_ready(&mut self) -> bool {
        either!(Pop, &mut self.pop, half => half.is_ready())
    }

    /// The element at the front, if there is one.
    #[inline(always)]
    pub fn front(&mut self) -> Option<Front<'_, T>> {
        if self.is_ready() { Some(Front(self)) } else { None }
    }

    /// Looks at all elements, in order.
    pub fn for_each(&self, look: impl FnMut(&T)) {
        either!(Pop, &self.pop, half => half.for_each(look));
    }

    /// A copy of all elements, in order.
    pub fn contents(&self) -> Vec<T>
    where
        T: Clone,
    {
        let mut copy = Vec::new();
        self.for_each(|element| copy.push(element.clone()));
        copy
    }

    /// Drops all elements.
    pub fn clear(&mut self) {
        while self.try_pop().is_some() {}
    }

    /// How many elements are waiting; by the time it is known it may be more.
    pub fn len(&self) -> usize {
        let mut length = 0;
        self.for_each(|_| length += 1);
        length
    }

    /// Whether nothing is waiting.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
