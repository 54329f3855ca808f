//! Real threads, a role each, that do whatever comes next at random; what was recorded must be a trace of the
//! protocol. And the recorder itself.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use expect_test::expect;
use quadrille_diagnostic::Sources;
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::monitor::{Event, Monitor, Status};
use quadrille_runtime::plan::{ActId, Kind, LabelId, RoleId};
use quadrille_runtime::{Cause, Form, Module, Observe, Plan, Recorder, Role};
use quadrille_workshop::protocols::{Shape, body};
use quadrille_workshop::{Choices, check};

use crate::support::{Note, both, protocol, quad_protocol, soon, try_plan};

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

impl Lines {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("text")
    }
}

/// Follows a log along a protocol.
fn follow(protocol: &ProtocolModel, log: &str) -> Result<(), String> {
    let mut monitor = Monitor::new(protocol).expect("a start");
    for (number, line) in log.lines().enumerate() {
        let event = Event::parse(&mut Sources::default(), "log", line);
        let event = event.map_err(|told| format!("line {number}: {}", told.message))?;
        if let Err(told) = monitor.observe(&event) {
            return Err(format!("line {number}: {}\n{log}", told.message));
        }
    }
    Ok(())
}

/// What a role tries: anything that the protocol has for it somewhere, a little while each.
fn wander(mut role: Role<Note>, plan: &Plan, seed: u64) -> usize {
    let mut choices = Choices::seeded(seed.wrapping_add(u64::from(role.id().0) << 32));
    let me = role.id();
    let mine = |act: &&quadrille_runtime::plan::Act| match act.kind {
        Kind::Receive => act.to[0] == me,
        Kind::Exchange => act.from == me || act.to.contains(&me),
        Kind::Send | Kind::Close | Kind::Local => act.from == me,
    };
    let acts: Vec<_> = plan.acts.iter().filter(mine).collect();
    let (mut n_done, mut n_failed) = (0, 0);
    while !acts.is_empty() && n_done < 40 && n_failed < 60 {
        let act = choices.pick(&acts);
        let label = act.label.unwrap_or(LabelId(0));
        role.set_timeout(Some(Duration::from_micros(choices.below(300) as u64)));
        let done = match act.kind {
            Kind::Send => role.send(Note(label, 0), Some(act.to[0])),
            Kind::Exchange if act.from == me => role.send(Note(label, 0), Some(act.to[0])),
            Kind::Receive | Kind::Exchange => {
                let from = choices.coin().then_some(act.from);
                role.recv(from).map(|_| ())
            }
            Kind::Close => role.close(act.to[0]),
            Kind::Local => role.local_step(label),
        };
        match done {
            Ok(()) => n_done += 1,
            Err(_) => n_failed += 1,
        }
    }
    n_done
}

/// Runs a module on threads; how much was done, and the log.
fn run(plan: &Plan, form: Form, seed: u64) -> (usize, String) {
    let plan = plan.clone();
    soon(move || {
        let lines = Lines::default();
        let module = Module::<Note>::new(&plan, form).expect("a good plan").seed(seed);
        let roles = module.observe(Arc::new(Recorder::new(lines.clone()))).into_roles();
        let n_done = thread::scope(|scope| {
            let wander = |role| {
                let plan = &plan;
                scope.spawn(move || wander(role, plan, seed))
            };
            let threads: Vec<_> = roles.into_iter().map(wander).collect();
            threads.into_iter().map(|it| it.join().expect("no panic")).sum()
        });
        (n_done, lines.text())
    })
}

#[test]
fn what_threads_do_is_a_trace_of_the_protocol() {
    let mut n_done = 0;
    check(25, |choices| {
        let body = body(choices, &Shape::default(), 3);
        let seed = choices.bits();
        let model = protocol(&body);
        let Some(plan) = try_plan(&model, 1_000) else { return };
        let faithful = try_faithful(&model);
        for form in [Form::Strict, Form::Liberal] {
            let (done, log) = run(&plan, form, seed);
            n_done += done;
            if form == Form::Strict || faithful {
                let followed = follow(&model, &log);
                assert_eq!(followed, Ok(()), "{body}, {form:?}");
            }
        }
    });
    assert!(n_done > 200, "{n_done}");
}

/// Whether the liberal form has the runs of the protocol only.
fn try_faithful(model: &ProtocolModel) -> bool {
    use quadrille_engine::{Limits, unobserved};
    use quadrille_protocol::project::Queues;
    use quadrille_query::protocol::{Explored, Faithfulness, liberal};
    let limits = Limits { states: Some(2_000), memory: None };
    let Ok(explored) = Explored::new(model, limits, &mut unobserved) else { return false };
    let report = liberal(&explored, &Queues::PerPair, limits, &mut unobserved);
    report.is_ok_and(|report| {
        matches!(report.faithfulness, Faithfulness::Faithful | Faithfulness::SameRuns(_))
    })
}

/// Does what comes next at random, without time-outs, until something goes wrong or it has had enough.
fn insist(mut role: Role<Note>, plan: &Plan, choices: &mut Choices, enough: u64) -> Option<Cause> {
    let me = role.id();
    for _ in 0..enough {
        let state: usize = role.state().parse().expect("a number");
        let edges = plan.locals[me.index()].states.get(state).map_or(&[][..], |it| &it.edges[..]);
        // In the strict form that is another automaton: then it asks for what may be wrong, and is told so.
        let Some(edge) = edges.get(choices.below(edges.len().max(1))) else { break };
        let act = &plan.acts[edge.act.index()];
        let label = act.label.unwrap_or(LabelId(0));
        let done = match act.kind {
            Kind::Send => role.send(Note(label, 0), None),
            Kind::Exchange if act.from == me => role.send(Note(label, 0), None),
            Kind::Receive | Kind::Exchange => role.recv(None).map(|_| ()),
            Kind::Close => role.close(act.to[0]),
            Kind::Local => role.local_step(label),
        };
        if let Err(error) = done {
            return Some(error.into_report().cause);
        }
    }
    None
}

