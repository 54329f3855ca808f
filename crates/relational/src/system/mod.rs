//! A design as a model: slots for rows of relations, one group for each instance of an event, the
//! commands as formulas. Steps are evaluated by the naive evaluator, so that what groups declare is
//! coarse: all of them read everything.

mod layout;
mod questions;

use std::ops::ControlFlow;

use quadrille_diagnostic::Diagnostic;
use quadrille_model::{
    Action, ActionId, Effect, Explorer, Flow, Group, GroupId, Halt, Interaction, Model, Origin,
    Place, Problem, Proposition, PropositionId, Signature, SlotId, Successors, TaskId, Value,
};

use crate::eval::{Bindings, Evaluator, State};
use crate::ground::{Atom, World};
use crate::syntax::tree::{Fair, Scope};
use crate::types::Design;
use crate::types::core::{Set, When};
use layout::Layout;
use questions::{Propositions, Questions};

pub use questions::{Asked, Meaning};

/// A design in a scope, as a model.
pub struct System {
    design: Design,
    world: World,
    layout: Layout,
    initial: Vec<Vec<Value>>,
    propositions: Propositions,
    /// The event and the arguments of each group.
    instances: Vec<(usize, Vec<Atom>)>,
    signature: Signature,
    /// What the commands ask.
    pub asked: Vec<Asked>,
    /// Which tasks are fair, and how.
    pub fairness: Vec<(TaskId, Fair)>,
}

/// An event with its arguments, as traces show it.
fn label(world: &World, name: &str, arguments: &[Atom]) -> String {
    if arguments.is_empty() {
        return name.to_owned();
    }
    let names: Vec<&str> =
        arguments.iter().map(|atom| world.names[*atom as usize].as_str()).collect();
    format!("{name}[{}]", names.join(", "))
}

impl System {
    /// A design in a scope: that of a command, or else that of `init`; with the commands that have
    /// the same scope.
    pub fn new(design: &Design, scope: Option<&Scope>) -> Result<System, Vec<Diagnostic>> {
        let world = World::new(design, scope)?;
        let design = design.clone();
        Self::of(design, world, scope).map_err(|diagnostic| vec![*diagnostic])
    }

    fn of(design: Design, world: World, scope: Option<&Scope>) -> Result<System, Box<Diagnostic>> {
        let evaluator = Evaluator::new(&design, &world);
        let states = evaluator.initial()?;
        let layout = Layout::new(&evaluator, (&design, &world), &states)?;
        let first = states.first().cloned().unwrap_or(State(Vec::new()));
        let mut questions = Questions {
            evaluator: Evaluator::new(&design, &world),
            design: &design,
            world: &world,
            state: &first,
            propositions: Propositions::new(),
        };
        let mut asked = Vec::new();
        for command in design.commands.iter().filter(|command| command.scope.as_ref() == scope) {
            asked.push(questions.asked(command)?);
        }
        let propositions = questions.propositions;
        let mut initial = Vec::new();
        for state in &states {
            let mut vector = Vec::new();
            layout.encode(state, &mut vector);
            initial.push(vector);
        }
        initial.sort();
        initial.dedup();
        let mut signature = Signature::new(layout.slots(&design, &world));
        let all: Vec<SlotId> = signature.slot_ids().collect();
        let (mut instances, mut fairness) = (Vec::new(), Vec::new());
        for (number, event) in design.events.iter().enumerate() {
            let is_written = |slot: &SlotId| {
                let relation = layout.rows[slot.index()].relation;
                event.body.any(&|_| false, &|set| *set == Set::Relation(relation, When::Next))
            };
            let effects: Vec<Effect> =
                all.iter().copied().filter(is_written).map(Effect::any).collect();
            for arguments in evaluator.instances(number) {
                let position = instances.len();
                let name = label(&world, &event.name, &arguments);
                let task = TaskId::from_usize(position);
                fairness.extend(event.fairness.map(|fair| (task, fair)));
                let events = vec![event.name.clone(), name.clone()];
                let interaction = Interaction::ANONYMOUS;
                signature.actions.push(Action { label: name.clone(), events, interaction });
                signature.tasks.push(name);
                let place = Place {
                    text: event.span.source.number(),
                    start: event.span.start,
                    end: event.span.end,
                };
                signature.groups.push(Group {
                    task,
                    reads: all.clone(),
                    effects: effects.clone(),
                    actions: Some(vec![ActionId::from_usize(position)]),
                    origin: Origin(Some(place)),
                    ..Group::default()
                });
                instances.push((number, arguments));
            }
        }
        for number in 0..propositions.len() {
            let (name, support) = (format!("p{number}"), all.clone());
            signature.propositions.push(Proposition { name, support });
        }
        Ok(System {
            layout,
            initial,
            propositions,
            instances,
            signature,
            asked,
            fairness,
            design,
            world,
        })
    }
}

impl Model for System {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        let evaluator = Evaluator::new(&self.design, &self.world);
        Box::new(Walker { system: self, evaluator, next: Vec::new() })
    }

    fn show(&self, slot: SlotId, value: Value) -> String {
        let row = &self.layout.rows[slot.index()];
        let atoms = row.members(value);
        let names: Vec<&str> =
            atoms.iter().map(|atom| self.world.names[*atom as usize].as_str()).collect();
        match row.is_set() {
            true => format!("{{{}}}", names.join(", ")),
            false => names.first().map_or("none", |name| name).to_owned(),
        }
    }
}

/// The steps of a system.
struct Walker<'s> {
    system: &'s System,
    evaluator: Evaluator<'s>,
    next: Vec<Value>,
}

impl Walker<'_> {
    fn fire(
        &mut self,
        group: GroupId,
        state: &State,
        vector: &[Value],
        sink: &mut dyn Successors,
    ) -> Flow {
        let (event, arguments) = &self.system.instances[group.index()];
        let found = self.evaluator.fire(*event, arguments, state);
        let found = match found {
            Ok(found) => found,
            Err(diagnostic) => {
                return ControlFlow::Break(Halt::from(problem(&diagnostic, vector)));
            }
        };
        for next in found {
            self.system.layout.encode(&next, &mut self.next);
            sink.next(group, ActionId::from_usize(group.index()), &self.next)?;
        }
        ControlFlow::Continue(())
    }
}

fn problem(diagnostic: &Diagnostic, state: &[Value]) -> Box<Problem> {
    let span = diagnostic.labels.first().map(|label| label.span);
    let place =
        span.map(|span| Place { text: span.source.number(), start: span.start, end: span.end });
    let problem = Problem::new(diagnostic.message.clone()).at(place).in_state(state);
    Box::new(problem.because(diagnostic.clone()))
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.system.initial.iter().try_for_each(|state| sink(state))
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let decoded = self.system.layout.decode(state);
        self.fire(group, &decoded, state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let decoded = self.system.layout.decode(state);
        for group in (0..self.system.instances.len()).map(GroupId::from_usize) {
            self.fire(group, &decoded, state, sink)?;
        }
        ControlFlow::Continue(())
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let (formula, bound) = &self.system.propositions[proposition.index()];
        let decoded = self.system.layout.decode(state);
        self.evaluator.holds(formula, &decoded, bound).map_err(|found| problem(&found, state))
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        let Some(end) = &self.system.design.end else { return Ok(false) };
        let decoded = self.system.layout.decode(state);
        let ended = self.evaluator.holds(end, &decoded, &Bindings::new());
        ended.map_err(|found| problem(&found, state))
    }
}
