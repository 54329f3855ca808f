//! Lines, faults, interrupts, commands: what passes between a program and its environment.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::expect;
use quadrille_joint::{Command, Faults, Interrupt, Joint, Journal, Signal, Wire, World};
use quadrille_sim::Cost;
use quadrille_sim_std::thread;
use quadrille_simulation::{MessageBox, ModelTime};

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Runs for ten seconds, parts costing a millisecond; what was written into the given list.
fn run(set_up: impl Fn(&World, &Log) + Send + Sync + 'static) -> Vec<String> {
    let log = Log::default();
    let inner = log.clone();
    let report = Joint::new(2)
        .until(ModelTime::from_secs(10))
        .cost(Cost::Constant(ms(1)))
        .run(move |world| set_up(world, &inner));
    assert!(report.failure.is_none(), "{:?}", report.failure);
    std::mem::take(&mut *log.0.lock().expect("the run is over"))
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: String) {
        self.0.lock().expect("one at a time").push(line);
    }
}

/// A process sets a signal to 1, 2, 3 … at whole seconds, a thread reads it in the middle between them.
fn readings(faults: Faults) -> Vec<String> {
    run(move |world, log| {
        let signal = Signal::new(&Journal::new(), "level", 0)
            .with_faults(faults.clone(), world.stream("faults"));
        let set = signal.clone();
        world.start("plant", move |p| {
            for value in 1.. {
                p.hold(Duration::from_secs(1));
                set.set(value);
            }
        });
        let log = log.clone();
        thread::spawn(move || {
            thread::sleep(ms(500));
            loop {
                log.write(signal.get().to_string());
                thread::sleep(ms(999));
            }
        });
    })
}

#[test]
fn a_line_without_faults_says_what_was_put_in() {
    assert_eq!(readings(Faults::default()).join(" "), "0 1 2 3 4 5 6 7 8 9");
}

#[test]
fn a_delayed_line_is_late() {
    let faults = Faults { delay: ms(1700), ..Faults::default() };
    assert_eq!(readings(faults).join(" "), "0 0 0 1 2 3 4 5 6 7");
}

#[test]
fn a_stuck_line_keeps_its_value() {
    let stuck = ModelTime::from_secs(3)..ModelTime::from_secs(7);
    let faults = Faults { stuck: Some(stuck), ..Faults::default() };
    assert_eq!(readings(faults).join(" "), "0 1 2 2 2 2 2 7 8 9");
}

#[test]
fn a_bad_line_loses_and_doubles() {
    let lost = readings(Faults { drop: 0.5, ..Faults::default() });
    assert_eq!(lost, readings(Faults { drop: 0.5, ..Faults::default() }), "from the seed");
    assert!(lost.windows(2).any(|pair| pair[0] == pair[1]), "{lost:?}");
    assert_eq!(
        readings(Faults { drop: 1.0, ..Faults::default() }).join(" "),
        "0 0 0 0 0 0 0 0 0 0"
    );

    let faults = Faults { duplicate: 1.0, delay: ms(1), ..Faults::default() };
    let received = run(move |world, log| {
        let wire = Wire::new(&Journal::new(), "telegrams")
            .with_faults(faults.clone(), world.stream("faults"));
        let sender = wire.clone();
        thread::spawn(move || {
            sender.send("a");
            thread::sleep(ms(100));
            sender.send("b");
        });
        let log = log.clone();
        world.start("radio", move |p| {
            loop {
                p.hold(ms(10));
                while let Some(telegram) = wire.take() {
                    log.write(telegram.to_owned());
                }
            }
        });
    });
    assert_eq!(received, ["a", "a", "b", "b"]);
}

#[test]
fn the_journal_has_every_change_with_its_time() {
    let lines = run(|world, log| {
        let journal = Journal::new();
        let heater = Signal::new(&journal, "heater", false);
        let cold = Signal::new(&journal, "cold", false);
        let (sensor, switch) = (cold.clone(), heater.clone());
        thread::spawn(move || {
            loop {
                switch.set(sensor.get());
                thread::sleep(ms(300));
            }
        });
        let log = log.clone();
        world.start("room", move |p| {
            p.hold(ms(1000));
            cold.set(true);
            p.hold(ms(1000));
            cold.set(heater.get());
            cold.set(false);
            p.hold(ms(1000));
            log.write(journal.to_string());
            log.write(journal.to_json_lines());
        });
    });
    expect![[r#"
        1 s environment: cold = true
        1.206 s program: heater = true
        2 s environment: cold = false
        2.109 s program: heater = false
    "#]]
    .assert_eq(&lines[0]);
    expect![[r#"
        {"time":1000000000,"by":"environment","item":"cold","value":"true"}
        {"time":1206000000,"by":"program","item":"heater","value":"true"}
        {"time":2000000000,"by":"environment","item":"cold","value":"false"}
        {"time":2109000000,"by":"program","item":"heater","value":"false"}
    "#]]
    .assert_eq(&lines[1]);
}

#[test]
fn an_interrupt_wakes_the_thread_that_serves_it() {
    let lines = run(|world, log| {
        let interrupt = Interrupt::new().named("button");
        let (raised, log) = (interrupt.clone(), log.clone());
        thread::spawn(move || {
            loop {
                interrupt.wait();
                log.write(quadrille_sim::task::now().to_string());
                thread::sleep(ms(5));
            }
        });
        world.start("user", move |p| {
            p.hold(ms(1500));
            raised.raise();
            p.hold(ms(2000));
            // Two at once are served one after the other.
            raised.raise();
            raised.raise();
        });
    });
    assert_eq!(lines, ["1.5 s", "3.5 s", "3.507 s"]);
}

#[test]
fn outside_of_a_simulation_interrupts_are_between_real_threads() {
    let interrupt = Interrupt::new();
    let raised = interrupt.clone();
    let thread = std::thread::spawn(move || {
        interrupt.wait();
        interrupt.wait();
    });
    raised.raise();
    raised.raise();
    thread.join().expect("both are served");
}

#[test]
fn a_command_reaches_a_process_at_the_time_of_the_thread() {
    let lines = run(|world, log| {
        let orders = MessageBox::new(world);
        let command = Command::new(&orders);
        thread::spawn(move || {
            for floor in [3, 1] {
                thread::sleep(ms(100));
                command.send(floor);
            }
        });
        let log = log.clone();
        world.start("motor", move |p| {
            loop {
                let floor: i32 = orders.receive(p, None).message;
                log.write(format!("{} to {floor}", p.now()));
                p.hold(ms(1000));
            }
        });
    });
    assert_eq!(lines, ["0.103 s to 3", "1.103 s to 1"]);
}
