//! Events between real threads, with deadlines, and polled by tasks. `tests/interleavings.rs` explores every interleaving
//! at small bounds.
#![allow(clippy::disallowed_methods)] // a deadline needs a clock

use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::event::Event;

#[test]
fn threads_take_turns() {
    let rounds = if cfg!(miri) { 20 } else { 2_000 };
    let turn = AtomicU32::new(0);
    let events = [Event::new(), Event::new()];
    let play = |me: u32| {
        let mine = || (turn.load(Ordering::Acquire) % 2 == me).then_some(());
        for _ in 0..rounds {
            assert_eq!(events[me as usize].wait(mine, None), Some(()));
            turn.fetch_add(1, Ordering::Release);
            events[1 - me as usize].notify();
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| play(0));
        scope.spawn(|| play(1));
    });
    assert_eq!(turn.into_inner(), 2 * rounds);
}

#[test]
fn a_deadline_ends_waiting() {
    let event = Event::new();
    let deadline = Instant::now() + Duration::from_millis(2);
    assert_eq!(event.wait(|| None::<()>, Some(deadline)), None);
    assert!(!event.is_waiting());
}

#[test]
fn a_task_registers_until_it_is_notified_or_withdraws() {
    let event = Event::new();
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(event.poll(&mut context, || None::<()>), Poll::Pending);
    assert!(event.is_waiting());
    event.notify();
    assert!(!event.is_waiting());
    assert_eq!(event.poll(&mut context, || None::<()>), Poll::Pending);
    event.withdraw();
    assert!(!event.is_waiting());
    assert_eq!(event.poll(&mut context, || Some(1)), Poll::Ready(1));
    assert!(!event.is_waiting());
}
