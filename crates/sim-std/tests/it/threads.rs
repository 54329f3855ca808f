//! Threads, locks, channels and clocks of the simulated `std`, explored.

use std::sync::Arc as RealArc;

use quadrille_sim::strategy::{Naive, Pct, Replay, Uniform};
use quadrille_sim::{Config, Fault, Panics, Report, Strategy, Stuck, explore, lasso, sim};
use quadrille_sim_std as std_;
use std_::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std_::sync::mpsc::{self, RecvTimeoutError};
use std_::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use std_::thread;
use std_::time::{Duration, Instant};

fn with(strategy: impl Strategy + 'static, body: impl Fn() + Send + Sync + 'static) -> Report {
    explore(Config::default(), Box::new(strategy), RealArc::new(body))
}

#[track_caller]
fn clean(body: impl Fn() + Send + Sync + Clone + 'static) {
    for report in [with(Uniform::new(1, 300), body.clone()), with(Pct::new(1, 300, 3), body)] {
        if let Some(failure) = report.failure {
            panic!("{failure}");
        }
        assert_eq!(report.executions, 300);
    }
}

/// The failure that random schedules find, replayed: the same fault after the same operations.
#[track_caller]
fn found(body: impl Fn() + Send + Sync + Clone + 'static) -> Fault {
    let report = with(Uniform::new(1, 10_000), body.clone());
    let failure = report.failure.expect("a failure is found");
    let again = with(Replay::new(failure.schedule.to_string().parse().unwrap()), body);
    let again = again.failure.expect("the failure is found again");
    let (first, second) = (format!("{:?}", failure.trace), format!("{:?}", again.trace));
    assert_eq!(first, second);
    assert_eq!(failure.fault.word(), again.fault.word(), "{again}");
    failure.fault
}

#[test]
fn a_mutex_excludes() {
    clean(|| {
        let counter = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let counter = Arc::clone(&counter);
                thread::spawn(move || {
                    let mut value = counter.lock().unwrap();
                    let seen = *value;
                    thread::yield_now();
                    *value = seen + 1;
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*counter.lock().unwrap(), 3);
    });
}

#[test]
fn check_then_act_is_found() {
    let fault = found(|| {
        let account = Arc::new(Mutex::new(1));
        let other = Arc::clone(&account);
        let withdraw = |account: &Mutex<i32>| {
            if *account.lock().unwrap() > 0 {
                *account.lock().unwrap() -= 1;
            }
        };
        let thread = thread::spawn(move || withdraw(&other));
        withdraw(&account);
        thread.join().unwrap();
        assert_eq!(*account.lock().unwrap(), 0);
    });
    let Fault::Panic { message, .. } = fault else { panic!("{fault:?}") };
    assert!(
        message.contains("assertion `left == right` failed") && message.contains("threads.rs:")
    );
}

#[test]
fn a_deadlock_shows_its_cycle() {
    let fault = found(|| {
        let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
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
    });
    let Fault::Deadlock { blocked, cycle, stuck } = fault else { panic!("{fault:?}") };
    assert_eq!((blocked.len(), cycle.len(), stuck), (2, 2, Stuck::EachOther));
}

#[test]
fn a_lost_wake_up_is_called_so() {
    let fault = found(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            let is_ready = *other.0.lock().unwrap();
            if !is_ready {
                let guard = other.0.lock().unwrap();
                drop(other.1.wait(guard).unwrap());
            }
        });
        *pair.0.lock().unwrap() = true;
        pair.1.notify_one();
        thread.join().unwrap();
    });
    assert_eq!(fault.word(), "lost wake-up");
    let Fault::Deadlock { stuck, .. } = fault else { panic!("{fault:?}") };
    assert!(matches!(stuck, Stuck::Missed { was_reached: false, .. }), "{stuck:?}");
}

