//! Ways of choosing schedules: what they find, how evenly they choose, what bounds leave out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc as RealArc, Mutex as RealMutex};

use quadrille_sim::strategy::{Bytes, Execution, Naive, Pct, Pos, Uniform, Walk};
use quadrille_sim::{Action, Config, Monitor, Report, Sim, Strategy, explore, explore_with, sim};
use quadrille_sim_std::hint;
use quadrille_sim_std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::sync::{Arc, Condvar, Mutex};
use quadrille_sim_std::thread;

/// A bounded buffer that wakes one where it should wake all: a producer may wake a producer.
fn lost_wake_up() {
    let buffer = Arc::new((Mutex::new(0_u32), Condvar::new()));
    let mut threads = Vec::new();
    for is_producer in [true, true, false, false] {
        let buffer = Arc::clone(&buffer);
        threads.push(thread::spawn(move || {
            for _ in 0..2 {
                let mut n_items = buffer.0.lock().unwrap();
                while *n_items == u32::from(is_producer) {
                    n_items = buffer.1.wait(n_items).unwrap();
                }
                *n_items = u32::from(is_producer);
                drop(n_items);
                buffer.1.notify_one();
            }
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Two threads take two locks in opposite orders, after some work of their own.
fn opposite_orders() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0), AtomicUsize::new(0)));
    let other = Arc::clone(&locks);
    let thread = thread::spawn(move || {
        (0..4).for_each(|work| other.2.store(work, SeqCst));
        let _second = other.1.lock().unwrap();
        let _first = other.0.lock().unwrap();
    });
    let first = locks.0.lock().unwrap();
    let second = locks.1.lock().unwrap();
    drop((first, second));
    thread.join().unwrap();
}

/// Looks, then acts.
fn check_then_act() {
    let seats = Arc::new(AtomicUsize::new(1));
    let take = |seats: &AtomicUsize| {
        if seats.load(SeqCst) > 0 {
            assert_ne!(seats.fetch_sub(1, SeqCst), 0, "sold twice");
        }
    };
    let other = Arc::clone(&seats);
    let thread = thread::spawn(move || take(&other));
    take(&seats);
    thread.join().unwrap();
}

/// The strategies that draw, by name.
fn drawn(seed: u64, executions: u64) -> Vec<(&'static str, Box<dyn Strategy>)> {
    vec![
        ("random", Box::new(Uniform::new(seed, executions))),
        ("pct", Box::new(Pct::new(seed, executions, 3))),
        ("pos", Box::new(Pos::new(seed, executions))),
        ("urw", Box::new(Walk::uniform(seed, executions))),
        ("surw", Box::new(Walk::selective(seed, executions))),
    ]
}

#[test]
fn every_strategy_finds_known_bugs_in_every_seed() {
    let bugs: [(fn(), &str); 3] =
        [(lost_wake_up, "lost wake-up"), (opposite_orders, "deadlock"), (check_then_act, "panic")];
    for (body, word) in bugs {
        for seed in 0..10 {
            for (name, strategy) in drawn(seed * 100_000, 20_000) {
                let report = explore(Config::default(), strategy, RealArc::new(body));
                let failure = report.failure.unwrap_or_else(|| panic!("{name}, seed {seed}"));
                assert_eq!(failure.fault.word(), word, "{name}: {failure}");
                let schedule = failure.schedule.to_string();
                let again = sim(body).replay(&schedule).run().unwrap().failure.unwrap();
                assert_eq!(again.schedule, failure.schedule, "{name}");
            }
        }
    }
}

/// Collects the orders in which the two threads store.
struct Orders(RealArc<RealMutex<BTreeMap<String, u32>>>);

impl Monitor for Orders {
    fn finish(&mut self, execution: &Execution<'_>) -> Option<quadrille_sim::Fault> {
        let stores = execution.trace.iter().filter(|o| matches!(o.action, Action::Store(_)));
        let order: String = stores.map(|o| if o.task.index() == 1 { 'a' } else { 'b' }).collect();
        *self.0.lock().unwrap().entry(order).or_default() += 1;
        None
    }
}

/// How often each order of a short and a long thread's stores comes.
fn orders(strategy: Box<dyn Strategy>) -> BTreeMap<String, u32> {
    let counts = RealArc::default();
    let body = || {
        let shared = Arc::new(AtomicUsize::new(0));
        let threads = [1, 4].map(|n_stores| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..n_stores).for_each(|value| shared.store(value, SeqCst)))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let monitor = Box::new(Orders(RealArc::clone(&counts)));
    explore_with(Config::default(), strategy, monitor, RealArc::new(body));
    counts.lock().unwrap().clone()
}

#[test]
fn a_uniform_walk_is_more_even_than_a_walk_of_uniform_choices() {
    const EXECUTIONS: u32 = 5_000;
    let rarest = |strategy: Box<dyn Strategy>| {
        let counts = orders(strategy);
        assert_eq!(counts.len(), 5, "{counts:?}");
        counts.into_values().min().unwrap()
    };
    let n = u64::from(EXECUTIONS);
    // One store among four others: a fifth each if all orders are equal.
    let (plain, even) =
        (rarest(Box::new(Uniform::new(1, n))), rarest(Box::new(Walk::uniform(1, n))));
    assert!(even > EXECUTIONS / 8, "{even}");
    assert!(even > 2 * plain, "{plain} against {even}");
    assert!(rarest(Box::new(Walk::selective(1, n))) > plain);
}

#[test]
fn an_execution_depends_on_its_seed_only() {
    let trace = |strategy: Box<dyn Strategy>| {
        let config = Config { max_failures: 1, ..Config::default() };
        let report: Report = explore(config, strategy, RealArc::new(lost_wake_up));
        let failure = report.failure.unwrap();
        (failure.execution, failure.schedule.to_string())
    };
    for ((name, one), (_, other)) in drawn(3, 20_000).into_iter().zip(drawn(3, 20_000)) {
        assert_eq!(trace(one), trace(other), "{name}");
    }
}

#[test]
fn preemptions_are_bounded_and_the_report_says_so() {
    let explored = |bound: u32, body: fn()| sim(body).preemptions(bound).run().unwrap();
    // Without preemption no thread comes between the look and the act.
    let report = explored(0, check_then_act);
    assert!(report.failure.is_none() && !report.is_exhausted);
    assert_eq!(report.bound.as_deref(), Some("at most 0 preemptions"));
    let failure = explored(1, check_then_act).failure.unwrap();
    assert!(failure.to_string().contains("sold twice"), "{failure}");
    // A bound that leaves nothing out is none.
    fn harmless() {
        let shared = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || other.fetch_add(1, SeqCst));
        shared.fetch_add(1, SeqCst);
        thread.join().unwrap();
    }
    let (bounded, all) = (explored(50, harmless), {
        let config = Config::default();
        explore(config, Box::new(Naive::new()), RealArc::new(harmless))
    });
    assert!(bounded.is_exhausted && bounded.bound.is_none());
    assert_eq!(bounded.executions, all.executions);
    assert!(explored(1, harmless).executions < all.executions);
}

