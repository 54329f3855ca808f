//! Exploring a module by running it: a [`Model`] whose states are those of real machines with real queues, and
//! whose steps are taken by the functions that production calls. Knows no engine.
//!
//! A module of its own serves as a workbench. It is put into the state that is asked about, each request that
//! the roles could make is made, with every choice forced in turn, the outcome is read from the machines, and
//! undone. What must never happen is kept in [`Exploration::faults`].

mod content;
mod fault;
#[cfg(feature = "fault-injection")]
mod injection;
mod liberal;
mod strict;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_model::{
    Action, ActionId, Group, GroupId, Interaction, Layout, Model, ParticipantId, SlotId,
    Successors, Value,
};

use crate::module::{Form, Module, ModuleConfig, Sample};
use crate::plan::{Act, Kind, LocalAutomaton, RoleId};
use crate::table::Table;

use liberal::LiberalBench;
use strict::StrictBench;

pub use fault::{Fault, FaultKind};
#[cfg(feature = "fault-injection")]
pub use injection::{FaultInjection, InjectedFault};

/// A module as a model. There is a group per role, with the same number, and an action per act of the plan.
pub struct Exploration<P: Sample> {
    table: Arc<Table>,
    form: Form,
    layout: Layout,
    groups: Vec<Group>,
    bench: Mutex<Workbench<P>>,
}

/// The module that is run.
enum Workbench<P: Sample> {
    Liberal(LiberalBench<P>),
    Strict(StrictBench<P>),
}

/// Calls the workbench that is there.
macro_rules! either {
    ($bench:expr, $each:ident => $call:expr) => {
        match $bench {
            Workbench::Liberal($each) => $call,
            Workbench::Strict($each) => $call,
        }
    };
}

impl<P: Sample> Exploration<P> {
    /// Everything that a module can do from its beginning.
    pub fn new(module: &Module<P>) -> Self {
        // Nobody looks on: what is explored does not happen.
        let config = ModuleConfig { observer: None, ..module.config().clone() };
        let table = Arc::clone(&config.table);
        let (layout, groups, bench) = match module.form() {
            Form::Liberal => {
                let bench = LiberalBench::new(config);
                (bench.layout(), bench.groups(), Workbench::Liberal(bench))
            }
            Form::Strict => {
                let bench = StrictBench::new(config);
                (bench.layout(), bench.groups(), Workbench::Strict(bench))
            }
        };
        Self { table, form: module.form(), layout, groups, bench: Mutex::new(bench) }
    }

    /// What went wrong in the steps that were asked for so far, each kind once per role and act. Where this is
    /// not empty, no verdict about the module is worth anything.
    pub fn faults(&self) -> Vec<Fault> {
        either!(&*self.bench(), bench => bench.faults.list().to_vec())
    }

    fn bench(&self) -> MutexGuard<'_, Workbench<P>> {
        self.bench.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Sample> Model for Exploration<P> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        sink(&vec![0; self.layout.n_slots()]);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        let role = RoleId(group.number() as u16);
        either!(&mut *self.bench(), bench => bench.expand(state, std::iter::once(role), sink));
    }

    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        let roles = (0..self.groups.len()).map(|role| RoleId(role as u16));
        either!(&mut *self.bench(), bench => bench.expand(state, roles, sink));
    }

    fn action(&self, action: ActionId) -> Action {
        let act = &self.table.plan.acts[action.index()];
        let interaction = interaction(&self.table, act);
        Action { label: act.text.to_string(), events: Vec::new(), interaction }
    }

    fn n_actions(&self) -> usize {
        self.table.plan.acts.len()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.table.plan.roles[participant.index()].to_string()
    }

    fn may_end(&self, state: &[Value]) -> bool {
        let plan = &self.table.plan;
        match self.form {
            Form::Strict => plan.strict[state[0] as usize].may_end,
            Form::Liberal => {
                let (locals, rest) = state.split_at(plan.roles.len());
                let may_end = |(local, &state): (&LocalAutomaton, &Value)| {
                    local.states[state as usize].may_end
                };
                plan.locals.iter().zip(locals).all(may_end)
                    && rest[..plan.queues.len()].iter().all(|&content| content == content::EMPTY)
            }
        }
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        either!(&*self.bench(), bench => bench.show(slot.index(), value))
    }
}

fn participant(role: RoleId) -> ParticipantId {
    ParticipantId::new(u32::from(role.0))
}

fn interaction(table: &Table, act: &Act) -> Interaction<ParticipantId> {
    let from = participant(act.from);
    let to: Vec<ParticipantId> = act.to.iter().map(|&to| participant(to)).collect();
    let message = act.label.map(|label| table.label(label).to_owned()).unwrap_or_default();
    match act.kind {
        Kind::Send => Interaction::Send { from, to, message },
        Kind::Receive => Interaction::Receive { from: Some(from), to: to[0], message },
        Kind::Exchange => Interaction::Exchange { from, to, message },
        Kind::Close => Interaction::Close { from, to: to[0] },
        Kind::Local => Interaction::local(from),
    }
}

/// A group for each role, given the slots that its steps look at and change.
fn groups(table: &Table, slots: impl Fn(RoleId) -> Vec<SlotId>) -> Vec<Group> {
    let group = |role: usize| {
        let role = RoleId(role as u16);
        let mut slots = slots(role);
        slots.sort_unstable();
        slots.dedup();
        Group {
            name: table.role(role).to_owned(),
            participants: vec![participant(role)],
            reads: slots.clone(),
            writes: slots,
            ..Group::default()
        }
    };
    (0..table.n_roles()).map(group).collect()
}