#[test]
fn waiting_for_what_is_never_sent_is_dormancy() {
    let fault = found(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            let guard = other.0.lock().unwrap();
            drop(other.1.wait_while(guard, |is_ready| !*is_ready).unwrap());
        });
        *pair.0.lock().unwrap() = true;
        thread.join().unwrap();
    });
    assert_eq!(fault.word(), "dormancy");
    // So is a park that no thread ends.
    assert_eq!(found(|| thread::spawn(thread::park).join().unwrap()).word(), "dormancy");
    // A guard that is never given back is a deadlock, although there is no ring.
    let fault = found(|| {
        let lock = Arc::new(Mutex::new(0));
        std::mem::forget(lock.lock().unwrap());
        let other = Arc::clone(&lock);
        thread::spawn(move || *other.lock().unwrap() += 1).join().unwrap();
    });
    assert_eq!(fault.word(), "deadlock");
}

#[test]
fn a_thread_that_others_keep_from_a_lock_starves() {
    // Two threads hand a lock to each other, so that the third one, which waits for it, never has
    // its turn.
    let greedy = || {
        let lock = Arc::new(Mutex::new(0));
        lasso::forbid_starvation(|| 0);
        for _ in 0..2 {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                loop {
                    drop(lock.lock().unwrap());
                }
            });
        }
        drop(lock.lock().unwrap());
    };
    let report = sim(greedy).random(1_000).run().unwrap();
    let failure = report.failure.clone().unwrap_or_else(|| panic!("{report:?}"));
    assert_eq!(failure.fault.word(), "starvation");
    assert!(failure.to_string().contains("waits to lock mutex"), "{failure}");
    assert!(failure.to_string().contains("for ever"), "{failure}");
}

#[test]
fn a_condvar_wakes_one_or_all() {
    clean(|| {
        let state = Arc::new((Mutex::new(0), Condvar::new()));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let state = Arc::clone(&state);
                thread::spawn(move || {
                    let tokens = state.0.lock().unwrap();
                    let mut tokens = state.1.wait_while(tokens, |tokens| *tokens == 0).unwrap();
                    *tokens -= 1;
                })
            })
            .collect();
        for _ in 0..2 {
            *state.0.lock().unwrap() += 1;
            state.1.notify_one();
        }
        *state.0.lock().unwrap() += 1;
        state.1.notify_all();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*state.0.lock().unwrap(), 0);
    });
}

#[test]
fn readers_share_and_writers_do_not() {
    clean(|| {
        let lock = Arc::new(RwLock::new((0, 0)));
        let writer = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let mut pair = writer.write().unwrap();
            pair.0 += 1;
            thread::yield_now();
            pair.1 += 1;
        });
        let first = lock.read().unwrap();
        let second = lock.try_read().unwrap();
        assert_eq!(first.0, second.1);
        drop((first, second));
        thread.join().unwrap();
        assert_eq!(*lock.read().unwrap(), (1, 1));
    });
}

#[test]
fn try_lock_finds_the_lock_taken_in_some_schedule() {
    let fault = found(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        assert!(lock.try_lock().is_ok(), "taken");
        thread.join().unwrap();
    });
    assert_eq!(fault.word(), "panic");
}