#[test]
fn a_depth_that_cuts_executions_off_is_said() {
    let report = sim(check_then_act).exhaustive().depth(6).run().unwrap();
    assert!(!report.is_exhausted && report.cut > 0);
    assert_eq!(report.bound.as_deref(), Some("at most 6 operations"));
    assert_eq!(sim(|| drop(Mutex::new(0).lock())).exhaustive().depth(50).assert().bound, None);
}

#[test]
fn every_string_of_bytes_is_an_execution() {
    let run = |bytes: &[u8]| {
        let report =
            explore(Config::default(), Box::new(Bytes::new(bytes)), RealArc::new(check_then_act));
        assert_eq!(report.executions, 1);
        report.failure
    };
    // Nothing and zeros mean no preemption.
    assert!(run(&[]).is_none());
    assert!(run(&[0; 20]).is_none());
    let mut found = BTreeSet::new();
    for number in 0..1_u32 << 10 {
        let bytes: Vec<u8> = (0..10).map(|bit| (number >> bit & 1) as u8).collect();
        if let Some(failure) = run(&bytes) {
            assert_eq!(run(&bytes).unwrap().schedule, failure.schedule);
            found.insert(failure.schedule.to_string());
        }
    }
    assert!(found.len() > 1);
}

#[test]
fn the_portfolio_tries_all_of_them() {
    let all = |sim: Sim| sim.run().unwrap();
    let report = all(sim(|| drop(Mutex::new(0).lock())).portfolio(50));
    assert_eq!(report.executions, 50);
    let failure = all(sim(lost_wake_up).portfolio(20_000)).failure.unwrap();
    assert_eq!(failure.fault.word(), "lost wake-up");
}

#[test]
fn priorities_let_no_thread_spin_for_ever() {
    // By priorities alone, who spins would stay before the thread that it waits for.
    fn waits() {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&is_set);
        let thread = thread::spawn(move || other.store(true, SeqCst));
        while !is_set.load(SeqCst) {
            hint::spin_loop();
        }
        thread.join().unwrap();
    }
    let report = sim(waits).pct(200, 3).depth(1_000).assert();
    assert_eq!((report.executions, report.cut, report.bound), (200, 0, None));
    // Nor do the zeros of a fuzzer.
    let report = sim(waits).bytes(&[]).depth(1_000).assert();
    assert_eq!((report.executions, report.cut), (1, 0));
}
