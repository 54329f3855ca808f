//! Both errors are found, and the mended versions have them in no order at all.

use quadrille_example_threads::buffer::{Buffer, Wakes};
use quadrille_example_threads::pool::{Pool, Shutdown};
use quadrille_sim::{Fault, Kind, event, sim};
use quadrille_sim_check::Formula;
use quadrille_sim_std::sync::Arc;
use quadrille_sim_std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::thread;

/// Two producers and `n_consumers` consumers around a buffer for one item.
fn exchange(wakes: Wakes, n_consumers: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let buffer = Arc::new(Buffer::new(1, wakes));
        let mut threads = Vec::new();
        for item in 0..2 {
            let buffer = Arc::clone(&buffer);
            threads.push(thread::spawn(move || buffer.put(item)));
        }
        let share = 2 / n_consumers;
        for _ in 0..n_consumers {
            let buffer = Arc::clone(&buffer);
            threads.push(thread::spawn(move || {
                let taken: Vec<i32> = (0..share).map(|_| buffer.take()).collect();
                assert_eq!(taken.len(), share);
            }));
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn a_wake_up_is_lost() {
    let failure = sim(exchange(Wakes::One, 2)).portfolio(20_000).run().unwrap().failure.unwrap();
    let Fault::Deadlock { blocked, cycle, .. } = &failure.fault else { panic!("{failure}") };
    // No cycle: no thread holds what another wants. Threads wait for a signal that went elsewhere.
    assert!(cycle.is_empty(), "{failure}");
    assert_eq!(failure.fault.word(), "lost wake-up", "{failure}");
    assert!(failure.to_string().contains("the last notification of"), "{failure}");
    let n_waiting = blocked.iter().filter(|b| matches!(b.kind, Kind::Condvar | Kind::Waiter));
    assert!(n_waiting.count() >= 1, "{failure}");
    assert!(failure.to_string().contains("buffer.rs:"), "{failure}");
}

#[test]
fn waking_all_is_right_in_every_order() {
    let report = sim(exchange(Wakes::All, 1)).exhaustive().assert();
    assert!(report.is_exhausted && report.executions > 10);
    sim(exchange(Wakes::All, 2)).portfolio(2_000).assert();
}

/// A pool with one job, which is shut down at once.
fn jobs(shutdown: Shutdown) -> impl Fn() + Send + Sync + 'static {
    move || {
        let pool = Pool::new(1, shutdown);
        let n_done = Arc::new(AtomicUsize::new(0));
        let done = Arc::clone(&n_done);
        pool.submit(move || {
            done.fetch_add(1, SeqCst);
            event!("job done");
        });
        pool.shut_down();
        event!("shut down");
        assert_eq!(n_done.load(SeqCst), 1);
    }
}

#[test]
fn a_worker_misses_the_shutdown() {
    let failure = sim(jobs(Shutdown::Beside)).exhaustive().run().unwrap().failure.unwrap();
    assert_eq!(failure.fault.word(), "lost wake-up");
    assert!(failure.to_string().contains("pool.rs:"), "{failure}");
    let schedule = failure.schedule.to_string();
    let again = sim(jobs(Shutdown::Beside)).replay(&schedule).run().unwrap().failure.unwrap();
    assert_eq!(again.to_string().lines().count(), failure.to_string().lines().count());
}

#[test]
fn a_shutdown_under_the_lock_is_right_in_every_order() {
    let formula = Formula::parse("F `job done` & (!`shut down`) U `job done`").unwrap();
    let report =
        sim(jobs(Shutdown::UnderLock)).monitor(move || formula.clone()).exhaustive().assert();
    assert!(report.is_exhausted);
}
