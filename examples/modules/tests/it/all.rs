//! Every protocol of `examples/protocols` as a module: each role on a thread does whatever comes next at random, and what was
//! recorded is a run of the protocol.
#![allow(clippy::disallowed_methods)] // the watchdog needs a clock

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use quadrille_diagnostic::Sources;
use quadrille_example_modules::all::{Visitor, visit};
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::monitor::{Event, Monitor};
use quadrille_runtime::plan::{Kind, LabelId};
use quadrille_runtime::{Form, Origin, Plan, Recorder, Role, Sample, Subject};
use quadrille_workshop::Choices;

/// Collects lines.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Most steps of a role.
const MOST_STEPS: usize = 60;

/// Tries anything that the protocol has for a role somewhere, a little while each; how much was done.
fn wander<P: Sample>(mut role: Role<P>, plan: &Plan, seed: u64) -> usize {
    let me = role.id();
    let mut choices = Choices::seeded(seed.wrapping_add(u64::from(me.0) << 32));
    let is_own = |act: &&quadrille_runtime::plan::Act| match act.kind {
        Kind::Receive => act.to[0] == me,
        Kind::Exchange => act.from == me || act.to.contains(&me),
        Kind::Send | Kind::Close | Kind::Local => act.from == me,
    };
    let acts: Vec<_> = plan.acts.iter().filter(is_own).collect();
    let (mut n_done, mut n_failed) = (0, 0);
    while !acts.is_empty() && n_done < MOST_STEPS && n_failed < acts.len() + 60 {
        let act = choices.pick(&acts);
        let label = act.label.unwrap_or(LabelId(0));
        role.set_timeout(Some(Duration::from_micros(choices.below(300) as u64)));
        let message = || P::sample(label).expect("a sample of each message");
        let done = match act.kind {
            Kind::Send => role.send(message(), Some(act.to[0])),
            Kind::Exchange if act.from == me => role.send(message(), Some(act.to[0])),
            Kind::Receive | Kind::Exchange => {
                role.recv(choices.coin().then_some(act.from)).map(|_| ())
            }
            Kind::Close => role.close(act.to[0]),
            Kind::Local => role.local_step(label),
        };
        match done {
            Ok(()) => (n_done, n_failed) = (n_done + 1, 0),
            Err(_) => n_failed += 1,
        }
    }
    n_done
}

/// The protocol that a module was made from.
fn protocol(origin: &Origin) -> ProtocolModel {
    let mut sources = Sources::default();
    let source = sources.add(origin.file, origin.text);
    let (program, _) = quadrille_quad::load(&sources, source);
    let session = program.expect("it was generated").start(&mut sources, None, &[], &[]);
    session.expect("it was generated").model
}

/// Follows a log along a protocol.
fn follow(protocol: &ProtocolModel, log: &str) -> Result<(), String> {
    let mut monitor = Monitor::new(protocol).expect("a start");
    for (number, line) in log.lines().enumerate() {
        let event = Event::parse(&mut Sources::default(), "log", line);
        let event = event.map_err(|told| format!("line {number}: {}", told.message))?;
        monitor
            .observe(&event)
            .map_err(|told| format!("line {number}: {}\n{log}", told.message))?;
    }
    Ok(())
}

/// Runs sessions of every module.
#[derive(Default)]
struct Sessions {
    names: Vec<String>,
    n_sessions: usize,
}

impl Visitor for Sessions {
    fn module<P: Sample + Send + 'static>(&mut self, name: &str, made: &dyn Fn() -> Subject<P>) {
        self.names.push(name.to_owned());
        let model = protocol(&made().origin);
        for seed in 0..1 {
            for (form, module) in made().modules {
                self.n_sessions += 1;
                let lines = Lines::default();
                let module = module.seed(seed).observe(Arc::new(Recorder::new(lines.clone())));
                let plan = module.plan().clone();
                let (done, ended) = mpsc::channel();
                let session = thread::spawn(move || {
                    let n_done: usize = thread::scope(|scope| {
                        let wander = |role| {
                            let plan = &plan;
                            scope.spawn(move || wander(role, plan, seed))
                        };
                        let threads: Vec<_> = module.into_roles().into_iter().map(wander).collect();
                        threads.into_iter().map(|it| it.join().expect("no panic")).sum()
                    });
                    let _ = done.send(n_done);
                });
                let n_done = ended.recv_timeout(Duration::from_secs(60));
                let n_done = n_done.unwrap_or_else(|_| panic!("{name}, {form:?}: hangs"));
                session.join().expect("no panic");
                assert!(n_done > 0, "{name}, {form:?}: nothing was done");
                // In the liberal form steps of different roles may happen in another order.
                if form == Form::Strict {
                    let log = String::from_utf8(lines.0.lock().expect("no panic").clone());
                    assert_eq!(follow(&model, &log.expect("text")), Ok(()), "{name}, {seed}");
                }
            }
        }
    }
}

#[test]
fn sessions_of_every_protocol_run() {
    let mut sessions = Sessions::default();
    visit(&mut sessions);
    assert!(sessions.names.len() >= 17, "{:?}", sessions.names);
    assert!(sessions.n_sessions >= 2 * sessions.names.len(), "both forms");
}