/// One role does nothing and leaves; whatever the others do, they come to an end.
#[test]
fn nobody_hangs_after_somebody_left() {
    let mut n_told = 0;
    check(80, |choices| {
        let body = body(choices, &Shape::default(), 4);
        let seed = choices.bits();
        let Some(plan) = try_plan(&protocol(&body), 1_000) else { return };
        for form in [Form::Strict, Form::Liberal] {
            let (plan, body) = (plan.clone(), body.clone());
            n_told += soon(move || {
                let module = Module::<Note>::new(&plan, form).expect("a good plan").seed(seed);
                let roles = module.into_roles();
                let lazy = Choices::seeded(seed).below(roles.len());
                let causes = thread::scope(|scope| {
                    let insist = |(number, role): (usize, Role<Note>)| {
                        let (plan, enough) = (&plan, if number == lazy { 0 } else { 60 });
                        let mut choices = Choices::seeded(seed.wrapping_add(number as u64));
                        scope.spawn(move || insist(role, plan, &mut choices, enough))
                    };
                    let threads: Vec<_> = roles.into_iter().enumerate().map(insist).collect();
                    let causes = threads.into_iter().filter_map(|it| it.join().expect("no panic"));
                    causes.collect::<Vec<_>>()
                });
                assert!(!causes.contains(&Cause::TimedOut), "{body}, {form:?}");
                causes.len()
            });
        }
    });
    assert!(n_told > 50, "{n_told}");
}

#[test]
fn several_receivers_on_threads() {
    let text = "message M, N; event E; role a, b, c; protocol p { loop { either
        { M from a to b, c sync; N from b to c; } or { M from a to b, c; b does E; N from b to a; } or { a closes b; } } }";
    let model = quad_protocol(text);
    let plan = try_plan(&model, 2_000).expect("small");
    for seed in 1..=6 {
        let (_, log) = run(&plan, Form::Strict, seed);
        assert_eq!(follow(&model, &log), Ok(()), "seed {seed}");
    }
}

#[test]
fn a_recorder_writes_what_the_monitor_reads() {
    let body = "(s/* (s/cat (s/-->> Ask ::a ::b) (s/--> Say ::b ::a) (s/close ::a ::b)))";
    for module in both(body) {
        let lines = Lines::default();
        let recorder = Arc::new(Recorder::new(lines.clone()));
        let observed = module.module().observe(recorder);
        let [mut a, mut b] = module.take(observed, ["a", "b"]);
        b.set_timeout(Some(Duration::from_millis(1)));
        b.recv(None).expect_err("nobody asks");
        b.set_timeout(None);
        a.send(module.note("Ask", 0), None).expect("sent");
        b.recv(None).expect("received");
        let say = module.note("Say", 0);
        soon(move || {
            let passes = thread::spawn(move || b.send(say, None).map(|()| b));
            a.recv(None).expect("passed");
            let b = passes.join().expect("no panic").expect("passed");
            a.close(RoleId(1)).expect("closed");
            a.finish().expect("the end");
            b.finish().expect("the end");
        });
        let log = lines.text();
        let steady: String = log
            .lines()
            .filter(|line| !line.contains("Say") || !line.contains("wait"))
            .map(|line| format!("{line}\n"))
            .collect();
        expect![[r#"
            {"event":"wait","for":{"event":"receive","role":"b","message":"Ask","from":"a"}}
            {"event":"send","role":"a","message":"Ask","to":"b"}
            {"event":"receive","role":"b","message":"Ask","from":"a"}
            {"event":"exchange","role":"b","message":"Say","to":"a"}
            {"event":"close","role":"a","to":"b"}
            {"event":"leave","role":"a"}
            {"event":"leave","role":"b"}
        "#]]
        .assert_eq(&steady);
        let model = protocol(body);
        let mut monitor = Monitor::new(&model).expect("a start");
        for line in log.lines() {
            let event = Event::parse(&mut Sources::default(), "log", line).expect("readable");
            let status = monitor.observe(&event).expect("allowed");
            assert_eq!(status, Status::Running, "{line}");
        }
        assert_eq!(monitor.may_end(), Ok(true));
    }
}

/// Notes everything in words.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Observe for Diary {
    fn did(&self, plan: &Plan, act: ActId) {
        self.0.lock().expect("no panic").push(plan.acts[act.index()].text.to_string());
    }

    fn left(&self, plan: &Plan, role: RoleId, cause: &Cause) {
        let role = &plan.roles[role.index()];
        self.0.lock().expect("no panic").push(format!("{role} left: {cause}"));
    }
}

#[test]
fn observers_are_told_who_leaves_and_why() {
    for module in both("(s/cat (s/-->> M ::a ::b) (s/-->> N ::b ::a))") {
        let diary = Arc::new(Diary::default());
        let observed = module.module().observe(Arc::clone(&diary) as Arc<dyn Observe>);
        let [mut a, b] = module.take(observed, ["a", "b"]);
        a.send(module.note("M", 0), None).expect("sent");
        drop(b);
        drop(a);
        let state = if module.form == Form::Strict { [1, 1] } else { [0, 1] };
        let told = [
            "a sends M to b".to_owned(),
            format!("b left: `b` was dropped in state {} before its end", state[0]),
            format!("a left: `a` was dropped in state {} before its end", state[1]),
        ];
        assert_eq!(*diary.0.lock().expect("no panic"), told);
    }
}
