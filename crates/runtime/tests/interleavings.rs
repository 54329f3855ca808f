//! Every interleaving and every allowed reordering of queues and events at small bounds, by `loom`: the
//! sources of the runtime themselves, with another `sync`.

/// What `src/sync.rs` is in production.
mod sync {
    pub use loom::cell::UnsafeCell;
    pub use loom::hint::spin_loop;
    pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
    pub use loom::sync::{Arc, Mutex, MutexGuard};
    pub use loom::thread::{Thread, current, park, yield_now};

    pub struct BackOff {
        pub spins: std::ops::RangeInclusive<u32>,
        pub yields: u32,
        pub probe: u32,
        pub linger: u32,
        pub lingers: u32,
        pub turns: u32,
    }

    /// Looking again is the same as being scheduled later.
    pub fn back_off() -> BackOff {
        BackOff { spins: 0..=0, yields: 0, probe: 0, linger: 0, lingers: 0, turns: 0 }
    }

    /// Whether events begin with asymmetric fences.
    pub fn is_asymmetric() -> bool {
        true
    }

    thread_local! {
        /// Whether light fences do anything. Threads of an exploration take turns on the thread that explores.
        static ARE_FENCED: std::cell::Cell<bool> = const { std::cell::Cell::new(true) };
    }

    pub fn light_fence() {
        if ARE_FENCED.get() {
            fence(Ordering::SeqCst);
        }
    }

    /// Explores something that must not need light fences.
    pub fn without_light_fences(explore: impl FnOnce()) {
        ARE_FENCED.set(false);
        explore();
        ARE_FENCED.set(true);
    }

    pub fn heavy_fence() {
        fence(Ordering::SeqCst);
    }

    /// The time may be over at once.
    pub fn park_timeout(_: std::time::Duration) {
        yield_now();
    }
}

#[allow(dead_code)] // the rest has no interleavings
#[path = "../src/error.rs"]
mod error;
#[allow(dead_code)] // the rest has no interleavings
#[path = "../src/event.rs"]
mod event;
#[allow(dead_code)] // the rest has no interleavings
#[path = "../src/plan.rs"]
mod plan;
#[allow(dead_code)] // the rest has no interleavings
#[path = "../src/queue/mod.rs"]
mod queue;
#[path = "../src/rendezvous.rs"]
mod rendezvous;
#[path = "interleavings/rendezvous.rs"]
mod rendezvous_tests;
#[allow(dead_code)] // the rest has no interleavings
#[path = "../src/liberal/termination.rs"]
mod termination;

use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicUsize as StdAtomicUsize, Ordering as StdOrdering};
use std::task::Poll;
use std::time::Instant;

use event::Event;
use loom::thread;
use queue::{Receiver, Sender, channel, channel_from, inbox, inbox_from};
use sync::{Arc, AtomicBool, Ordering};

/// Explores everything that `body` can do.
fn explore(body: impl Fn() + Sync + Send + 'static) {
    loom::model::Builder::new().check(body);
}

/// Explores everything that `body` can do if threads are interrupted only this often.
fn explore_with_preemptions(most: usize, body: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(most);
    builder.check(body);
}

/// An element that counts itself when it is dropped.
#[derive(Debug)]
struct Element {
    number: u32,
    dropped: StdArc<StdAtomicUsize>,
}

impl Drop for Element {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, StdOrdering::Relaxed);
    }
}

/// Pushes 1, 2, … without waiting and says which were taken.
fn push_some(
    sender: &mut Sender<Element>,
    dropped: &StdArc<StdAtomicUsize>,
    count: u32,
) -> Vec<u32> {
    let elements = (1..=count).map(|number| Element { number, dropped: dropped.clone() });
    let mut pushed = Vec::new();
    for element in elements {
        let number = element.number;
        if sender.try_push(element).is_ok() {
            pushed.push(number);
        }
    }
    pushed
}

