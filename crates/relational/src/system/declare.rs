//! What a lowered design declares to engines, and what is left to compute: a group for each piece of
//! an instance of an event, whose guards test single slots and whose effects are constants, unless
//! that took too many pieces.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_model::{
    Action, ActionId, Change, Condition, Effect, Group, Guard, GuardId, Interaction, Origin, Place,
    Proposition, Signature, SlotId, TaskId, Value, ValueSet,
};
use rustc_hash::FxHashMap;

use super::layout::Layout;
use super::{ANY_STEP, held, label};
use crate::codes::NEVER;
use crate::eval::Evaluator;
use crate::lower::{
    Bit, Circuit, Code, FALSE, Failures, Lowered, Piece, Source, TRUE, Values, Wire, values,
};
use crate::show::Shower;
use crate::types::words::Fair;

/// Most parts of a condition that is told to engines.
const MOST_PARTS: usize = 1 << 10;

/// A model without its initial states.
pub(super) struct Declared {
    pub(super) signature: Signature,
    pub(super) code: Code,
    /// Per group, what it does.
    pub(super) steps: Vec<Step>,
    /// Per guard, its condition if only that tells.
    pub(super) guards: Vec<Option<Wire>>,
    /// Per proposition, its condition; then where the system may end.
    pub(super) conditions: Vec<Computable>,
    /// The same taken apart, where that is short.
    pub(super) meanings: Vec<Option<Condition>>,
    pub(super) fairness: Vec<(TaskId, Fair)>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Where something cannot be computed, and why.
pub(super) type Failing = Vec<(Wire, Box<Diagnostic>)>;

/// A condition, and where it cannot be computed.
pub(super) struct Computable {
    pub(super) holds: Wire,
    pub(super) failing: Failing,
}

/// What a group does.
pub(super) struct Step {
    pub(super) action: ActionId,
    /// Slots with the values of which they must have one.
    pub(super) tests: Vec<(usize, Values)>,
    /// What must hold beside that.
    pub(super) rest: Vec<Wire>,
    /// Slots with the value that they get.
    pub(super) constants: Vec<(usize, Value)>,
    /// Slots with the condition for each value.
    pub(super) variables: Vec<(usize, Vec<Wire>)>,
    /// Where the instance cannot be computed; such a group makes no step.
    pub(super) failing: Option<Failing>,
}

impl Declared {
    pub(super) fn never_fails(&self) -> bool {
        self.steps.iter().all(|step| step.failing.is_none())
            && self.conditions.iter().all(|condition| condition.failing.is_empty())
    }
}

/// Declares a lowered design.
pub(super) fn declare(
    source: &Source<'_>,
    layout: &Layout,
    lowered: Lowered,
    evaluator: &Evaluator<'_>,
) -> Declared {
    let Lowered { circuit, instances, formulas } = lowered;
    let pieces = || instances.iter().flat_map(|instance| &instance.pieces);
    let failures = instances.iter().map(|instance| &instance.failures);
    let failures = failures.chain(formulas.iter().map(|(_, failures)| failures));
    let wanted: BTreeSet<Bit> = pieces()
        .flat_map(|piece| piece.rest.iter().chain(piece.effects.iter().flat_map(|it| &it.1)))
        .chain(formulas.iter().map(|(holds, _)| holds))
        .chain(failures.flatten().map(|(when, _)| when))
        .copied()
        .collect();
    let wanted: Vec<Bit> = wanted.into_iter().collect();
    let (code, wires) = circuit.code(&wanted);
    let mut declaring = Declaring {
        evaluator,
        wires: wanted.into_iter().zip(wires).collect(),
        known: BTreeMap::new(),
        declared: Declared {
            signature: Signature::new(layout.slots(source.design, source.world)),
            code,
            steps: Vec::new(),
            guards: Vec::new(),
            conditions: Vec::new(),
            meanings: Vec::new(),
            fairness: Vec::new(),
            warnings: Vec::new(),
        },
        circuit,
    };
    for instance in &instances {
        if instance.pieces.is_empty() && instance.failures.is_empty() {
            continue;
        }
        let event = &source.design.events[instance.event];
        let name = label(source.world, &event.name, &instance.arguments);
        let events = vec![event.name.clone(), name.clone()];
        let is_asked = !source.across.is_empty();
        let events = events.into_iter().chain(is_asked.then(|| ANY_STEP.to_owned())).collect();
        let mut act = declaring.act(&name, events, event.fairness, event.span);
        if !instance.failures.is_empty() {
            declaring.failing(&mut act, &instance.failures);
        }
        for piece in &instance.pieces {
            declaring.piece(&mut act, piece);
        }
    }
    for (number, event) in source.design.events.iter().enumerate() {
        let mut own = instances.iter().filter(|instance| instance.event == number);
        if own.all(|it| it.pieces.is_empty() && it.failures.is_empty()) {
            let message = format!("`{}` can never happen", event.name);
            let help = "its guards contradict each other, or ask for what no event brings about";
            let warning = Diagnostic::warning(&NEVER, message).at(event.span, "").help(help);
            declaring.declared.warnings.push(warning);
        }
    }
    declaring.formulas(&formulas);
    let propositions = &mut declaring.declared.signature.propositions;
    for (proposition, (formula, bound)) in propositions.iter_mut().zip(source.formulas) {
        let shower = Shower { design: source.design, world: source.world, bound };
        proposition.name = shower.formula(formula);
    }
    declaring.declared
}

struct Declaring<'e, 'd> {
    evaluator: &'e Evaluator<'d>,
    circuit: Circuit,
    wires: FxHashMap<Bit, Wire>,
    known: BTreeMap<Guard, GuardId>,
    declared: Declared,
}

/// What the groups of an instance have in common.
struct Act {
    name: String,
    /// What formulas call it.
    events: Vec<String>,
    task: TaskId,
    /// The actions, by the formulas about a state and the next that hold of their steps.
    actions: BTreeMap<Vec<usize>, ActionId>,
    origin: Origin,
}

fn slot_ids(slots: BTreeSet<usize>) -> Vec<SlotId> {
    slots.into_iter().map(SlotId::from_usize).collect()
}

impl Declaring<'_, '_> {
    fn act(&mut self, name: &str, events: Vec<String>, fair: Option<Fair>, span: Span) -> Act {
        let signature = &mut self.declared.signature;
        let task = TaskId::from_usize(signature.tasks.len());
        signature.tasks.push(name.to_owned());
        self.declared.fairness.extend(fair.map(|fair| (task, fair)));
        let place = Place { text: span.source.number(), start: span.start, end: span.end };
        let (name, actions) = (name.to_owned(), BTreeMap::new());
        Act { name, events, task, actions, origin: Origin(Some(place)) }
    }

