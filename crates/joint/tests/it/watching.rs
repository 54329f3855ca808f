//! Invariants, snapshots and coverage of programs in their environments.

use std::time::Duration;

use expect_test::expect;
use quadrille_joint::strategy::Phases;
use quadrille_joint::{Grade, Joint, Reaction, Report};
use quadrille_sim::strategy::Replay;
use quadrille_sim::{Cost, Fault, Strategy};
use quadrille_sim_std::sync::atomic::{AtomicU64, Ordering};
use quadrille_sim_std::sync::{Arc, Mutex};
use quadrille_sim_std::thread;
use quadrille_simulation::ModelTime;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A thread copies a level that a process raises every 100 ms; it looks every `period`.
fn follower(period: Duration, grace: Duration, reaction: Reaction) -> Report {
    follower_by(Box::new(Phases::new(1, 1)), period, grace, reaction)
}

fn follower_by(
    strategy: Box<dyn Strategy>,
    period: Duration,
    grace: Duration,
    reaction: Reaction,
) -> Report {
    let joint = Joint::new(1).until(ModelTime::from_secs(10)).cost(Cost::Constant(ms(1)));
    joint.strategy(strategy).run(move |world| {
        // Not the simulated ones: these are data of the environment, without an operation of their own.
        let (level, copy) = (
            Arc::new(std::sync::atomic::AtomicU64::new(0)),
            Arc::new(std::sync::atomic::AtomicU64::new(0)),
        );
        let raised = Arc::clone(&level);
        world.start("rain", move |p| {
            loop {
                p.hold(ms(100));
                raised.fetch_add(1, Ordering::Relaxed);
            }
        });
        let (seen, copied) = (Arc::clone(&level), Arc::clone(&copy));
        thread::spawn(move || {
            loop {
                thread::sleep(period);
                copied.store(seen.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        });
        let shown = Arc::clone(&level);
        world.show("level", move || shown.load(Ordering::Relaxed).to_string());
        world.invariant_with("the copy is true", grace, reaction, move || {
            level.load(Ordering::Relaxed) == copy.load(Ordering::Relaxed)
        });
    })
}

#[test]
fn a_late_reaction_is_a_break_and_a_later_one_a_violation() {
    let report = follower(ms(40), ms(50), Reaction::Log);
    let record = &report.found.invariants[0];
    assert!(record.holds() && record.n_breaks >= 99, "{record}");
    assert!(record.longest > ms(1) && record.longest <= ms(45), "{record}");

    let report = follower(ms(95), ms(50), Reaction::Log);
    let record = &report.found.invariants[0];
    assert!(!record.holds() && record.n_violations > 10, "{record}");
    assert!(report.failure.is_none(), "it goes on");
    let (name, snapshot) = &report.found.violations[0];
    assert_eq!((name.as_str(), snapshot.grade), ("the copy is true", Grade::AllClosed));
    assert_eq!(snapshot.values[0].0, "level");
}

#[test]
fn a_violation_can_end_the_run_with_a_schedule() {
    let report = follower(ms(95), ms(50), Reaction::Stop);
    let failure = report.failure.expect("it stops");
    assert!(
        matches!(&failure.fault, Fault::Check { name, .. } if name == "the copy is true"),
        "{failure}"
    );
    assert!(failure.to_string().contains("replay with"), "{failure}");
    let schedule = failure.schedule.to_string().parse().expect("it was printed by us");
    let again = follower_by(Box::new(Replay::new(schedule)), ms(95), ms(50), Reaction::Stop);
    let failed_again = again.failure.expect("it stops again");
    assert_eq!(failed_again.to_string(), failure.to_string());
    assert_eq!(again.found.violations[0].1.to_string(), report.found.violations[0].1.to_string());
}

/// Leaves out the numbers of lines in source places.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(".rs:");
    let mut short = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        short += ".rs";
        short += part.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    short
}

#[test]
fn a_snapshot_shows_threads_locks_and_environment() {
    let taken: Arc<std::sync::Mutex<Vec<(String, String)>>> = Arc::default();
    let inner = Arc::clone(&taken);
    let joint = Joint::new(1).until(ModelTime::from_secs(3)).cost(Cost::Constant(ms(1)));
    let report = joint.run(move |world| {
        let lock = Arc::new(Mutex::new(0));
        let held = Arc::clone(&lock);
        thread::Builder::new()
            .name("holder".to_owned())
            .spawn(move || {
                let guard = held.lock().expect("nobody panics");
                thread::sleep(Duration::from_secs(2));
                drop(guard);
            })
            .expect("a thread");
        thread::Builder::new()
            .name("waiter".to_owned())
            .spawn(move || {
                thread::sleep(ms(500));
                *lock.lock().expect("nobody panics") += 1;
            })
            .expect("a thread");
        world.show("answer", || "42".to_owned());
        let taken = Arc::clone(&inner);
        let own = world.clone();
        world.start("photographer", move |p| {
            p.hold(Duration::from_secs(1));
            let snapshot = own.snapshot();
            taken
                .lock()
                .expect("one at a time")
                .push((snapshot.to_string(), snapshot.to_json().to_string()));
        });
    });
    assert!(report.failure.is_none(), "{:?}", report.failure);
    let (text, json) = taken.lock().expect("the run is over").pop().expect("one was taken");
    expect![[r#"
        program at 1 s, locks held
        thread main: sleeping, next sleep at crates/joint/src/world.rs, until 3.001 s
        thread holder: sleeping, next sleep at crates/joint/tests/it/watching.rs, until 2.005 s, holds mutex#6 (crates/joint/tests/it/watching.rs)
        thread waiter: blocked, next lock mutex#6 (crates/joint/tests/it/watching.rs) at crates/joint/tests/it/watching.rs
        answer: 42
        environment at time 1 s
        process photographer: active
    "#]].assert_eq(&without_lines(&text));
    expect![[r#"{"environment":{"processes":[{"name":"photographer","scheduled_for":null,"state":"active"}],"queues":[],"semaphores":[],"time":1000000000},"grade":"some-open","threads":[{"holds":[],"name":"main","next":"sleep","place":"crates/joint/src/world.rs","state":"sleeping","until":3001000000},{"holds":["mutex#6 (crates/joint/tests/it/watching.rs)"],"name":"holder","next":"sleep","place":"crates/joint/tests/it/watching.rs","state":"sleeping","until":2005000000},{"holds":[],"name":"waiter","next":"lock mutex#6 (crates/joint/tests/it/watching.rs)","place":"crates/joint/tests/it/watching.rs","state":"blocked","until":null}],"time":1000000000,"values":[["answer","42"]]}"#]].assert_eq(&without_lines(&json));
}

#[test]
fn coverage_grows_and_ends_the_run_when_it_does_not() {
    let run = |patience| {
        Joint::new(3).until(ModelTime::from_secs(1_000)).run(move |world| {
            world.cover(patience);
            let lock = Arc::new(Mutex::new(0));
            for _ in 0..2 {
                let lock = Arc::clone(&lock);
                thread::spawn(move || {
                    loop {
                        *lock.lock().expect("nobody panics") += 1;
                        thread::sleep(ms(10));
                    }
                });
            }
        })
    };
    let report = run(Some(20_000));
    let growth = report.found.growth.last().copied().expect("it was asked for");
    assert!(growth.states >= 8 && growth.pairs >= 12, "{growth:?}");
    let all = run(None);
    let all_growth = all.found.growth.last().copied().expect("it was asked for");
    assert!(
        all_growth.states >= growth.states && all_growth.states - growth.states <= 2,
        "little was missed"
    );
    assert!(all_growth.steps > growth.steps);
}

#[test]
fn equal_seeds_give_equal_runs_and_looking_changes_nothing() {
    let run = |seed: u64, looks: bool| {
        let trace: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
        let inner = Arc::clone(&trace);
        Joint::new(seed).until(ModelTime::from_secs(20)).run(move |world| {
            let counter = Arc::new(AtomicU64::new(0));
            for number in 0..3 {
                let (counter, trace) = (Arc::clone(&counter), Arc::clone(&inner));
                thread::spawn(move || {
                    loop {
                        let before = counter.fetch_add(number, Ordering::SeqCst);
                        let now = quadrille_sim::task::now();
                        trace
                            .lock()
                            .expect("one at a time")
                            .push(format!("{now} {number} {before}"));
                        thread::sleep(ms(7 * number + 20));
                    }
                });
            }
            let mut draws = world.stream("noise");
            let noise = Arc::clone(&inner);
            world.start("noise", move |p| {
                loop {
                    p.hold(draws.exponential_time(30.0));
                    noise.lock().expect("one at a time").push(format!("{} noise", p.now()));
                }
            });
            if looks {
                world.cover(None);
                world.invariant("small", Duration::ZERO, move || {
                    counter.load(Ordering::SeqCst) < 1_000_000
                });
            }
        });
        std::mem::take(&mut *trace.lock().expect("the run is over"))
    };
    let plain = run(5, false);
    assert!(plain.len() > 1_000);
    assert_eq!(plain, run(5, false));
    assert_eq!(plain, run(5, true), "looking has no probe effect");
    assert_ne!(plain, run(6, false));
}
