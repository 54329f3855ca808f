//! Minimising, pictures and the determinism self-check.

use std::collections::BTreeSet;

use quadrille_sim::strategy::Uniform;
use quadrille_sim::{Config, Fault, Panics, TaskId, explore, sim};
use quadrille_sim_std::sync::atomic::Ordering::SeqCst;
use quadrille_sim_std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
use quadrille_sim_std::sync::mpsc::channel;
use quadrille_sim_std::sync::{Arc, Condvar, Mutex};
use quadrille_sim_std::thread;
use quadrille_sim_std::tracked::TrackedCell;

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
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    // Each of the two waits for ever, for what the other one holds.
    assert_eq!(svg.matches("waits-for").count(), 2, "{svg}");
    assert_eq!(svg.matches("for ever").count(), 2, "{svg}");
    assert!(svg.matches("<title>holds mutex").count() >= 2, "{svg}");
    assert_eq!(svg.matches("checks.rs:").count(), text.matches("checks.rs:").count(), "{svg}");
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

/// A cell and the flag that publishes it.
fn publication(store: Ordering, load: Ordering) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((TrackedCell::new(0), AtomicBool::new(false)));
        let other = Arc::clone(&shared);
        let writer = thread::spawn(move || {
            other.0.set(42);
            other.1.store(true, store);
        });
        if shared.1.load(load) {
            assert_eq!(shared.0.get(), 42);
        }
        writer.join().unwrap();
    }
}

fn races(body: impl Fn() + Send + Sync + 'static) -> bool {
    let report = sim(body).exhaustive().run().unwrap();
    match report.failure {
        None => {
            assert!(report.is_exhausted);
            false
        }
        Some(failure) => {
            let Fault::DataRace { accesses, .. } = &failure.fault else { panic!("{failure}") };
            let (first, second) = (&failure.trace[accesses.0], &failure.trace[accesses.1]);
            assert_ne!(first.task, second.task);
            let text = failure.to_string();
            assert!(text.contains("data race on cell") && text.contains("checks.rs:"), "{text}");
            true
        }
    }
}

#[test]
fn a_data_race_is_what_no_synchronisation_orders() {
    use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    for (store, load, is_race) in [
        (Relaxed, Relaxed, true),
        (Release, Relaxed, true),
        (Relaxed, Acquire, true),
        (Release, Acquire, false),
        (SeqCst, SeqCst, false),
    ] {
        assert_eq!(races(publication(store, load)), is_race, "{store:?} {load:?}");
    }
    // Fences around relaxed accesses do the same; a fence on one side only does not.
    let fenced = |before: Option<Ordering>, after: Option<Ordering>| {
        move || {
            let shared = Arc::new((TrackedCell::new(0), AtomicBool::new(false)));
            let other = Arc::clone(&shared);
            let writer = thread::spawn(move || {
                other.0.set(42);
                before.into_iter().for_each(fence);
                other.1.store(true, Relaxed);
            });
            if shared.1.load(Relaxed) {
                after.into_iter().for_each(fence);
                shared.0.get();
            }
            writer.join().unwrap();
        }
    };
    assert!(!races(fenced(Some(Release), Some(Acquire))));
    assert!(!races(fenced(Some(AcqRel), Some(SeqCst))));
    assert!(races(fenced(Some(Release), None)));
    assert!(races(fenced(None, Some(Acquire))));
    assert!(races(fenced(Some(Acquire), Some(Release))));
}

#[test]
fn a_relaxed_update_continues_what_was_released() {
    use Ordering::{Acquire, Relaxed, Release};
    let chain = |is_update: bool| {
        move || {
            let shared = Arc::new((TrackedCell::new(0), AtomicUsize::new(0)));
            let (a, b) = (Arc::clone(&shared), Arc::clone(&shared));
            let writer = thread::spawn(move || {
                a.0.set(42);
                a.1.store(1, Release);
            });
            let between = thread::spawn(move || {
                if is_update {
                    let _ = b.1.compare_exchange(1, 2, Relaxed, Relaxed);
                } else if b.1.load(Relaxed) == 1 {
                    b.1.store(2, Relaxed);
                }
            });
            if shared.1.load(Acquire) == 2 {
                shared.0.get();
            }
            writer.join().unwrap();
            between.join().unwrap();
        }
    };
    assert!(!races(chain(true)), "a release sequence");
    assert!(races(chain(false)), "a store by another thread breaks it");
}

