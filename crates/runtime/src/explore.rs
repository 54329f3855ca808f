//! Exploring a module by running it: a [`Model`] whose states are those of real machines with real queues, and
//! whose steps are taken by the functions that production calls. Knows no engine.
//!
//! A module of its own serves as a workbench. It is put into the state that is asked about, each request that
//! the roles could make is made, with every choice forced in turn, the outcome is read from the machines, and
//! undone.

mod content;
mod declare;
mod fault;
#[cfg(feature = "fault-injection")]
mod injection;
mod layout;
mod liberal;
mod strict;
mod symmetry;

use std::marker::PhantomData;
use std::sync::Arc;

use quadrille_model::{
    ActionId, Explorer, Flow, GroupId, GuardId, Model, Problem, Signature, SlotId, Successors,
    Value,
};

use crate::module::{Form, Module, ModuleConfig, Sample};
use crate::plan::{ActId, LabelId, PacketId, RoleId};
use crate::table::{Table, initiator};
use content::Contents;
use declare::QueueTest;
use layout::Layout;
use liberal::LiberalBench;
use strict::StrictBench;

pub use fault::{Fault, FaultKind};
#[cfg(feature = "fault-injection")]
pub use injection::{FaultInjection, InjectedFault};

/// A module as a model. There is a group and an action per act of the plan, with its number, and a task per role.
/// What must never happen is a problem of the step in question, whose source is a [`Fault`].
pub struct Exploration<P: Sample> {
    config: ModuleConfig,
    form: Form,
    signature: Signature,
    /// By guard, what it asks of a queue.
    tests: Vec<Option<QueueTest>>,
    /// What queues, or pairs, hold.
    contents: Vec<Contents>,
    layout: Layout,
    payload: PhantomData<fn() -> P>,
}

impl<P: Sample> Exploration<P> {
    /// Everything that a module can do from its beginning.
    pub fn new(module: &Module<P>) -> Self {
        // No observer: what is explored does not happen.
        let config = ModuleConfig { observer: None, ..module.config().clone() };
        let (form, table) = (module.form(), Arc::clone(&config.table));
        let contents = match form {
            Form::Liberal => liberal::contents(&table),
            Form::Strict => strict::contents(&table),
        };
        let layout = Layout::new(&table, form);
        let (signature, tests) = match form {
            Form::Liberal => declare::liberal(&table, &layout, &contents),
            Form::Strict => declare::strict(&table, &layout, &contents),
        };
        Self { config, form, signature, tests, contents, layout, payload: PhantomData }
    }

    fn table(&self) -> &Table {
        &self.config.table
    }

    /// What a slot holds, where it is a queue.
    fn contents(&self, slot: SlotId) -> Option<&Contents> {
        self.contents.get(slot.index().checked_sub(self.layout.n_slots())?)
    }

    /// An element of a queue as people see it.
    fn element(&self, element: u32) -> String {
        let table = self.table();
        let packet = PacketId(element);
        match self.form {
            Form::Strict => table.label(LabelId(element)).to_owned(),
            Form::Liberal => {
                let label = table.label(table.message(packet));
                match table.plan.packets[packet.index()].variant {
                    0 => label.to_owned(),
                    variant => format!("{label}#{}", variant + 1),
                }
            }
        }
    }
}

impl<P: Sample> Model for Exploration<P> {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        let config = self.config.clone();
        let bench = match self.form {
            Form::Liberal => Bench::Liberal(LiberalBench::<P>::new(config, &self.contents)),
            Form::Strict => Bench::Strict(StrictBench::new(config, &self.contents)),
        };
        Box::new(Workbench { exploration: self, bench })
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        let Some(contents) = self.contents(slot) else { return value.to_string() };
        let mut elements = Vec::new();
        contents.decode(value, &mut elements);
        let names = elements.into_iter().map(|element| self.element(element));
        format!("[{}]", names.collect::<Vec<_>>().join(" "))
    }

    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        let mut words = Vec::new();
        match self.contents(slot) {
            Some(contents) => contents.decode(value, &mut words),
            None => words.push(value),
        }
        out.extend(words.into_iter().flat_map(u32::to_le_bytes));
    }

    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        let words = content.chunks_exact(4);
        let words: Vec<u32> =
            words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        match self.contents(slot) {
            Some(contents) => contents.encode(&words),
            None => words.first().copied(),
        }
    }
}

/// The module that is run.
enum Bench<P: Sample> {
    Liberal(LiberalBench<P>),
    Strict(StrictBench<P>),
}

/// A module of one worker.
struct Workbench<'e, P: Sample> {
    exploration: &'e Exploration<P>,
    bench: Bench<P>,
}

impl<P: Sample> Workbench<'_, P> {
    fn try_roles(
        &mut self,
        state: &[Value],
        roles: impl Iterator<Item = RoleId>,
        sink: &mut dyn Successors,
    ) -> Flow {
        match &mut self.bench {
            Bench::Liberal(bench) => bench.expand(state, roles, sink),
            Bench::Strict(bench) => bench.expand(state, roles, sink),
        }
    }
}

impl<P: Sample> Explorer for Workbench<'_, P> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        let mut initial = vec![0; self.exploration.signature.n_slots()];
        self.exploration.layout.start(&mut initial);
        sink(&initial)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let role = initiator(self.exploration.table().act(ActId(group.number())));
        let mut only = |by: GroupId, action: ActionId, next: &[Value]| match by == group {
            true => sink.next(by, action, next),
            false => Flow::Continue(()),
        };
        self.try_roles(state, std::iter::once(role), &mut only)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let roles = (0..self.exploration.table().n_roles()).map(|role| RoleId(role as u16));
        self.try_roles(state, roles, sink)
    }

    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let exploration = self.exploration;
        let slot = exploration.signature.guard(guard).reads()[0];
        let test = exploration.tests[guard.index()].expect("an opaque guard");
        let mut elements = Vec::new();
        let contents = exploration.contents(slot).expect("a queue");
        contents.decode(state[slot.index()], &mut elements);
        Ok(test.holds(&elements))
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let plan = &self.exploration.table().plan;
        let (control, rest) = state.split_at(self.exploration.layout.n_slots());
        let mut first = self.exploration.layout.firsts().map(|slot| control[slot] as usize);
        // Where parallel parts are under way, there is no such state.
        Ok(match self.exploration.form {
            Form::Strict => {
                first.all(|state| plan.strict.get(state).is_some_and(|state| state.may_end))
            }
            Form::Liberal => {
                let mut locals = plan.locals.iter().zip(first);
                locals.all(|(local, state)| local.states.get(state).is_some_and(|it| it.may_end))
                    && rest[..plan.queues.len()].iter().all(|&content| content == content::EMPTY)
            }
        })
    }
}
