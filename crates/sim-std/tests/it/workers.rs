//! Several workers: what is found, in which execution and how often does not depend on how many there
//! are.

use std::sync::Arc as RealArc;

use quadrille_sim::strategy::{Dpor, Naive, Pct, Pos, Reduction, Uniform};
use quadrille_sim::{Body, Config, Fault, Monitor, Report, Strategy, explore_by, sim};
use quadrille_sim_std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::thread;

use crate::exhaustive::{Logs, execute, increments, program};

fn explored(workers: usize, max_failures: u64, strategy: Box<dyn Strategy>, body: &Body) -> Report {
    let config = Config { max_failures, ..Config::default() };
    let monitors = || -> Box<dyn Monitor> { Box::new(()) };
    explore_by(&config, strategy, workers, &monitors, body)
}

/// Everything that a report says.
fn told(report: &Report) -> String {
    let schedule = report.failure.as_ref().map(|failure| failure.schedule.to_string());
    format!("{schedule:?} {report:?}")
}

#[test]
fn counts_do_not_depend_on_the_number_of_workers() {
    for (threads, rounds, executions) in [(2, 2, 6), (2, 4, 70), (3, 2, 90), (3, 3, 1_680)] {
        let body: Body = RealArc::new(increments(threads, rounds));
        let all = |workers| explored(workers, 1, Box::new(Dpor::new(Reduction::Optimal)), &body);
        let alone = all(1);
        assert_eq!((alone.is_exhausted, alone.executions), (true, executions));
        for workers in [2, 4] {
            assert_eq!(told(&all(workers)), told(&alone), "{threads} x {rounds}, {workers}");
        }
    }
}

#[test]
fn reports_do_not_depend_on_the_number_of_workers() {
    type Make = fn() -> Box<dyn Strategy>;
    let strategies: [(&str, Make); 6] = [
        ("optimal", || Box::new(Dpor::new(Reduction::Optimal))),
        ("source", || Box::new(Dpor::new(Reduction::Source))),
        ("preemptions", || Box::new(Naive::with_preemptions(1))),
        ("random", || Box::new(Uniform::new(1, 300))),
        ("pos", || Box::new(Pos::new(1, 300))),
        ("pct", || Box::new(Pct::new(1, 100, 3))),
    ];
    // Set these for more.
    #[allow(clippy::disallowed_methods)]
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (from, count) = (number("SEED").unwrap_or(0), number("COUNT").unwrap_or(12));
    for seed in from..from + count {
        let program = program(seed);
        // Some orders of the threads' first steps fail.
        let body: Body = RealArc::new(move || {
            let finals = execute(&program, &Logs::default());
            assert!(finals[0] != 1 || seed % 3 > 0, "one");
        });
        for (name, strategy) in strategies {
            for max_failures in [1, 3, u64::MAX] {
                let alone = told(&explored(1, max_failures, strategy(), &body));
                for workers in [2, 4] {
                    let together = told(&explored(workers, max_failures, strategy(), &body));
                    assert_eq!(together, alone, "seed {seed}, {name}, {workers} workers");
                }
            }
        }
    }
}

#[test]
fn the_failure_and_its_short_schedule_are_the_same() {
    let run = |workers| {
        sim(|| {
            let seats = Arc::new(AtomicUsize::new(1));
            let take = |seats: &AtomicUsize| {
                if seats.load(SeqCst) > 0 {
                    assert_ne!(seats.fetch_sub(1, SeqCst), 0, "sold twice");
                }
            };
            let threads = [0, 1].map(|_| {
                let seats = Arc::clone(&seats);
                thread::spawn(move || take(&seats))
            });
            take(&seats);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        })
        .exhaustive()
        .workers(workers)
        .run()
        .unwrap()
    };
    let alone = run(1);
    assert!(alone.failure.as_ref().unwrap().to_string().contains("sold twice"));
    assert_eq!(told(&run(2)), told(&alone));
    assert_eq!(told(&run(4)), told(&alone));
}

#[test]
fn what_outlives_executions_keeps_others_away() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    let always = || {
        let threads = [0, 1].map(|_| thread::spawn(|| drop(COUNT.lock().unwrap())));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    // Known after the first execution: one worker does it all.
    assert_eq!(sim(always).exhaustive().workers(4).assert().executions, 2);
    // Known only later: then nothing can be said.
    static RARE: Mutex<u32> = Mutex::new(0);
    let rarely = || {
        let order = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (1..=3)
            .map(|number| {
                let order = Arc::clone(&order);
                thread::spawn(move || {
                    if order.swap(number, SeqCst) == 3 && number == 1 {
                        drop(RARE.lock().unwrap());
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let failure = sim(rarely).exhaustive().workers(2).run().unwrap().failure.unwrap();
    let Fault::Unsuitable(message) = &failure.fault else { panic!("{failure}") };
    assert!(message.contains("workers.rs:") && message.contains("one worker"), "{message}");
    assert!(sim(rarely).exhaustive().assert().is_exhausted);
}
