//! Lives of processes: states, order of steps, mistakes.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use quadrille_simulation::{ModelTime, Process, ProcessId, ScheduleError, Simulation, State};

/// What processes have written, with times.
#[derive(Clone, Default)]
pub struct Log(Rc<RefCell<Vec<String>>>);

impl Log {
    pub fn write(&self, process: &Process<'_>, what: &str) {
        self.0.borrow_mut().push(format!(
            "{} {}: {what}",
            process.now(),
            process.name(process.id())
        ));
    }

    #[track_caller]
    pub fn expect(&self, lines: &[&str]) {
        assert_eq!(*self.0.borrow(), lines);
    }
}

pub fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn equal_times_run_in_the_order_in_which_they_were_scheduled() {
    let (mut simulation, log) = (Simulation::new(0), Log::default());
    for name in ["a", "b", "c"] {
        let log = log.clone();
        simulation.start(name, move |p| {
            log.write(p, "born");
            p.hold(seconds(if name == "b" { 1 } else { 2 }));
            log.write(p, "again");
            p.give_way();
            log.write(p, "last");
        });
    }
    simulation.run();
    log.expect(&[
        "0 s a: born",
        "0 s b: born",
        "0 s c: born",
        "1 s b: again",
        "1 s b: last",
        "2 s a: again",
        "2 s c: again",
        "2 s a: last",
        "2 s c: last",
    ]);
    assert_eq!(simulation.n_steps(), 9);
    assert_eq!(simulation.n_processes(), 0);
}

#[test]
fn a_process_goes_through_its_states() {
    let mut simulation = Simulation::new(0);
    let sleeper = simulation.process("sleeper", |p| {
        assert_eq!((p.state(p.id()), p.running()), (State::Active, Some(p.id())));
        p.passivate();
        p.hold(seconds(5));
    });
    assert_eq!((simulation.state(sleeper), simulation.is_idle(sleeper)), (State::New, true));
    assert_eq!(simulation.step(), None, "a new process waits for its activation");

    simulation.activate_at(sleeper, ModelTime::from_secs(3)).expect("it is new");
    assert_eq!(simulation.scheduled_for(sleeper), Some(ModelTime::from_secs(3)));
    assert_eq!(simulation.step(), Some(sleeper));
    assert_eq!(
        (simulation.state(sleeper), simulation.now()),
        (State::Passive, ModelTime::from_secs(3))
    );

    simulation.activate(sleeper).expect("it is passive");
    assert_eq!(simulation.step(), Some(sleeper));
    assert_eq!(simulation.state(sleeper), State::Scheduled);

    assert_eq!(simulation.cancel(sleeper), Ok(ModelTime::from_secs(8)));
    assert_eq!((simulation.state(sleeper), simulation.step()), (State::Passive, None));

    simulation.activate(sleeper).expect("it is passive");
    assert_eq!(simulation.step(), Some(sleeper));
    assert_eq!(simulation.state(sleeper), State::Terminated);
}

#[test]
fn wrong_changes_are_refused_with_a_reason() {
    let mut simulation = Simulation::new(0);
    let check = |found: Result<(), ScheduleError>, reason: &str| {
        assert_eq!(found.expect_err("it is refused").to_string(), reason);
    };
    let clock = simulation.start("clock", |p| {
        let own = p.activate(p.id()).expect_err("it runs").to_string();
        assert_eq!(
            own,
            "process `clock` is active: only a new or passive process can be activated"
        );
        p.hold(seconds(2));
    });
    let other = simulation.process("other", |_| {});
    check(
        simulation.activate(clock),
        "process `clock` is scheduled: only a new or passive process can be activated",
    );
    check(
        simulation.cancel(other).map(drop),
        "process `other` is new: only a scheduled process can be cancelled",
    );
    simulation.run();
    check(
        simulation.activate(clock),
        "process `clock` is terminated: only a new or passive process can be activated",
    );
    check(
        simulation.activate_at(other, ModelTime::from_secs(1)),
        "process `other` cannot be activated for 1 s: it is 2 s already",
    );
}

