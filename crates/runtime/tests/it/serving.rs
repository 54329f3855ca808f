//! What the strict machine does for threads that wait, before they are awake again.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use expect_test::{Expect, expect};
use quadrille_runtime::plan::{ActId, LabelId, RoleId};
use quadrille_runtime::{Form, Module, Observe, Plan, Policy, Role};

use crate::support::{Note, quad_protocol, soon, try_plan};

/// Remembers what happened, and tells who waits.
struct Watcher {
    happened: Mutex<Vec<ActId>>,
    waits: mpsc::Sender<RoleId>,
}

impl Observe for Watcher {
    fn did(&self, _: &Plan, act: ActId) {
        self.happened.lock().expect("no panic").push(act);
    }

    fn waits(&self, _: &Plan, role: RoleId, _: &[ActId]) {
        let _ = self.waits.send(role);
    }
}

/// A strict module, what happens in it, and who waits.
struct Watched {
    roles: Vec<Role<Note>>,
    plan: Plan,
    watcher: Arc<Watcher>,
    waits: mpsc::Receiver<RoleId>,
}

impl Watched {
    fn new(text: &str, policy: Policy) -> Self {
        let plan = try_plan(&quad_protocol(text), 1_000).expect("small");
        let (told, waits) = mpsc::channel();
        let watcher = Arc::new(Watcher { happened: Mutex::default(), waits: told });
        let module = Module::new(&plan, Form::Strict).expect("a good plan");
        let module = module.policy(policy).observe(Arc::clone(&watcher) as Arc<dyn Observe>);
        Self { roles: module.into_roles(), plan, watcher, waits }
    }

    fn take(&mut self, name: &str) -> Role<Note> {
        let position = self.roles.iter().position(|role| role.name() == name);
        self.roles.remove(position.expect("a role"))
    }

    fn note(&self, label: &str) -> Note {
        let position = self.plan.labels.iter().position(|name| name == label);
        Note(LabelId(position.expect("a label") as u32), 0)
    }

    /// Comes back when so many more have said that they wait.
    fn until_waiting(&self, count: usize) {
        for _ in 0..count {
            self.waits.recv().expect("somebody waits");
        }
    }

    fn check(&self, expected: &Expect) {
        let happened = self.watcher.happened.lock().expect("no panic");
        let lines = happened.iter().map(|act| format!("{}\n", self.plan.acts[act.index()].text));
        expected.assert_eq(&lines.collect::<String>());
    }
}

#[test]
fn a_message_is_taken_for_a_thread_that_waits_for_it() {
    soon(|| {
        let text = "message M; role a, b, c; protocol p { M from a to b; M from a to c; }";
        let mut module = Watched::new(text, Policy::First);
        let [mut a, mut b, _c] = ["a", "b", "c"].map(|name| module.take(name));
        let receiver = thread::spawn(move || b.recv(None).map(|received| received.label));
        module.until_waiting(1);
        a.send(module.note("M"), None).expect("sent");
        // Whether or not the thread has woken up.
        module.check(&expect![[r#"
            a sends M to b
            b receives M from a
        "#]]);
        receiver.join().expect("no panic").expect("received");
    });
}

#[test]
fn what_is_done_for_a_thread_goes_on_as_long_as_others_wait() {
    soon(|| {
        let text = "message M, N; role a, b, c; protocol p { M from a to b; N from c to b sync; N from b to a; }";
        let mut module = Watched::new(text, Policy::First);
        let [mut a, mut b, mut c] = ["a", "b", "c"].map(|name| module.take(name));
        let (m, n) = (module.note("M"), module.note("N"));
        let (sent, passed) = (n.clone(), n);
        let sender = thread::spawn(move || c.send(passed, None));
        module.until_waiting(1);
        let receiver = thread::spawn(move || {
            b.recv(None).expect("M");
            b.recv(None).expect("N");
            b.send(sent, None)
        });
        module.until_waiting(1);
        a.send(m, None).expect("sent");
        a.recv(None).expect("N");
        sender.join().expect("no panic").expect("passed");
        receiver.join().expect("no panic").expect("sent");
        module.check(&expect![[r#"
            a sends M to b
            b receives M from a
            c passes N to b
            b sends N to a
            a receives N from b
        "#]]);
    });
}

#[test]
fn threads_that_wait_for_the_same_have_their_turns() {
    soon(|| {
        let text = "message M; role a, b, hub; protocol p {
            repeat forever { either { M from a to hub; } or { M from b to hub; } } }";
        let mut module = Watched::new(text, Policy::First);
        let mut hub = module.take("hub");
        let note = module.note("M");
        let [mut a, b] = ["a", "b"].map(|name| module.take(name));
        a.send(note.clone(), None).expect("sent");
        let senders = [a, b].map(|mut role| {
            let note = note.clone();
            thread::spawn(move || {
                (0..3).try_for_each(|_| role.send(note.clone(), None)).map(|()| role)
            })
        });
        module.until_waiting(2);
        for _ in 0..4 {
            hub.recv(None).expect("a message");
            module.until_waiting(1);
        }
        module.check(&expect![[r#"
            a sends M to hub
            hub receives M from a
            a sends M to hub
            hub receives M from a
            b sends M to hub
            hub receives M from b
            a sends M to hub
            hub receives M from a
            b sends M to hub
        "#]]);
        for _ in 0..3 {
            hub.recv(None).expect("a message");
        }
        let senders = senders.map(|sender| sender.join().expect("no panic").expect("sent"));
        drop(senders);
    });
}
