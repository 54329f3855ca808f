//! Faults of a module that an exploration found.

use std::fmt;

use quadrille_model::{Flow, Halt, Problem, Value};

/// A fault: something that no module may do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The role that is affected.
    pub role: String,
    /// The first state in which it was found.
    pub state: Vec<Value>,
    /// The text of the act or request.
    pub step: String,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// A kind of fault.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    /// The role was waiting, the step enabled its request, and it was not woken.
    NotWoken,
    /// A message was lost, duplicated, or put into another queue.
    Misplaced,
    /// The step had a side effect.
    Strayed,
    /// The step was refused although the protocol has it.
    Refused(String),
    /// The step panicked.
    Panicked(String),
    /// There is no example of the message, so the step was not explored.
    NoSample,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, step, kind, .. } = self;
        match kind {
            FaultKind::NotWoken => write!(f, "`{role}` waits and is not woken by: {step}"),
            FaultKind::Misplaced => {
                write!(f, "a message was lost, doubled or misplaced by: {step}")
            }
            FaultKind::Strayed => write!(f, "more was changed than belongs to: {step}"),
            FaultKind::Refused(why) => write!(f, "`{role}` is refused: {step}: {why}"),
            FaultKind::Panicked(why) => write!(f, "`{role}` panics: {step}: {why}"),
            FaultKind::NoSample => write!(f, "`{role}` has no example to try: {step}"),
        }
    }
}

impl std::error::Error for Fault {}

/// The first fault that was found.
#[derive(Debug, Default)]
pub(super) struct Faults {
    first: Option<Fault>,
}

impl Faults {
    /// The outcome of an expansion: a fault is a problem of the model.
    pub(super) fn outcome(&mut self) -> Flow {
        let Some(fault) = self.first.take() else { return Flow::Continue(()) };
        let problem = Problem::new(fault.to_string()).in_state(&fault.state).because(fault);
        Flow::Break(Halt::Problem(Box::new(problem)))
    }

    #[cold]
    pub(super) fn report(&mut self, role: &str, state: &[Value], step: &str, kind: FaultKind) {
        self.first.get_or_insert_with(|| {
            let (role, step) = (role.to_owned(), step.to_owned());
            Fault { role, state: state.to_vec(), step, kind }
        });
    }
}

/// What a panic says.
pub(super) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