    /// The action of steps of which these formulas hold.
    fn action(&mut self, act: &mut Act, of: &[usize]) -> ActionId {
        let actions = &mut self.declared.signature.actions;
        *act.actions.entry(of.to_vec()).or_insert_with(|| {
            let events = act.events.iter().cloned().chain(of.iter().map(|number| held(*number)));
            let (label, interaction) = (act.name.clone(), Interaction::ANONYMOUS);
            actions.push(Action { label, events: events.collect(), interaction });
            ActionId::from_usize(actions.len() - 1)
        })
    }

    fn group(&mut self, act: &Act, step: Step, group: Group) {
        let actions = Some(vec![step.action]);
        self.declared.steps.push(step);
        self.declared.signature.groups.push(Group {
            task: act.task,
            actions,
            origin: act.origin,
            ..group
        });
    }

    /// A group that makes no step, but says where its instance cannot be computed.
    fn failing(&mut self, act: &mut Act, failures: &Failures) {
        let support = self.circuit.support(failures.iter().map(|(when, _)| *when));
        let step = Step {
            action: self.action(act, &[]),
            tests: Vec::new(),
            rest: Vec::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            failing: Some(self.told(failures)),
        };
        self.group(act, step, Group { reads: slot_ids(support), ..Group::default() });
    }