/// A producer that pushes what fits, a consumer that pops what is there: nothing is lost, doubled or
/// reordered, and what nobody took is dropped once.
fn nothing_is_lost(
    halves: impl Fn() -> (Sender<Element>, Receiver<Element>) + Sync + Send + 'static,
) {
    const PUSHES: u32 = 3;
    explore(move || {
        let dropped = StdArc::new(StdAtomicUsize::new(0));
        let (mut sender, mut receiver) = halves();
        let counter = dropped.clone();
        let producer = thread::spawn(move || push_some(&mut sender, &counter, PUSHES));
        let mut popped = Vec::new();
        for _ in 0..2 {
            popped.extend(receiver.try_pop().map(|element| element.number));
        }
        let pushed = producer.join().expect("the producer does not panic");
        let mut waiting = Vec::new();
        receiver.for_each(|element| waiting.push(element.number));
        drop(receiver);
        popped.extend(waiting);
        assert_eq!(popped, pushed);
        assert_eq!(dropped.load(StdOrdering::Relaxed), PUSHES as usize);
    });
}

#[test]
fn a_slot_loses_nothing() {
    nothing_is_lost(|| channel(1));
}

#[test]
fn a_ring_loses_nothing() {
    nothing_is_lost(|| channel(2));
    nothing_is_lost(|| channel(3));
}

#[test]
fn an_inbox_of_one_producer_loses_nothing() {
    for capacity in 1..=2 {
        nothing_is_lost(move || {
            let (mut senders, receiver) = inbox(capacity, 1);
            (senders.remove(0), receiver)
        });
    }
}

#[test]
fn positions_wrap_around() {
    for start in [usize::MAX - 1, usize::MAX] {
        for capacity in 2..=3 {
            nothing_is_lost(move || channel_from(capacity, start));
        }
        for capacity in 1..=2 {
            nothing_is_lost(move || {
                let (mut senders, receiver) = inbox_from(capacity, 1, start);
                (senders.remove(0), receiver)
            });
        }
    }
}

/// Two producers push what fits; each finds its own elements in order.
fn two_producers(capacity: usize, pushes: u32) {
    let (mut senders, mut receiver) = inbox(capacity, 2);
    let push = |offset: u32, mut sender: Sender<u32>| {
        thread::spawn(move || {
            let mut pushed = Vec::new();
            for number in offset..offset + pushes {
                pushed.extend(sender.try_push(number).map(|()| number));
            }
            pushed
        })
    };
    let producers = [push(10, senders.remove(0)), push(20, senders.remove(0))];
    let mut popped: Vec<u32> = receiver.try_pop().into_iter().collect();
    let pushed = producers.map(|producer| producer.join().expect("the producer does not panic"));
    while let Some(number) = receiver.try_pop() {
        popped.push(number);
    }
    for (pushed, tens) in pushed.into_iter().zip([1, 2]) {
        let mine = popped.iter().copied().filter(|number| number / 10 == tens);
        assert_eq!(mine.collect::<Vec<_>>(), pushed);
    }
}

#[test]
fn an_inbox_of_two_producers_loses_nothing() {
    for capacity in 1..=2 {
        explore(move || two_producers(capacity, 1));
        explore_with_preemptions(2, move || two_producers(capacity, 2));
    }
}

/// Both sides wait for each other, by an event each. Loom reports a deadlock if a wake-up is lost.
fn both_sides_wait(
    (mut sender, mut receiver): (Sender<u32>, Receiver<u32>),
    event: fn() -> Event,
    count: u32,
) {
    let pushed = Arc::new(event());
    let popped = Arc::new(event());
    // Not joined: loom takes a late unpark for the end of the thread that is joined.
    thread::spawn({
        let (pushed, popped) = (pushed.clone(), popped.clone());
        move || {
            for number in 0..count {
                let room = popped.wait(|| sender.has_room().then_some(()), None);
                assert!(room.is_some() && sender.try_push(number).is_ok());
                pushed.notify();
            }
        }
    });
    for number in 0..count {
        assert_eq!(pushed.wait(|| receiver.try_pop(), None), Some(number));
        popped.notify();
    }
}