#[test]
fn ids_of_ended_processes_stay_ended_when_their_places_are_used_again() {
    let mut simulation = Simulation::new(0);
    let first = simulation.start("first", |_| {});
    simulation.run();
    let second = simulation.process("second", |_| {});
    assert_ne!(first, second);
    assert_eq!(
        (simulation.state(first), simulation.state(second)),
        (State::Terminated, State::New)
    );
    assert!(simulation.activate(first).is_err());
    assert_eq!(simulation.name(first), "(ended)");
    assert_eq!(simulation.processes(), [second]);
}

#[test]
fn a_panic_ends_its_process_and_reaches_the_caller() {
    let (mut simulation, log) = (Simulation::new(0), Log::default());
    let bad = simulation.start("bad", |p| {
        p.hold(seconds(1));
        panic!("out of water");
    });
    let writes = log.clone();
    simulation.start("good", move |p| {
        p.hold(seconds(2));
        writes.write(p, "still here");
    });
    let caught =
        catch_unwind(AssertUnwindSafe(|| simulation.run())).expect_err("the panic comes out");
    assert_eq!(caught.downcast_ref::<&str>(), Some(&"out of water"));
    assert_eq!((simulation.state(bad), simulation.running()), (State::Terminated, None));
    simulation.run();
    log.expect(&["2 s good: still here"]);
}

#[test]
fn dropping_a_simulation_drops_what_its_processes_own() {
    struct Owned(Rc<RefCell<u32>>);
    impl Drop for Owned {
        fn drop(&mut self) {
            *self.0.borrow_mut() += 1;
        }
    }
    let dropped = Rc::new(RefCell::new(0));
    let mut simulation = Simulation::new(0);
    for _ in 0..3 {
        let owned = Owned(Rc::clone(&dropped));
        simulation.start("owner", move |p| {
            let inner = Owned(Rc::clone(&owned.0));
            p.passivate();
            drop((inner, owned));
        });
    }
    let never_run = Owned(Rc::clone(&dropped));
    simulation.process("never run", move |_| drop(never_run));
    simulation.run();
    drop(simulation);
    assert_eq!(*dropped.borrow(), 7);
}

#[test]
fn time_passes_up_to_the_limit_and_no_step_beyond_it_is_taken() {
    let mut simulation = Simulation::new(0);
    simulation.start("clock", |p| {
        loop {
            p.hold(seconds(4));
        }
    });
    simulation.run_until(ModelTime::from_secs(10));
    assert_eq!((simulation.now(), simulation.n_steps()), (ModelTime::from_secs(10), 3));
    assert_eq!(simulation.next_time(), Some(ModelTime::from_secs(12)));
}

/// Processes that start, wake and cancel each other at random. The hash of everything that happened.
fn wild(seed: u64) -> u64 {
    let mut simulation = Simulation::new(seed);
    let ids: Rc<RefCell<Vec<ProcessId>>> = Rc::default();
    let trace = Rc::new(RefCell::new(seed));
    for number in 0..8_u64 {
        let (others, trace) = (Rc::clone(&ids), Rc::clone(&trace));
        let mut draws = simulation.stream(&format!("process {number}"));
        let id = simulation.start(format!("p{number}"), move |p| {
            for _ in 0..200 {
                let mixed = (*trace.borrow() ^ p.now().as_nanos() ^ number)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15);
                *trace.borrow_mut() = mixed.rotate_left(17);
                let other = others.borrow()[draws.below(8) as usize];
                match draws.below(4) {
                    0 => drop(p.activate(other)),
                    1 => drop(p.cancel(other)),
                    2 if number > 0 => p.passivate(),
                    _ => p.hold(Duration::from_nanos(draws.below(50))),
                }
                if number == 0 {
                    // Somebody must not give up.
                    p.hold(Duration::from_nanos(7));
                    drop(p.activate(others.borrow()[1 + draws.below(7) as usize]));
                }
            }
        });
        ids.borrow_mut().push(id);
    }
    simulation.run();
    *trace.borrow()
}

#[test]
fn equal_seeds_give_equal_runs() {
    for seed in 0..20 {
        assert_eq!(wild(seed), wild(seed), "seed {seed}");
    }
    assert_ne!(wild(0), wild(1));
}
