//! Minimising, pictures and the determinism self-check.

use std::collections::BTreeSet;

use quadrille_sim::{Fault, sim};
use quadrille_sim_std::sync::{Arc, Condvar, Mutex};
use quadrille_sim_std::thread;

fn opposite_orders() {
    let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let noise = thread::spawn(|| (0..3).for_each(|_| thread::yield_now()));
    let (c, d) = (Arc::clone(&a), Arc::clone(&b));
    let thread = thread::spawn(move || {
        let _d = d.lock();
        let _c = c.lock();
    });
    {
        let _a = a.lock();
        let _b = b.lock();
    }
    thread.join().unwrap();
    noise.join().unwrap();
}

#[test]
fn a_schedule_becomes_short_and_still_fails() {
    let report = sim(opposite_orders).random(10_000).seed(5).run().unwrap();
    let failure = report.failure.unwrap();
    assert_eq!(failure.fault.word(), "deadlock");
    // Main takes the first lock, the thread both of its steps, main is stuck.
    assert!(failure.schedule.switches() <= 3, "{failure}");
    let again = sim(opposite_orders).replay(&failure.schedule.to_string()).run().unwrap();
    assert_eq!(again.failure.unwrap().schedule, failure.schedule);
}

#[test]
fn the_picture_shows_lanes_and_who_waits() {
    let failure = sim(opposite_orders).random(10_000).run().unwrap().failure.unwrap();
    let (text, svg) = (failure.lanes(), failure.svg());
    assert!(text.starts_with("main "), "{text}");
    assert_eq!(text.matches("waits: lock mutex").count(), 2, "{text}");
    assert!(text.contains("checks.rs:"), "{text}");
    assert!(svg.starts_with("<svg") && svg.contains("#c00") && svg.ends_with("</svg>\n"));
}

#[test]
fn hidden_entropy_is_found_and_its_place_named() {
    // A counter that no simulation controls stands for the wall clock.
    static HIDDEN: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let report = sim(|| {
        let lock = Mutex::new(0);
        if HIDDEN.fetch_add(1, std::sync::atomic::Ordering::SeqCst) % 2 == 1 {
            thread::yield_now();
        }
        *lock.lock().unwrap() += 1;
    })
    .twice(10)
    .run()
    .unwrap();
    let failure = report.failure.unwrap();
    let Fault::Diverged(message) = &failure.fault else { panic!("{failure}") };
    assert!(message.contains("checks.rs:") && message.contains("`yield`"), "{message}");
    let report = sim(opposite_orders).twice(1).run().unwrap();
    assert_ne!(report.failure.map(|failure| failure.fault.is_misuse()), Some(true));
}

#[test]
fn one_thousand_failures_are_replayed_to_the_same_trace() {
    let lost = || {
        let pair = Arc::new((Mutex::new(0), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            let mut count = other.0.lock().unwrap();
            if *count == 0 {
                count = other.1.wait(count).unwrap();
            }
            assert!(*count < 2, "too late");
        });
        for _ in 0..2 {
            *pair.0.lock().unwrap() += 1;
            pair.1.notify_one();
        }
        thread.join().unwrap();
    };
    let mut schedules = BTreeSet::new();
    let mut replayed = 0;
    for seed in 0.. {
        let report = quadrille_sim::explore(
            quadrille_sim::Config::default(),
            Box::new(quadrille_sim::strategy::Uniform::new(seed * 1000, 100)),
            std::sync::Arc::new(lost),
        );
        let Some(failure) = report.failure else { continue };
        let text = failure.schedule.to_string();
        let again = sim(lost).replay(&text).run().unwrap().failure.unwrap();
        assert_eq!(format!("{:?}", again.trace), format!("{:?}", failure.trace));
        schedules.insert(text);
        replayed += 1;
        if replayed == 1000 {
            break;
        }
    }
    assert!(schedules.len() > 1);
}

#[test]
fn text_that_is_no_schedule_is_refused() {
    let error = sim(opposite_orders).replay("q1:a3b").run().unwrap_err();
    assert_eq!(error.to_string(), "this is no schedule: expected : at byte 6");
}