fn nobody_sleeps_for_ever(
    halves: impl Fn() -> (Sender<u32>, Receiver<u32>) + Sync + Send + Copy + 'static,
) {
    of_each_kind(|event| {
        explore(move || both_sides_wait(halves(), event, 1));
        explore_with_preemptions(3, move || both_sides_wait(halves(), event, 4));
    });
}

/// With events of roles that look before they sleep, and of those that sleep soon.
fn of_each_kind(explore: impl Fn(fn() -> Event)) {
    explore(Event::new);
    sync::without_light_fences(|| explore(|| Event::new().crowded()));
}

#[test]
fn a_slot_wakes_both_sides() {
    nobody_sleeps_for_ever(|| channel(1));
}

#[test]
fn a_ring_wakes_both_sides() {
    nobody_sleeps_for_ever(|| channel(2));
}

#[test]
fn an_inbox_wakes_both_sides() {
    nobody_sleeps_for_ever(|| {
        let (mut senders, receiver) = inbox(1, 1);
        (senders.remove(0), receiver)
    });
}

#[test]
fn two_notifiers_are_both_heard() {
    of_each_kind(two_notifiers);
}

fn two_notifiers(event: fn() -> Event) {
    explore_with_preemptions(3, move || {
        let (senders, mut receiver) = inbox(2, 2);
        let event = Arc::new(event());
        for (number, mut sender) in senders.into_iter().enumerate() {
            let event = event.clone();
            thread::spawn(move || {
                assert!(sender.try_push(number).is_ok());
                event.notify();
            });
        }
        let mut sum = 0;
        for _ in 0..2 {
            sum += event.wait(|| receiver.try_pop(), None).expect("no deadline");
        }
        assert_eq!(sum, 1);
    });
}

#[test]
fn a_task_is_woken() {
    explore(|| {
        let happened = Arc::new(AtomicBool::new(false));
        let event = Arc::new(Event::new());
        thread::spawn({
            let (happened, event) = (happened.clone(), event.clone());
            move || {
                happened.store(true, Ordering::Relaxed);
                event.notify();
            }
        });
        loom::future::block_on(std::future::poll_fn(|context| {
            event.poll(context, || happened.load(Ordering::Relaxed).then_some(()))
        }));
    });
}

#[test]
fn a_task_that_withdrew_can_wait_again() {
    explore_with_preemptions(3, || {
        let (mut sender, mut receiver) = channel(2);
        let event = Arc::new(Event::new());
        thread::spawn({
            let event = event.clone();
            move || {
                for number in 0..2 {
                    assert!(sender.try_push(number).is_ok());
                    event.notify();
                }
            }
        });
        let mut early = None;
        loom::future::block_on(std::future::poll_fn(|context| {
            if let Poll::Ready(number) = event.poll(context, || receiver.try_pop()) {
                early = Some(number);
            }
            Poll::Ready(())
        }));
        event.withdraw();
        for number in early.map_or(0, |_| 1)..2 {
            assert_eq!(event.wait(|| receiver.try_pop(), None), Some(number));
        }
    });
}

#[test]
#[allow(clippy::disallowed_methods)] // a deadline needs a clock
fn a_deadline_that_is_over_loses_nothing() {
    explore(|| {
        let (mut sender, mut receiver) = channel(1);
        let event = Arc::new(Event::new());
        thread::spawn({
            let event = event.clone();
            move || {
                assert!(sender.try_push(7).is_ok());
                event.notify();
            }
        });
        let early = event.wait(|| receiver.try_pop(), Some(Instant::now()));
        let late = early.or_else(|| event.wait(|| receiver.try_pop(), None));
        assert_eq!(late, Some(7));
    });
}
