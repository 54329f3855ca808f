//! The rule of whose turn it is, on threads that are lists of parts.

use std::time::Duration;

use expect_test::{Expect, expect};
use quadrille_simulation::joint::{self, StepKind};
use quadrille_simulation::{Calendar, ModelTime, Simulation};

/// What a thread does: parts with a cost, and how long it sleeps after each.
struct Script(Vec<(u64, Option<u64>)>);

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// Performs the joint simulation of scripts and of processes that hold for the given lengths and then passivate; `choices`
/// says which thread runs where several could.
fn check(scripts: Vec<Script>, processes: &[&[u64]], choices: &[usize], expected: &Expect) {
    let mut environment = Simulation::new(0);
    for (number, holds) in processes.iter().enumerate() {
        let holds = holds.to_vec();
        environment.start(format!("P{}", number + 1), move |p| {
            for length in holds {
                p.hold(seconds(length));
            }
            p.passivate();
        });
    }
    // The processes' first holds stand for the times of their first events.
    for _ in processes {
        environment.step();
    }
    let mut parts: Vec<_> = scripts.into_iter().map(|script| script.0.into_iter()).collect();
    let mut runnable: Vec<bool> = vec![true; parts.len()];
    let (mut now, mut wake_ups, mut choices) = (ModelTime::ZERO, Calendar::new(), choices.iter());
    let mut told = String::new();
    while let Some(kind) = joint::next(
        now,
        environment.next_time(),
        wake_ups.first().map(|(time, _)| time),
        runnable.contains(&true),
    ) {
        let (time, who) = match kind {
            StepKind::Classic => {
                let process = environment.step().expect("it has a head");
                now = now.max(environment.now());
                (environment.now(), environment.name(process))
            }
            StepKind::WakeUp => {
                let (time, thread) = wake_ups.pop().expect("it has a head");
                now = now.max(time);
                runnable[thread as usize] = true;
                (now, format!("T{}", thread + 1))
            }
            StepKind::Run => {
                let Some(&thread) = choices.next() else { break };
                assert!(runnable[thread], "the choice cannot run");
                let (started, (cost, sleep)) = (now, parts[thread].next().expect("a part"));
                now += seconds(cost);
                if let Some(length) = sleep {
                    wake_ups.insert(now + seconds(length), thread as u32);
                    runnable[thread] = false;
                }
                (started, format!("T{}", thread + 1))
            }
        };
        told += &format!("{time:<5} {kind:<8} {who}, then {now}\n");
    }
    expected.assert_eq(&told);
}

#[test]
fn the_published_scenario() {
    let scripts = vec![
        Script(vec![(2, None), (2, Some(7)), (2, None)]),
        Script(vec![(2, Some(6)), (4, None)]),
    ];
    check(
        scripts,
        &[&[1, 8], &[3, 8]],
        &[0, 1, 0, 1, 0],
        &expect![[r#"
            0 s   run      T1, then 2 s
            1 s   classic  P1, then 2 s
            2 s   run      T2, then 4 s
            3 s   classic  P2, then 4 s
            4 s   run      T1, then 6 s
            9 s   classic  P1, then 9 s
            10 s  wake-up  T2, then 10 s
            10 s  run      T2, then 14 s
            11 s  classic  P2, then 14 s
            14 s  wake-up  T1, then 14 s
            14 s  run      T1, then 16 s
        "#]],
    );
}

#[test]
fn ties_go_to_the_environment_then_to_wake_ups_then_to_threads() {
    let at = |seconds| Some(ModelTime::from_secs(seconds));
    let now = ModelTime::from_secs(5);
    let check = |environment, wake_up, is_runnable, expected| {
        assert_eq!(joint::next(now, environment, wake_up, is_runnable), expected);
    };
    check(at(5), at(5), true, Some(StepKind::Classic));
    check(at(5), at(4), true, Some(StepKind::WakeUp));
    check(None, at(5), true, Some(StepKind::WakeUp));
    check(at(6), at(6), true, Some(StepKind::Run));
    check(at(7), at(6), false, Some(StepKind::WakeUp));
    check(at(6), at(6), false, Some(StepKind::Classic));
    check(None, None, true, Some(StepKind::Run));
    check(None, None, false, None);
}
