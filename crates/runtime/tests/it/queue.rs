//! All kinds of queues against the simplest thing that could be right, on random operations; and across two
//! threads. Every interleaving at small bounds is in `tests/interleavings.rs`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quadrille_runtime::queue::{Receiver, Sender, channel, inbox};
use quadrille_workshop::Choices;

/// Every kind, with its capacity.
fn kinds<T: Send>() -> Vec<(usize, Sender<T>, Receiver<T>)> {
    let mut kinds = Vec::new();
    for capacity in [1, 2, 3, 5, 8] {
        let (sender, receiver) = channel(capacity);
        kinds.push((capacity, sender, receiver));
        let (mut senders, receiver) = inbox(capacity, 1);
        kinds.extend(senders.pop().map(|sender| (capacity, sender, receiver)));
    }
    kinds
}

#[test]
fn behaves_like_a_deque() {
    for (capacity, mut sender, mut receiver) in kinds() {
        let mut expected = VecDeque::new();
        let mut choices = Choices::seeded(capacity as u64);
        for number in 0..if cfg!(miri) { 100 } else { 10_000_u64 } {
            match choices.below(5) {
                0 | 1 => {
                    let pushed = sender.try_push(Box::new(number));
                    assert_eq!(pushed.is_ok(), expected.len() < capacity);
                    if pushed.is_ok() {
                        expected.push_back(number);
                    }
                }
                2 => assert_eq!(receiver.try_pop().map(|element| *element), expected.pop_front()),
                3 => {
                    let front = receiver.front().map(|front| front.look(|element| **element));
                    assert_eq!(front, expected.front().copied());
                }
                _ => {
                    assert_eq!(
                        receiver.contents(),
                        expected.iter().copied().map(Box::new).collect::<Vec<_>>()
                    );
                    assert_eq!((sender.len(), receiver.len()), (expected.len(), expected.len()));
                    assert_eq!(sender.has_room(), expected.len() < capacity);
                }
            }
            if number % 1000 == 999 {
                receiver.clear();
                expected.clear();
            }
        }
    }
}

#[test]
fn drops_what_nobody_took() {
    struct IdleReport<'a>(&'a AtomicUsize);
    impl Drop for IdleReport<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let dropped = AtomicUsize::new(0);
    let mut pushed = 0;
    for (capacity, mut sender, mut receiver) in kinds() {
        for _ in 0..capacity {
            assert!(sender.try_push(IdleReport(&dropped)).is_ok());
            pushed += 1;
        }
        assert!(receiver.try_pop().is_some());
        drop(sender);
        drop(receiver);
        assert_eq!(dropped.load(Ordering::Relaxed), pushed);
    }
}

#[test]
fn keeps_the_order_across_threads() {
    for (_, mut sender, mut receiver) in kinds() {
        let count = if cfg!(miri) { 50 } else { 20_000_u64 };
        thread::scope(|scope| {
            scope.spawn(move || {
                for number in 0..count {
                    let mut element = Box::new(number);
                    while let Err(back) = sender.try_push(element) {
                        element = back;
                        thread::yield_now();
                    }
                }
            });
            for number in 0..count {
                let element = loop {
                    match receiver.try_pop() {
                        Some(element) => break element,
                        None => thread::yield_now(),
                    }
                };
                assert_eq!(*element, number);
            }
        });
    }
}
