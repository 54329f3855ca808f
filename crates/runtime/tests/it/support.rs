//! Modules of protocols that are written as text, a message type for all of them, and a watchdog.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use quadrille_diagnostic::Sources;
use quadrille_discourje as dcj;
use quadrille_engine::{Limits, unobserved};
use quadrille_generate::{Wanted, plan_of};
use quadrille_protocol::core::ProtocolModel;
use quadrille_quad as quad;
use quadrille_query::protocol::Explored;
use quadrille_runtime::plan::{ActId, LabelId, RoleId};
use quadrille_runtime::{Form, Module, Observe, Payload, Plan, Role, Sample};

/// A message: its label, and something to see which one it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note(pub LabelId, pub u64);

/// A label that no protocol has.
pub const UNKNOWN: LabelId = LabelId(u32::MAX);

impl Payload for Note {
    fn label(&self) -> Option<LabelId> {
        (self.0 != UNKNOWN).then_some(self.0)
    }

    fn duplicate(&self) -> Option<Self> {
        Some(self.clone())
    }
}

impl Sample for Note {
    fn sample(label: LabelId) -> Option<Self> {
        Some(Self(label, 0))
    }
}

/// A protocol, by the body of a session of Discourje.
pub fn protocol(body: &str) -> ProtocolModel {
    let text = format!("(s/defsession ::p [] {body})");
    let mut sources = Sources::default();
    let source = sources.add("p.dcj", text.clone());
    let (program, diagnostics) = dcj::load(source, &text);
    assert_eq!(diagnostics, [], "{body}");
    program.session(&mut sources, "p", &[]).expect("a session")
}

/// A protocol, in our own language.
pub fn quad_protocol(text: &str) -> ProtocolModel {
    let mut sources = Sources::default();
    let source = sources.add("p.quad", text);
    let (program, diagnostics) = quad::load(&sources, source);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    program.start(&mut sources, None, &[], &[]).expect("starts").model
}

/// Its plan; `None` if it is too large.
pub fn try_plan(protocol: &ProtocolModel, max_states: u64) -> Option<Plan> {
    let limits = Limits { states: Some(max_states), ..Limits::default() };
    let explored = Explored::new(protocol, limits, &mut unobserved).ok()?;
    let wanted = Wanted { accept_differences: true, ..Wanted::default() };
    Some(plan_of("p", &explored, &wanted, limits, &mut unobserved).ok()?.plan)
}

pub fn plan(body: &str) -> Plan {
    try_plan(&protocol(body), 100_000).expect("a small protocol")
}

/// A module with names for its roles and labels.
pub struct Named {
    pub plan: Plan,
    pub form: Form,
}

pub fn both(body: &str) -> [Named; 2] {
    forms(&plan(body))
}

pub fn both_quad(text: &str) -> [Named; 2] {
    forms(&try_plan(&quad_protocol(text), 100_000).expect("a small protocol"))
}

fn forms(plan: &Plan) -> [Named; 2] {
    [Form::Strict, Form::Liberal].map(|form| Named { plan: plan.clone(), form })
}

impl Named {
    pub fn module(&self) -> Module<Note> {
        Module::new(&self.plan, self.form).expect("a good plan")
    }

    pub fn roles<const N: usize>(&self, names: [&str; N]) -> [Role<Note>; N] {
        self.take(self.module(), names)
    }

    /// The roles of a module in this order; there must be no others.
    pub fn take<const N: usize>(&self, module: Module<Note>, names: [&str; N]) -> [Role<Note>; N] {
        let mut roles: Vec<_> = module.into_roles();
        roles.sort_by_key(|role| names.iter().position(|name| *name == role.name()));
        roles.try_into().unwrap_or_else(|_| panic!("other roles than {names:?}"))
    }

    /// The roles of a module, with a signal for each time that a role begins to wait.
    pub fn observed<const N: usize>(&self, names: [&str; N]) -> ([Role<Note>; N], Waits) {
        let (observer, waits) = observer();
        (self.take(self.module().observe(observer), names), waits)
    }

    pub fn id(&self, role: &str) -> RoleId {
        let position = self.plan.roles.iter().position(|name| name == role);
        RoleId(position.expect("a role") as u16)
    }

    pub fn label(&self, label: &str) -> LabelId {
        let position = self.plan.labels.iter().position(|name| name == label);
        LabelId(position.expect("a label") as u32)
    }

    pub fn note(&self, label: &str, number: u64) -> Note {
        Note(self.label(label), number)
    }
}

/// An observer that signals when roles begin to wait.
struct WaitObserver(mpsc::Sender<RoleId>);

/// The signals of an observer.
pub struct Waits(mpsc::Receiver<RoleId>);

impl Observe for WaitObserver {
    fn did(&self, _: &Plan, _: ActId) {}

    fn waits(&self, _: &Plan, role: RoleId, _: &[ActId]) {
        let _ = self.0.send(role);
    }
}

pub fn observer() -> (Arc<dyn Observe>, Waits) {
    let (signal, waits) = mpsc::channel();
    (Arc::new(WaitObserver(signal)), Waits(waits))
}

impl Waits {
    /// Blocks until this many roles have begun to wait since the last call.
    pub fn until(&self, n_roles: usize) {
        (0..n_roles).for_each(|_| {
            self.0.recv().expect("the module is there");
        });
    }
}

/// Runs something that must come to an end.
pub fn soon<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, result) = mpsc::channel();
    let worker = thread::spawn(move || {
        let _ = done.send(work());
    });
    match result.recv_timeout(Duration::from_secs(20)) {
        Ok(result) => {
            worker.join().expect("it is done");
            result
        }
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(worker.join().expect_err("it is gone"))
        }
    }
}