#[test]
fn channels_keep_order_and_disconnect() {
    clean(|| {
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        let first = thread::spawn(move || (0..3).for_each(|n| sender.send((0, n)).unwrap()));
        let second = thread::spawn(move || (0..3).for_each(|n| other.send((1, n)).unwrap()));
        let got: Vec<_> = receiver.iter().collect();
        for from in 0..2 {
            let numbers: Vec<_> = got.iter().filter(|m| m.0 == from).map(|m| m.1).collect();
            assert_eq!(numbers, [0, 1, 2]);
        }
        first.join().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn bounded_channels_wait_for_room_and_rendezvous() {
    for bound in 0..3 {
        clean(move || {
            let (sender, receiver) = mpsc::sync_channel(bound);
            let sent = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&sent);
            let thread = thread::spawn(move || {
                for n in 0..4 {
                    sender.send(n).unwrap();
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
            for n in 0..4 {
                assert!(sent.load(Ordering::SeqCst) <= n + bound, "sent too early");
                assert_eq!(receiver.recv(), Ok(n));
            }
            assert!(receiver.recv().is_err());
            thread.join().unwrap();
        });
    }
}

#[test]
fn time_jumps_when_nobody_can_run() {
    clean(|| {
        let begin = Instant::now();
        let thread = thread::spawn(|| thread::sleep(Duration::from_secs(3600)));
        thread.join().unwrap();
        assert_eq!(begin.elapsed(), Duration::from_secs(3600));
        let (sender, receiver) = mpsc::channel::<()>();
        let result = receiver.recv_timeout(Duration::from_millis(5));
        assert_eq!(result, Err(RecvTimeoutError::Timeout));
        drop(sender);
        let pair = (Mutex::new(()), Condvar::new());
        let waited = pair.1.wait_timeout(pair.0.lock().unwrap(), Duration::from_millis(5)).unwrap();
        assert!(waited.1.timed_out());
        thread::park_timeout(Duration::from_millis(5));
        assert_eq!(begin.elapsed(), Duration::from_millis(3_600_015));
    });
}

#[test]
fn park_takes_one_token() {
    clean(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let thread = thread::spawn(move || {
            while !other.load(Ordering::Acquire) {
                thread::park();
            }
        });
        flag.store(true, Ordering::Release);
        thread.thread().unpark();
        thread.join().unwrap();
    });
}

#[test]
fn polling_waits_for_a_change() {
    clean(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let thread = thread::spawn(move || {
            while !other.load(Ordering::Acquire) {
                std_::hint::spin_loop();
            }
        });
        flag.store(true, Ordering::Release);
        thread.join().unwrap();
    });
}

#[test]
fn polling_what_nobody_changes_is_a_livelock() {
    for hint in [false, true] {
        let fault = found(move || {
            let flag = AtomicBool::new(false);
            while !flag.load(Ordering::Acquire) {
                if hint {
                    thread::yield_now();
                }
            }
        });
        assert_eq!(fault.word(), "livelock");
    }
}

#[test]
fn polling_the_clock_ends() {
    clean(|| {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(3) {
            std_::hint::spin_loop();
        }
    });
}

#[test]
fn statics_begin_anew() {
    static ONCE: Once = Once::new();
    static CELL: OnceLock<u32> = OnceLock::new();
    static LAZY: LazyLock<Mutex<u32>> = LazyLock::new(|| Mutex::new(0));
    clean(|| {
        let mut calls = 0;
        ONCE.call_once(|| calls += 1);
        ONCE.call_once(|| calls += 1);
        assert_eq!(calls, 1);
        assert_eq!(CELL.get(), None);
        let thread = thread::spawn(|| *CELL.get_or_init(|| 1));
        let mine = *CELL.get_or_init(|| 2);
        assert_eq!(mine, thread.join().unwrap());
        *LAZY.lock().unwrap() += 1;
        assert_eq!(*LAZY.lock().unwrap(), 1);
    });
}

#[test]
fn barriers_and_scopes() {
    clean(|| {
        let barrier = Barrier::new(3);
        let before = AtomicUsize::new(0);
        let leaders = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    before.fetch_add(1, Ordering::SeqCst);
                    let result = barrier.wait();
                    assert_eq!(before.load(Ordering::SeqCst), 3);
                    leaders.fetch_add(usize::from(result.is_leader()), Ordering::SeqCst);
                });
            }
        });
        assert_eq!(leaders.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn locals_belong_to_threads_and_are_dropped_with_them() {
    struct Counts(Arc<AtomicUsize>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    std_::thread_local! {
        static COUNTS: std::cell::RefCell<Option<Counts>> = const { std::cell::RefCell::new(None) };
        static NUMBER: std::cell::Cell<u32> = std::cell::Cell::new(7);
    }
    clean(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&drops);
        NUMBER.set(8);
        let thread = thread::spawn(move || {
            assert_eq!(NUMBER.get(), 7);
            COUNTS.set(Some(Counts(other)));
        });
        thread.join().unwrap();
        assert_eq!(drops.load(Ordering::SeqCst), 1);
        assert_eq!(NUMBER.get(), 8);
    });
}

#[test]
fn panics_poison_and_are_joined() {
    let config = Config { panics: Panics::OfBody, ..Config::default() };
    let body = RealArc::new(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("on purpose");
        });
        let payload = thread.join().unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"on purpose"));
        assert!(lock.is_poisoned() && lock.lock().is_err());
    });
    let report = explore(config, Box::new(Uniform::new(1, 100)), body);
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
}

