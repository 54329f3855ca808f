//! A module explored once: real steps fill a table, every question is answered on the table, and what
//! was found is performed by the module again. Knows no formula.

use quadrille_engine::{Config, Limits, Property, Space, Stopped, unobserved};
use quadrille_model::{
    Action, ActionId, Counts, Explicit, Explorer, Model, Participant, ParticipantId, Signature,
    StateId, Trace, Value, Verdict,
};

/// The states and steps of a module.
pub(crate) struct Explored<'m> {
    module: &'m dyn Model,
    space: Space<'m>,
    table: Explicit,
}

/// What a module did, as a table with the module's own actions.
pub(crate) struct Recorded<'e> {
    table: &'e Explicit,
    module: &'e dyn Model,
}

impl<'m> Explored<'m> {
    /// Lets a module do everything it can.
    pub(crate) fn new(module: &'m dyn Model, limits: Limits) -> Result<Self, Stopped> {
        let mut space = Space::new(module);
        let table = space.tabulate(limits, &mut unobserved)?;
        Ok(Self { module, space, table })
    }

    /// The module.
    pub(crate) fn module(&self) -> &'m dyn Model {
        self.module
    }

    /// What it did.
    pub(crate) fn recorded(&self) -> Recorded<'_> {
        Recorded { table: &self.table, module: self.module }
    }

    /// The same as a plain table.
    pub(crate) fn table(&self) -> &Explicit {
        &self.table
    }

    /// How much that is.
    pub(crate) fn counts(&self) -> Counts {
        let table = self.table();
        let is_stuck = |&state: &StateId| table.edges(state).is_empty() && !table.is_end(state);
        Counts {
            states: table.n_states() as u64,
            transitions: table.n_edges() as u64,
            deadlocks: table.states().filter(is_stuck).count() as u64,
            depth: None,
            bytes: self.space.bytes() as u64,
        }
    }

    /// A run of the table, performed by the module again; `None` if the module did something else this
    /// time.
    pub(crate) fn performed(&self, run: &Trace) -> Option<Trace> {
        let trace = self.space.retold(run)?;
        trace.replay(self.module).is_ok().then_some(trace)
    }
}

impl Model for Recorded<'_> {
    fn signature(&self) -> &Signature {
        self.table.signature()
    }

    fn allows_workers(&self) -> bool {
        self.table.allows_workers()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        self.table.explorer()
    }

    fn action(&self, action: ActionId) -> Action {
        self.module.action(action)
    }

    fn participant(&self, participant: ParticipantId) -> Participant {
        self.module.participant(participant)
    }
}

/// A shortest run of a module to a state, which need not be expanded.
pub(crate) fn run_to(module: &dyn Model, wanted: &[Value]) -> Option<Trace> {
    let is_other = |state: &[Value]| Ok(state != wanted);
    let properties = vec![Property::Always(Box::new(is_other))];
    let found = quadrille_engine::check(module, properties, &Config::default(), &mut unobserved);
    match found.ok()?.verdicts.pop()? {
        Verdict::Violated(run) => run,
        Verdict::Holds | Verdict::Unknown(_) => None,
    }
}