    fn told(&self, failures: &Failures) -> Failing {
        let told = |(when, failure): &(Bit, _)| (self.wires[when], self.evaluator.failure(failure));
        failures.iter().map(told).collect()
    }

    fn piece(&mut self, act: &mut Act, piece: &Piece) {
        let action = self.action(act, &piece.held);
        let known = piece.known.iter().zip(self.circuit.all()).enumerate();
        let tests: Vec<(usize, Values)> = known
            .filter(|(_, (known, all))| known != all)
            .map(|(slot, (known, _))| (slot, *known))
            .collect();
        let mut guards = Vec::new();
        for (slot, set) in &tests {
            let guard = Guard::In(SlotId::from_usize(*slot), values(*set).collect());
            guards.push(self.guard(guard, None));
        }
        let mut rest = Vec::new();
        for bit in &piece.rest {
            let reads = slot_ids(self.circuit.support([*bit]));
            let text = format!("what `{}` asks for", act.name);
            rest.push(self.wires[bit]);
            guards.push(self.guard(Guard::Opaque { reads, text }, Some(self.wires[bit])));
        }
        let mut reads = BTreeSet::new();
        let (mut effects, mut constants, mut variables) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, bits) in &piece.effects {
            let results: ValueSet = values(Piece::results(bits)).collect();
            effects
                .push(Effect { slot: SlotId::from_usize(*slot), change: Change::Assign(results) });
            match bits.iter().position(|bit| *bit == TRUE) {
                Some(value) if bits.iter().all(|bit| *bit == TRUE || *bit == FALSE) => {
                    constants.push((*slot, value as Value));
                }
                _ => {
                    reads.extend(self.circuit.support(bits.iter().copied()));
                    variables.push((*slot, bits.iter().map(|bit| self.wires[bit]).collect()));
                }
            }
        }
        effects.sort_by_key(|effect| effect.slot);
        let step = Step { action, tests, rest, constants, variables, failing: None };
        let reads = slot_ids(reads);
        let group = Group { guards, guards_complete: true, reads, effects, ..Group::default() };
        self.group(act, step, group);
    }

    fn guard(&mut self, guard: Guard, wire: Option<Wire>) -> GuardId {
        let known = self.known.get(&guard).filter(|_| wire.is_none());
        if let Some(known) = known {
            return *known;
        }
        let position = |known: &Option<Wire>| wire.is_some() && *known == wire;
        if let Some(known) = self.declared.guards.iter().position(position) {
            return GuardId::from_usize(known);
        }
        let id = GuardId::from_usize(self.declared.guards.len());
        self.declared.guards.push(wire);
        self.declared.signature.guards.push(guard.clone());
        if wire.is_none() {
            self.known.insert(guard, id);
        }
        id
    }

    /// The propositions, and last the end.
    fn formulas(&mut self, formulas: &[(Bit, Failures)]) {
        for (number, (holds, failures)) in formulas.iter().enumerate() {
            let bits = failures.iter().map(|(when, _)| *when).chain([*holds]);
            let support = slot_ids(self.circuit.support(bits));
            let signature = &mut self.declared.signature;
            if number + 1 < formulas.len() {
                signature.propositions.push(Proposition { name: String::new(), support });
            } else {
                signature.ends = support;
            }
            let mut room = MOST_PARTS;
            let is_told = failures.is_empty();
            let meaning = is_told.then(|| self.circuit.condition(*holds, &mut room)).flatten();
            let computable = Computable { holds: self.wires[holds], failing: self.told(failures) };
            self.declared.meanings.push(meaning);
            self.declared.conditions.push(computable);
        }
    }
}
