//! A module explored once: real steps fill a table, every question is answered on the table, and what
//! was found is performed by the module again. Knows no formula.

use quadrille_engine::{Config, Limits, Property, Space, unobserved};
use quadrille_model::{
    Action, ActionId, Bound, Counts, Explicit, Group, GroupId, Layout, Model, ParticipantId,
    StateId, Successors, Trace, Value, Verdict,
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
    pub(crate) fn new(module: &'m dyn Model, limits: Limits) -> Result<Self, Bound> {
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

    /// A shortest run of the table to a state of the module.
    pub(crate) fn run_to(&self, state: &[Value]) -> Option<Trace> {
        let number = self.space.find(state)?.number();
        let properties =
            vec![Property::Always(Box::new(move |state: &[Value]| state[0] != number))];
        let config = Config::default();
        let recorded = self.recorded();
        let found = quadrille_engine::check(&recorded, properties, &config, &mut unobserved);
        match found.ok()?.verdicts.pop()? {
            Verdict::Violated(run) => run,
            Verdict::Holds | Verdict::Unknown(_) => None,
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
    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn groups(&self) -> &[Group] {
        self.table.groups()
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        self.table.initial(sink);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        self.table.successors(group, state, sink);
    }

    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        self.table.expand(state, sink);
    }

    fn action(&self, action: ActionId) -> Action {
        self.module.action(action)
    }

    fn n_actions(&self) -> usize {
        self.table.n_actions()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.module.participant(participant)
    }

    fn may_end(&self, state: &[Value]) -> bool {
        self.table.may_end(state)
    }
}
