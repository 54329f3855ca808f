//! Visited consistent states: how many there are, that they do not depend on the way or on workers, and
//! when exploration ends for want of new ones.

use quadrille_sim::coverage::Growth;
use quadrille_sim::sim;
use quadrille_sim_std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::thread;

use crate::exhaustive::increments;

/// Two threads that take two steps each, and nothing else; the body waits for them.
fn steps() {
    let word = Arc::new(AtomicUsize::new(0));
    let threads = [0, 1].map(|_| {
        let word = Arc::clone(&word);
        thread::spawn(move || {
            word.fetch_add(1, SeqCst);
            word.fetch_add(1, SeqCst);
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn every_state_of_the_grid_is_visited_and_counted_once() {
    // All orders, without reduction: bounded by preemptions that are more than there can be.
    let report = sim(steps).preemptions(100).coverage().assert();
    let all = report.coverage.unwrap();
    // By hand, the body first: it is before each of two spawns, joins and its end; a thread is at its
    // start, its two additions, its end, or over. The second one is there once it is spawned.
    let states: Vec<Vec<u32>> = all.states().map(<[u32]>::to_vec).collect();
    let of = |n: usize| states.iter().filter(|state| state.len() == n).count();
    // Before the first spawn: at its start, or at the spawn.
    assert_eq!(of(1), 2);
    // The first thread at any of its five positions, the body before the second spawn.
    assert_eq!(of(2), 5);
    // Both of them anywhere, the body at a join: both joins are at one place. At its end or over only if
    // both are over.
    assert_eq!(of(3), 25 + 2);
    assert_eq!(all.growth().states, states.len());
    let random = sim(steps).random(3_000).coverage().assert().coverage.unwrap();
    assert_eq!((random.growth().states, random.growth().pairs), {
        let Growth { states, pairs, .. } = all.growth();
        (states, pairs)
    });
}

#[test]
fn no_state_counts_while_a_lock_is_held() {
    let under_a_lock = || {
        let lock = Mutex::new(AtomicUsize::new(0));
        let guard = lock.lock().unwrap();
        guard.fetch_add(1, SeqCst);
        guard.fetch_add(1, SeqCst);
    };
    let coverage = sim(under_a_lock).exhaustive().coverage().assert().coverage.unwrap();
    // At its start, before the lock, before its end, over; not where the lock is held.
    assert_eq!(coverage.growth(), Growth { steps: 4, states: 4, pairs: 3 });
}

#[test]
fn coverage_does_not_depend_on_the_number_of_workers() {
    for (threads, rounds) in [(2, 3), (3, 2)] {
        let visited = |workers| {
            let sim = sim(increments(threads, rounds)).exhaustive().random(200);
            sim.workers(workers).coverage().assert().coverage.unwrap()
        };
        let alone = visited(1);
        for workers in [2, 4] {
            let together = visited(workers);
            assert_eq!(together.to_string(), alone.to_string());
            assert_eq!(together.pairs(), alone.pairs());
        }
    }
}

#[test]
fn exploration_ends_when_nothing_new_comes() {
    let report = sim(steps).random(100_000).until_covered(2_000).assert();
    assert!(report.executions < 5_000, "{}", report.executions);
    assert_eq!(report.bound.as_deref(), Some("until 2000 steps showed nothing new"));
    assert!(report.coverage.unwrap().is_saturated(2_000));
    // Not all orders were tried.
    let report = sim(increments(3, 3)).exhaustive().until_covered(500).assert();
    assert!(!report.is_exhausted && report.bound.is_some());
}