#[test]
fn a_clean_up_that_would_block_is_told() {
    let fault = found(|| {
        struct Locks(Arc<Mutex<()>>);
        impl Drop for Locks {
            fn drop(&mut self) {
                drop(self.0.lock());
            }
        }
        let lock = Arc::new(Mutex::new(()));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let _locks = Locks(other);
            panic!("on purpose");
        });
        let _guard = lock.lock().unwrap();
        thread::yield_now();
        let _ = thread.join();
    });
    assert!(matches!(fault.word(), "panic" | "panicked, clean-up blocked"), "{fault:?}");
}

#[test]
fn nothing_under_control_is_an_error() {
    let report = with(Uniform::new(1, 10), || ());
    assert!(report.failure.unwrap().fault.is_misuse());
}

#[test]
fn naive_search_sees_every_order() {
    let seen = RealArc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let all = RealArc::clone(&seen);
    let report = with(Naive::new(), move || {
        let (sender, receiver) = mpsc::channel();
        for n in 0..2 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap());
        }
        drop(sender);
        all.lock().unwrap().insert(receiver.iter().collect::<Vec<_>>());
    });
    assert!(report.is_exhausted);
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn a_schedule_of_another_program_is_refused() {
    let failure = with(Uniform::new(1, 1), || {
        let lock = Mutex::new(0);
        *lock.lock().unwrap() += 1;
        panic!("on purpose");
    });
    let schedule = failure.failure.unwrap().schedule;
    let report = with(Replay::new(schedule), || {
        let flag = AtomicBool::new(false);
        flag.store(true, Ordering::SeqCst);
        flag.store(false, Ordering::SeqCst);
    });
    let failure = report.failure.unwrap();
    let Fault::Diverged(message) = &failure.fault else { panic!("{failure}") };
    assert!(message.contains("step 2") && message.contains("store"), "{message}");
    assert!("q1:a2:0".parse::<quadrille_sim::Schedule>().is_err());
    assert!("q2:a::A".parse::<quadrille_sim::Schedule>().is_err());
}

#[test]
fn a_writer_that_goes_on_as_a_reader_lets_no_writer_come_between() {
    let orders = RealArc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let seen = RealArc::clone(&orders);
    let body = move || {
        let lock = Arc::new(RwLock::new(0));
        let (writes, reads) = (Arc::clone(&lock), Arc::clone(&lock));
        let writer = thread::spawn(move || *writes.write().unwrap() += 10);
        let reader = thread::spawn(move || *reads.read().unwrap());
        let mut guard = lock.write().unwrap();
        *guard += 1;
        let before = *guard;
        let guard = std_::sync::RwLockWriteGuard::downgrade(guard);
        assert_eq!(*guard, before);
        drop(guard);
        writer.join().unwrap();
        seen.lock().unwrap().insert((before, reader.join().unwrap()));
    };
    assert!(sim(body).exhaustive().assert().is_exhausted);
    let expected = [(1, 0), (1, 1), (1, 11), (11, 0), (11, 10), (11, 11)];
    assert_eq!(*orders.lock().unwrap(), expected.into_iter().collect());
}

#[test]
fn pointers_are_moved_in_one_step() {
    clean(|| {
        static ROOM: [u8; 4] = [0; 4];
        let start = ROOM.as_ptr().cast_mut();
        let pointer = Arc::new(std_::sync::atomic::AtomicPtr::new(start));
        let other = Arc::clone(&pointer);
        let thread = thread::spawn(move || other.fetch_ptr_add(1, Ordering::SeqCst) as usize);
        let mine = pointer.fetch_byte_add(1, Ordering::SeqCst) as usize;
        assert_ne!(mine, thread.join().unwrap());
        assert_eq!(pointer.fetch_or(0, Ordering::SeqCst) as usize, start as usize + 2);
    });
}
