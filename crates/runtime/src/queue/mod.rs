//! Bounded lock-free queues between roles, without allocation per element. They never block; waiting is done by events.
//!
//! A queue is accessed through its halves. These are not `Clone` and their methods take `&mut self`, so there is one
//! consumer, and one producer per [`Sender`], by construction. [`channel`] has one producer (a slot for capacity 1, else a
//! ring), [`inbox`] several.

mod cell;
mod inbox;
mod ring;
mod slot;

use std::marker::PhantomData;

/// The producing half of a queue. It has private counters, so it must not share a cache line with another half.
#[derive(Debug)]
#[repr(align(128))]
pub struct Sender<T>(Producer<T>);

/// The consuming half of a queue. It has private counters, so it must not share a cache line with another half.
#[derive(Debug)]
#[repr(align(128))]
pub struct Receiver<T> {
    consumer: Consumer<T>,
    /// `&Receiver` gives access to `&T`, so it is `Sync` only if `T` is.
    shares: PhantomData<T>,
}

#[derive(Debug)]
enum Producer<T> {
    Slot(slot::SlotProducer<T>),
    Ring(ring::RingProducer<T>),
    Inbox(inbox::InboxProducer<T>),
}

#[derive(Debug)]
enum Consumer<T> {
    Slot(slot::SlotConsumer<T>),
    Ring(ring::RingConsumer<T>),
    Inbox(inbox::InboxConsumer<T>),
}

/// A queue from one producer that holds `capacity` elements, at least one.
pub fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    channel_from(capacity, 0)
}

/// The same with a first position, so that tests can let positions wrap around.
pub(crate) fn channel_from<T: Send>(capacity: usize, start: usize) -> (Sender<T>, Receiver<T>) {
    if capacity <= 1 {
        let (producer, consumer) = slot::halves();
        (Sender(Producer::Slot(producer)), Receiver::new(Consumer::Slot(consumer)))
    } else {
        let (producer, consumer) = ring::halves(capacity, start);
        (Sender(Producer::Ring(producer)), Receiver::new(Consumer::Ring(consumer)))
    }
}

/// A queue from several producers that holds `capacity` elements, at least one. Elements of one producer
/// stay in order.
pub fn inbox<T: Send>(capacity: usize, producers: usize) -> (Vec<Sender<T>>, Receiver<T>) {
    inbox_from(capacity, producers, 0)
}

/// The same with a first position, so that tests can let positions wrap around.
pub(crate) fn inbox_from<T: Send>(
    capacity: usize,
    producers: usize,
    start: usize,
) -> (Vec<Sender<T>>, Receiver<T>) {
    let (producer, consumer) = inbox::halves(capacity, start);
    let senders = (0..producers).map(|_| Sender(Producer::Inbox(producer.clone())));
    (senders.collect(), Receiver::new(Consumer::Inbox(consumer)))
}

/// Calls a method of any kind of half.
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
#[must_use = "it is still free"]
pub struct FreeSlot<'q, T>(Free<'q, T>);

enum Free<'q, T> {
    Slot(&'q mut slot::SlotProducer<T>),
    Ring(&'q mut ring::RingProducer<T>),
}

impl<T: Send> FreeSlot<'_, T> {
    /// Fills it.
    #[inline(always)]
    pub fn put(self, element: T) {
        match self.0 {
            // SAFETY: there was room, or there would be no `FreeSlot`, which borrows the only producer.
            Free::Slot(half) => unsafe { half.put(element) },
            // SAFETY: the same.
            Free::Ring(half) => unsafe { half.put(element) },
        }
    }
}

/// The element at the front of a queue. Like the [`Receiver`] that it borrows, it is `Sync` only if `T` is:
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
        either!(Consumer, &self.0.consumer, half => unsafe { half.look(look) })
    }

    /// Takes it.
    #[inline(always)]
    pub fn take(self) -> T {
        // SAFETY: as in `look`.
        either!(Consumer, &mut self.0.consumer, half => unsafe { half.take() })
    }
}

impl<T: Send> Sender<T> {
    /// Appends an element; returns it if the queue is full.
    #[inline(always)]
    pub fn try_push(&mut self, element: T) -> Result<(), T> {
        if let Producer::Inbox(half) = &mut self.0 {
            return half.try_push(element);
        }
        match self.free_slot() {
            Some(free_slot) => {
                free_slot.put(element);
                Ok(())
            }
            None => Err(element),
        }
    }

    /// The free slot at the end; none if the queue is full or has several producers, which might fill it first.
    #[inline(always)]
    pub fn free_slot(&mut self) -> Option<FreeSlot<'_, T>> {
        let (has_room, free) = match &mut self.0 {
            Producer::Slot(half) => (half.is_free(), Free::Slot(half)),
            Producer::Ring(half) => (half.has_room(), Free::Ring(half)),
            Producer::Inbox(_) => return None,
        };
        if has_room { Some(FreeSlot(free)) } else { None }
    }

    /// Whether an element can be pushed. True stays true until this producer pushes, unless there are other producers.
    #[inline(always)]
    pub fn has_room(&mut self) -> bool {
        either!(Producer, &mut self.0, half => half.has_room())
    }

    /// The number of elements, which the consumer and other producers may change meanwhile.
    pub fn len(&self) -> usize {
        either!(Producer, &self.0, half => half.len())
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Send> Receiver<T> {
    fn new(consumer: Consumer<T>) -> Self {
        Self { consumer, shares: PhantomData }
    }

    /// Takes the element at the front.
    #[inline(always)]
    pub fn try_pop(&mut self) -> Option<T> {
        self.front().map(Front::take)
    }

    /// Whether there is an element; true stays true until this consumer takes it.
    #[inline(always)]
    pub fn is_ready(&mut self) -> bool {
        either!(Consumer, &mut self.consumer, half => half.is_ready())
    }

    /// The element at the front, if there is one.
    #[inline(always)]
    pub fn front(&mut self) -> Option<Front<'_, T>> {
        if self.is_ready() { Some(Front(self)) } else { None }
    }

    /// Looks at all elements, in order.
    pub fn for_each(&self, look: impl FnMut(&T)) {
        either!(Consumer, &self.consumer, half => half.for_each(look));
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

    /// The number of elements, which producers may increase meanwhile.
    pub fn len(&self) -> usize {
        let mut length = 0;
        self.for_each(|_| length += 1);
        length
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