#[test]
fn locks_channels_joins_and_parking_order_accesses() {
    assert!(!races(|| {
        let cell = Arc::new((Mutex::new(()), TrackedCell::new(0)));
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.1.set(1);
        });
        let guard = cell.0.lock().unwrap();
        cell.1.set(2);
        drop(guard);
        thread.join().unwrap();
        cell.1.get();
    }));
    assert!(!races(|| {
        let cell = Arc::new(TrackedCell::new(0));
        let other = Arc::clone(&cell);
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            other.set(1);
            sender.send(()).unwrap();
        });
        receiver.recv().unwrap();
        cell.set(2);
        thread.join().unwrap();
    }));
    // A message in the other direction orders nothing.
    assert!(races(|| {
        let cell = Arc::new(TrackedCell::new(0));
        let other = Arc::clone(&cell);
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            receiver.recv().unwrap();
            other.set(1);
        });
        sender.send(()).unwrap();
        cell.set(2);
        thread.join().unwrap();
    }));
    assert!(!races(|| {
        let cell = Arc::new(TrackedCell::new(0));
        let (other, main) = (Arc::clone(&cell), thread::current());
        let thread = thread::spawn(move || {
            other.set(1);
            main.unpark();
        });
        thread::park();
        cell.set(2);
        thread.join().unwrap();
    }));
    // Readers do not race with each other, a writer does with each of them.
    let reads = |writes: bool| {
        move || {
            let cell = Arc::new(TrackedCell::new(0));
            let other = Arc::clone(&cell);
            let thread = thread::spawn(move || other.get());
            if writes {
                cell.set(1);
            } else {
                let _ = cell.get();
            }
            thread.join().unwrap();
        }
    };
    assert!(!races(reads(false)));
    assert!(races(reads(true)));
}

/// Explores a body twice per schedule, in which `choice` is something that no scheduler controls.
fn entropy(choice: impl Fn() -> bool + Send + Sync + 'static) -> Option<String> {
    let report = sim(move || {
        let (a, b) = (Mutex::new(0), Mutex::new(0));
        let first = if choice() { &a } else { &b };
        *first.lock().unwrap() += 1;
        *a.lock().unwrap() += 1;
    })
    .twice(50)
    .run()
    .unwrap();
    report.failure.map(|failure| failure.to_string())
}

#[test]
#[allow(clippy::disallowed_types, clippy::disallowed_methods)] // what must be found
fn hash_order_wall_clock_and_addresses_are_found() {
    use std::collections::HashMap;
    let by_hash = || {
        let map: HashMap<u32, ()> = (0..10).map(|key| (key, ())).collect();
        map.keys().next().is_some_and(|key| key % 2 == 0)
    };
    let by_clock = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        (now.unwrap().as_nanos() / 100).is_multiple_of(2)
    };
    let by_address = || {
        let address = Box::leak(Box::new([0_u8; 64])) as *const _ as usize;
        (address / 64).is_multiple_of(2)
    };
    // Freed again: the allocator gives out the same block unless others lie there.
    let by_freed_address = || {
        let block = Box::new([0_u8; 64]);
        (std::ptr::from_ref(&*block) as usize / 16).is_multiple_of(2)
    };
    for (name, found) in [
        ("hash", entropy(by_hash)),
        ("clock", entropy(by_clock)),
        ("address", entropy(by_address)),
        ("freed address", entropy(by_freed_address)),
    ] {
        let text = found.unwrap_or_else(|| panic!("{name} was not found"));
        assert!(text.contains("not under control") && text.contains("checks.rs:"), "{text}");
    }
    assert_eq!(entropy(|| true), None);
}

#[test]
fn a_picture_says_what_operations_found() {
    let failure = sim(|| {
        let shared =
            Arc::new((AtomicUsize::new(7), AtomicPtr::new(&raw mut *Box::leak(Box::new(1)))));
        let lock = Mutex::new(());
        let _held = lock.lock().unwrap();
        assert_eq!(shared.0.fetch_sub(8, SeqCst), 7);
        assert!(lock.try_lock().is_err() && !shared.1.load(SeqCst).is_null());
        shared.1.store(std::ptr::null_mut(), SeqCst);
        assert_eq!(shared.0.load(SeqCst), 0);
    })
    .random(1)
    .run()
    .unwrap()
    .failure
    .unwrap();
    let picture = failure.lanes();
    let labels: Vec<&str> =
        picture.lines().skip(2).map(|line| line.split(" | ").next().unwrap().trim()).collect();
    assert_eq!(
        labels[..7],
        [
            "lock mutex#4",
            "update atomic#5, was 7",
            "try_lock mutex#4: taken",
            "load atomic#6 = a pointer",
            "store atomic#6 = 0",
            "load atomic#5 = -1",
            "unlock mutex#4",
        ],
        "{picture}"
    );
}

#[test]
fn the_panic_that_a_join_finds_is_told() {
    let body = || {
        let thread = thread::spawn(|| assert!(Mutex::new(1).lock().is_err(), "the first cause"));
        thread.join().unwrap();
    };
    let config = Config { panics: Panics::OfBody, ..Config::default() };
    let report = explore(config, Box::new(Uniform::new(1, 1)), std::sync::Arc::new(body));
    let failure = report.failure.unwrap();
    assert!(matches!(&failure.fault, Fault::Panic { task, .. } if *task == TaskId::MAIN));
    assert!(
        failure.to_string().contains("\n  thread-1 had panicked: the first cause at "),
        "{failure}"
    );
}
