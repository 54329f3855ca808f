//! Wake-ups without a cause, what locks outside of the body keep, and how short schedules become.

use quadrille_sim::{Action, sim};
use quadrille_sim_std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::sync::{Arc, Condvar, Mutex, RwLock};
use quadrille_sim_std::thread;

/// Waits once, and takes for granted what it waited for.
fn waits_with_if() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&shared);
    let setter = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut is_set = shared.0.lock().unwrap();
    if !*is_set {
        is_set = shared.1.wait(is_set).unwrap();
    }
    assert!(*is_set, "woken without a cause");
    drop(is_set);
    setter.join().unwrap();
}

/// Two wait for one notification.
fn wakes_one_of_two() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let waiters = [0, 1].map(|_| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let is_set = shared.0.lock().unwrap();
            drop(shared.1.wait_while(is_set, |is_set| !*is_set).unwrap());
        })
    });
    *shared.0.lock().unwrap() = true;
    shared.1.notify_one();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
}

#[test]
fn wake_ups_without_a_cause_are_a_choice() {
    assert!(sim(waits_with_if).exhaustive().assert().is_exhausted);
    for explored in [sim(waits_with_if).exhaustive(), sim(waits_with_if).random(200)] {
        let failure = explored.spurious_wakeups(1).run().unwrap().failure.unwrap();
        assert!(failure.to_string().contains("woken without a cause"), "{failure}");
        let again = sim(waits_with_if).spurious_wakeups(1).replay(&failure.schedule.to_string());
        assert_eq!(again.run().unwrap().failure.unwrap().schedule, failure.schedule);
    }
    // Nor do they hide what happens without them: one may still wait for ever.
    let failure = sim(wakes_one_of_two).spurious_wakeups(1).exhaustive().run().unwrap().failure;
    assert_eq!(failure.unwrap().fault.word(), "dormancy");
}

#[test]
fn a_parked_thread_may_go_on_without_a_cause() {
    let parks = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let (other, main) = (Arc::clone(&flag), thread::current());
        let thread = thread::spawn(move || {
            other.store(1, SeqCst);
            main.unpark();
        });
        thread::park();
        assert_eq!(flag.load(SeqCst), 1);
        thread.join().unwrap();
    };
    assert!(sim(parks).exhaustive().assert().is_exhausted);
    let report = sim(parks).spurious_wakeups(1).exhaustive().run().unwrap();
    assert_eq!(report.failure.unwrap().fault.word(), "panic");
}

#[test]
fn what_a_lock_outside_of_the_body_keeps_is_told() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    static TURN: Mutex<()> = Mutex::new(());
    static LAST: RwLock<u8> = RwLock::new(0);
    let counts = |once: fn()| sim(once).random(3).assert().leftover.map(ToString::to_string);
    let place = counts(|| *COUNT.lock().unwrap() += 1).expect("the count stays");
    assert!(place.contains("settings.rs:"), "{place}");
    assert!(counts(|| *LAST.write().unwrap() += 1).is_some());
    assert_eq!(counts(|| drop(TURN.lock().unwrap())), None, "there is nothing behind it");
    assert_eq!(counts(|| *Mutex::new(0).lock().unwrap() += 1), None, "it is made in the body");
}

#[test]
fn what_happens_after_the_cause_of_a_failure_is_left_out() {
    let body = || {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            other.0.store(1, SeqCst);
            (0..8).for_each(|value| other.1.store(value, SeqCst));
        });
        assert_eq!(shared.0.load(SeqCst), 0);
        thread.join().unwrap();
    };
    for seed in 0..10 {
        let failure = sim(body).seed(seed).random(1_000).run().unwrap().failure.unwrap();
        let stores = failure.trace.iter().filter(|o| matches!(o.action, Action::Store(_)));
        assert_eq!(stores.count(), 1, "{}", failure.lanes());
    }
}
