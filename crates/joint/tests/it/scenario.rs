//! The published scenario of joint simulation: two threads, two processes, eleven steps of three kinds, with real threads.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::{Expect, expect};
use quadrille_joint::{Findings, enter};
use quadrille_sim::strategy::{Point, Uniform};
use quadrille_sim::{
    Config, Cost, Effects, Ends, Operation, Step, Strategy, TaskId, explore, task,
};
use quadrille_sim_std::thread;
use quadrille_simulation::ModelTime;

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// The main thread first, then the threads as listed, then nobody.
struct Script(std::vec::IntoIter<usize>);

impl Strategy for Script {
    fn begin(&mut self) -> bool {
        !self.0.as_slice().is_empty()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if point.enabled.contains(&TaskId::MAIN) {
            return Some(TaskId::MAIN);
        }
        let thread = self.0.next()?;
        Some(*point.enabled.iter().find(|task| task.index() == thread).expect("the choice can run"))
    }

    fn draw(&mut self, _: u32) -> u32 {
        0
    }
}

/// The main thread costs nothing; T1's parts cost two seconds, T2's first part two and its second part four.
fn cost(part: &Operation) -> Duration {
    match (part.task.index(), part.time.as_nanos() / 1_000_000_000) {
        (0, _) => Duration::ZERO,
        (2, 10) => seconds(4),
        _ => seconds(2),
    }
}

fn check(choices: Vec<usize>, expected: &Expect) {
    let told: Arc<Mutex<String>> = Arc::default();
    let config = Config {
        cost: Cost::Derived(cost),
        ends: Ends::WithBody,
        records_steps: true,
        ..Config::default()
    };
    let inner = Arc::clone(&told);
    let report = explore(
        config,
        Box::new(Script(choices.into_iter())),
        Arc::new(move || {
            enter(0, &Findings::default(), |world| {
                for (name, first) in [("P1", 1), ("P2", 3)] {
                    let told = Arc::clone(&inner);
                    let process = world.process(name, move |p| {
                        let tell = |time: ModelTime| {
                            *told.lock().expect("one at a time") += &format!("{name} at {time}; ");
                        };
                        tell(p.now());
                        p.hold(seconds(8));
                        tell(p.now());
                        p.passivate();
                    });
                    world.activate_at(process, ModelTime::from_secs(first)).expect("it is new");
                }
            });
            thread::Builder::new()
                .name("T1".to_owned())
                .spawn(|| {
                    thread::yield_now();
                    thread::sleep(seconds(7));
                    thread::yield_now();
                })
                .expect("a thread");
            thread::Builder::new()
                .name("T2".to_owned())
                .spawn(|| {
                    thread::sleep(seconds(6));
                    thread::yield_now();
                })
                .expect("a thread");
            task::sleep(seconds(100));
        }),
    );
    let name = |task: &TaskId| ["main", "T1", "T2"][task.index()];
    let mut lines = String::new();
    for step in &report.steps {
        lines += &match step {
            Step::Classic(time) => format!("{time} classic\n"),
            Step::WakeUp(task, time) => format!("{time} wake-up {}\n", name(task)),
            Step::Run(task, _) if *task == TaskId::MAIN => continue,
            Step::Run(task, time) => format!("{time} run {}\n", name(task)),
        };
    }
    expected.assert_eq(&(lines + &told.lock().expect("the run is over")));
}

#[test]
fn the_published_scenario() {
    check(
        vec![1, 2, 1, 2, 1],
        &expect![[r#"
            0 s run T1
            1 s classic
            2 s run T2
            3 s classic
            4 s run T1
            9 s classic
            10 s wake-up T2
            10 s run T2
            11 s classic
            14 s wake-up T1
            14 s run T1
            P1 at 1 s; P2 at 3 s; P1 at 9 s; P2 at 11 s; "#]],
    );
}

/// A thread sets a flag in a part that costs a second; a process looks in the middle of it.
fn seen_in_the_middle(effects: Effects) -> bool {
    let seen = Arc::new(Mutex::new(None));
    let inner = Arc::clone(&seen);
    let config = Config {
        cost: Cost::Constant(seconds(1)),
        effects,
        ends: Ends::WithBody,
        ..Config::default()
    };
    let body = move || {
        let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (looked, seen) = (Arc::clone(&flag), Arc::clone(&inner));
        enter(0, &Findings::default(), |world| {
            let eye = world.process("eye", move |_| {
                *seen.lock().expect("one at a time") =
                    Some(looked.load(std::sync::atomic::Ordering::Relaxed));
            });
            // The body's first part takes the first second; its second part, after the operation below, the next one.
            let middle = ModelTime::from_nanos(1_500_000_000);
            world.activate_at(eye, middle).expect("it is new");
        });
        thread::yield_now();
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
        thread::sleep(seconds(10));
    };
    let report = explore(config, Box::new(Uniform::new(1, 1)), Arc::new(body));
    assert!(report.failure.is_none(), "{:?}", report.failure);
    let seen = *seen.lock().expect("the run is over");
    seen.expect("the process has looked")
}

#[test]
fn parts_have_their_effect_at_their_start_or_at_their_end() {
    assert!(seen_in_the_middle(Effects::AtStart));
    assert!(!seen_in_the_middle(Effects::AtEnd));
}
