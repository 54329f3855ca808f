//! What must never happen when a module is run, and was seen to happen.

use std::collections::BTreeSet;
use std::fmt;

use quadrille_model::Value;

/// Something that must never happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The role that it happened to.
    pub role: String,
    /// The first state in which it was seen, as the exploration numbers it.
    pub state: Vec<Value>,
    /// What was done: the text of an act, or of a request.
    pub step: String,
    /// What happened.
    pub wrong: Wrong,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wrong {
    /// The role was waiting, the step made it possible to go on, and nobody told it.
    NotWoken,
    /// A message was lost, came twice, or went astray.
    Misplaced,
    /// The step changed something that it has nothing to do with.
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
        let Self { role, step, wrong, .. } = self;
        match wrong {
            Wrong::NotWoken => write!(f, "`{role}` waits and is not woken by: {step}"),
            Wrong::Misplaced => write!(f, "a message was lost, doubled or misplaced by: {step}"),
            Wrong::Strayed => write!(f, "more was changed than belongs to: {step}"),
            Wrong::Refused(why) => write!(f, "`{role}` is refused: {step}: {why}"),
            Wrong::Panicked(why) => write!(f, "`{role}` panics: {step}: {why}"),
            Wrong::NoSample => write!(f, "`{role}` has no example to try: {step}"),
        }
    }
}

/// The faults seen so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
    known: BTreeSet<(String, String, Wrong)>,
}

impl Faults {
    pub(super) fn list(&self) -> &[Fault] {
        &self.list
    }

    #[cold]
    pub(super) fn report(&mut self, role: &str, state: &[Value], step: &str, wrong: Wrong) {
        if self.known.insert((role.to_owned(), step.to_owned(), wrong.clone())) {
            let (role, step) = (role.to_owned(), step.to_owned());
            self.list.push(Fault { role, state: state.to_vec(), step, wrong });
        }
    }
}

/// What a panic says.
pub(super) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
