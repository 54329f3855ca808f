//! The search for instances and traces of a command within its scope: lassos by length, on one solver
//! that keeps what it learned. Every instance is evaluated again before it is told.

mod ahead;
mod contradiction;
mod forms;
#[cfg(test)]
mod tests;
mod witnesses;

use std::rc::Rc;

use rustc_hash::FxHashSet;

use quadrille_diagnostic::{Diagnostic, SourceId, Span};
use quadrille_solve::{Best, Circuit, Clauses, Lit, Outcome, Solver, Statistics, columns};

use crate::codes::{HIGHER_ORDER, UNSUPPORTED};
use crate::core::{NodeId, Op, RelId, Tense, children};
use crate::evaluate::{Evaluator, Tuples, Values};
use crate::explicit::Explored;
use crate::instance::Instance;
use crate::lower::{Claim, Lowered, lower, lower_expression, overflow, speaks_of_time, strings};
use crate::names::typed::Typed;
use crate::names::world::{Command, World};
use crate::scope::Bounds;
use crate::symmetry;
use crate::translate::{At, Failure, Kept, Translator};

/// What to do differently.
#[derive(Clone)]
pub struct Options {
    /// Whether atoms that nothing tells apart are taken in one order.
    pub symmetry: bool,
    /// Whether contradictory claims are told, which takes longer.
    pub core: bool,
    /// Whether integers wrap around; else a comparison of numbers that do not fit says nothing.
    pub wraps: bool,
    /// Whether the proofs of the solver that there is nothing are checked.
    pub checks_proofs: bool,
    /// Asked from time to time whether to give up.
    pub stop: Rc<dyn Fn() -> bool>,
}

impl Default for Options {
    fn default() -> Self {
        let stop = Rc::new(|| false);
        Self { symmetry: true, core: false, wraps: true, checks_proofs: false, stop }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Found {
    /// An instance: of a `check`, a counterexample.
    Instance(Box<Instance>),
    /// There is none.
    None(Reach),
    /// It was told to stop.
    Stopped,
}

/// How far it was looked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Nothing changes: there is nothing else.
    Static,
    /// Lassos of at most so many states.
    Steps(usize),
    /// Every run, whatever its length.
    Everything,
}

/// What is known about runs of any length.
#[derive(Clone, Debug)]
pub enum Everywhere {
    /// There is one.
    Found {
        /// It.
        instance: Box<Instance>,
        /// Whether no other is shorter.
        is_shortest: bool,
    },
    /// There is none: so many states follow each other in so many ways.
    None {
        /// How many states there are.
        states: usize,
        /// How many steps.
        steps: usize,
    },
    /// The facts do not say what follows what.
    Unknown,
    /// There are more states or steps than were wanted.
    TooMuch,
    /// It was told to stop.
    Stopped,
}

/// An expression that stands in no text.
#[derive(Clone, Debug)]
pub struct Expression(Typed);

/// Reads an expression as if it stood in the file of a specification.
pub fn expression(
    world: &mut World,
    source: SourceId,
    text: &str,
) -> Result<Expression, Diagnostic> {
    crate::names::read_expression(world, source, text).map(Expression)
}

/// A command that is being answered.
pub struct Search<'w> {
    world: &'w World,
    command: &'w Command,
    options: Options,
    bounds: Rc<Bounds>,
    lowered: Lowered,
    classes: Vec<Vec<u16>>,
    circuit: Circuit,
    clauses: Clauses,
    solver: Best,
    kept: Kept,
    /// The length that is looked at, and what stands for all claims at that length.
    length: usize,
    longest: usize,
    root: Option<Lit>,
    /// Instances that were told, in the form that is the same for all that differ by names of atoms.
    told: Vec<Values>,
    /// Contradictory places.
    core: Vec<Span>,
    /// Numbers without variables, in what must hold.
    numbers: Vec<NodeId>,
    /// The length up to which states in their order are known to allow nothing, or to allow something.
    ahead: Option<usize>,
    /// How many learned clauses were checked.
    n_checked: usize,
}

impl<'w> Search<'w> {
    /// Prepares the answer to a command; growing scopes are taken as they are after so many steps.
    pub fn new(
        world: &'w World,
        command: &'w Command,
        options: Options,
        grown: i64,
    ) -> Result<Self, Diagnostic> {
        let strings = strings(world, command);
        let mut bounds = Bounds::new(world, command, &strings, grown)?;
        let mut lowered = lower(world, command, &mut bounds)?;
        if !options.wraps {
            overflow::exclude(&mut bounds, &mut lowered);
        }
        if let Some(wide) = bounds.relations.iter().find(|relation| relation.arity > 7) {
            let message = format!("a relation of {} columns is not supported", wide.arity);
            let error = Diagnostic::error(&UNSUPPORTED, message).at(command.span, "");
            return Err(error.help("split it into relations of at most seven columns"));
        }
        let mut classes = symmetry::classes(&bounds);
        let is_on = options.symmetry;
        symmetry::fix_orders(world, &mut bounds, &lowered, is_on, &mut classes);
        let is_temporal = lowered
            .facts
            .iter()
            .chain(&lowered.goal)
            .any(|claim| bounds.core.tense(claim.formula) != Tense::Static)
            || bounds.relations.iter().any(|relation| relation.is_var);
        let has_steps = is_temporal || speaks_of_time(world, command);
        let (first, longest) = match (is_temporal, command.scope.steps) {
            (true, None) => (1, 10),
            (_, Some((least, most))) if has_steps => {
                let most = most.unwrap_or(UNBOUNDED);
                (usize::try_from(least).unwrap_or(1), usize::try_from(most).unwrap_or(10))
            }
            (false, None) => (1, 1),
            (_, Some(_)) => {
                let message = "nothing changes here, so there are no steps";
                let error = Diagnostic::error(&crate::codes::SCOPE, message).at(command.span, "");
                return Err(error.help("remove `steps` from the scope"));
            }
        };
        let numbers = closed_numbers(&bounds, &lowered);
        let mut solver = if options.checks_proofs { Best::with_proof() } else { Best::default() };
        let stop = options.stop.clone();
        solver.stop_when(Box::new(move || stop()));
        Ok(Self {
            world,
            command,
            options,
            bounds: Rc::new(bounds),
            lowered,
            classes,
            circuit: Circuit::default(),
            clauses: Clauses::default(),
            solver,
            kept: Kept::default(),
            length: first,
            longest: longest.max(first),
            root: None,
            told: Vec::new(),
            core: Vec::new(),
            numbers,
            ahead: None,
            n_checked: 0,
        })
    }

    /// Whether anything changes.
    pub fn is_static(&self) -> bool {
        self.longest == 1 && self.command.scope.steps.is_none()
    }

    /// The next instance, which is none of those before with other names of atoms.
    pub fn find(&mut self) -> Result<Found, Diagnostic> {
        loop {
            let root = match self.root {
                Some(root) => root,
                None => {
                    match self.look_ahead() {
                        Some(true) => {}
                        Some(false) => return Ok(Found::None(Reach::Steps(self.length))),
                        None => return Ok(Found::Stopped),
                    }
                    match self.translate()? {
                        Some(root) => root,
                        None => return Ok(Found::Stopped),
                    }
                }
            };
            let outcome = self.solve(root);
            match outcome {
                Outcome::Stopped => return Ok(Found::Stopped),
                Outcome::Unsatisfiable if self.length < self.longest => {
                    self.root = None;
                    self.length += 1;
                }
                Outcome::Unsatisfiable => {
                    let reach =
                        if self.is_static() { Reach::Static } else { Reach::Steps(self.length) };
                    return Ok(Found::None(reach));
                }
                Outcome::Satisfiable => {
                    let values = self.values();
                    self.refuse_again(&values);
                    if self.options.symmetry && !self.is_new(&values) {
                        continue;
                    }
                    self.verify(&values);
                    return Ok(Found::Instance(Box::new(self.instance(values))));
                }
            }
        }
    }

    /// An instance with what quantifiers at the outside of the command chose.
    fn instance(&self, values: Values) -> Instance {
        let goal = self.lowered.goal.iter().map(|claim| claim.formula);
        let mut evaluator = Evaluator::new(&self.bounds, &values);
        let atoms = &self.bounds.atoms;
        let chosen = witnesses::witnesses(self.world, atoms, &mut evaluator, goal);
        let mut instance = Instance::new(self.world, &self.bounds, values);
        instance.skolems.extend(chosen);
        instance
    }

    /// What an expression is worth in a state of an instance: `true`, `false`, or tuples.
    pub fn evaluate(
        &self,
        expression: &Expression,
        instance: &Instance,
        state: usize,
    ) -> Result<String, Diagnostic> {
        if state >= instance.length() {
            let message = format!("the trace has {} states, from 0 on", instance.length());
            let error = Diagnostic::error(&UNSUPPORTED, message);
            return Err(error.help("name one of them with --state"));
        }
        let mut bounds = Bounds::clone(&self.bounds);
        let node = lower_expression(self.world, &expression.0, &mut bounds)?;
        let mut evaluator = Evaluator::new(&bounds, &instance.values);
        if expression.0.ty.is_bool {
            return Ok(evaluator.holds(node, state).to_string());
        }
        let name = |atom: &u16| bounds.atoms[usize::from(*atom)].clone();
        let tuples = evaluator.tuples(node, state);
        let rows = tuples.iter().map(|tuple| tuple.iter().map(name).collect()).collect();
        Ok(crate::instance::shown(&rows))
    }

    /// Whether what a `check` asserts holds in runs of every length, and by how many states of induction.
    pub fn prove(&self) -> Option<usize> {
        crate::induction::prove(&self.bounds, &self.lowered, &*self.options.stop)
    }

    /// Looks for a run of any length among all states, of which there may be so many steps.
    pub fn explore(&self, most: usize) -> Everywhere {
        let stop = &*self.options.stop;
        match crate::explicit::explore(&self.bounds, &self.lowered, &self.classes, most, stop) {
            Explored::None(states, steps) => Everywhere::None { states, steps },
            Explored::TooMuch => Everywhere::TooMuch,
            Explored::Unfit => Everywhere::Unknown,
            Explored::Stopped => Everywhere::Stopped,
            Explored::Found(values, is_shortest) => {
                let instance = Box::new(self.instance(*values));
                Everywhere::Found { instance, is_shortest }
            }
        }
    }

    /// Whether a number without variables wraps around in an instance.
    pub fn wraps(&self, instance: &Instance) -> bool {
        let mut evaluator = Evaluator::new(&self.bounds, &instance.values);
        let mut times = 0..instance.length();
        times.any(|time| self.numbers.iter().any(|number| evaluator.overflows(*number, time)))
    }

    fn solve(&mut self, root: Lit) -> Outcome {
        let literal = self.clauses.literal(&self.circuit, root, &mut self.solver);
        let outcome = self.solver.solve(&[literal]);
        if outcome == Outcome::Unsatisfiable {
            self.check_proof();
        }
        if outcome == Outcome::Unsatisfiable && self.length < self.longest {
            self.solver.clause(&mut vec![!literal]);
        }
        outcome
    }

    /// That there is no solution, by code that shares nothing with the solver.
    fn check_proof(&mut self) {
        if !self.options.checks_proofs {
            return;
        }
        match self.solver.check() {
            Ok(n) => self.n_checked += n,
            Err(why) => panic!("the solver has no proof for `{}`: {why}", self.command.name),
        }
    }

    /// How many learned clauses were checked.
    pub fn n_checked(&self) -> usize {
        self.n_checked
    }

    /// All claims at the present length.
    fn translate(&mut self) -> Result<Option<Lit>, Diagnostic> {
        let stop = self.options.stop.clone();
        let claims: Vec<Claim> =
            self.lowered.facts.iter().chain(&self.lowered.goal).copied().collect();
        let bounds = self.bounds.clone();
        let (circuit, kept) = (&mut self.circuit, &mut self.kept);
        let mut translator = Translator::new(&bounds, circuit, kept, self.length, &*stop);
        let start = At { state: 0, round: 0 };
        let mut all = vec![translator.has_loop()];
        let mut spans = vec![None];
        for claim in &claims {
            let lit = translator.formula(claim.formula, start);
            match translator.failure {
                Some(Failure::Stopped) => return Ok(None),
                Some(Failure::HigherOrder) => {
                    let message = "this asks about all sets or relations of a kind, of which there \
                                   are too many to try";
                    let span = claim.span.unwrap_or(self.command.span);
                    let error = Diagnostic::error(&HIGHER_ORDER, message).at(span, "");
                    return Err(error.help("quantify over atoms, or choose a smaller scope"));
                }
                None => {}
            }
            all.push(lit);
            spans.push(claim.span);
        }
        if self.options.symmetry {
            let inputs = &mut self.kept.inputs;
            let least = symmetry::break_symmetry(
                &bounds,
                &self.classes,
                self.length,
                inputs,
                &mut self.circuit,
            );
            all.push(least);
            spans.push(None);
        }
        if self.options.core && self.length == self.longest {
            self.find_core(&all, &spans);
        }
        let root = self.circuit.all(all);
        self.root = Some(root);
        Ok(Some(root))
    }

    /// The places that contradict each other, where that was asked for and there was no instance.
    pub fn core(&self) -> &[Span] {
        &self.core
    }

    /// The solution as values of relations.
    fn values(&mut self) -> Values {
        let back_to = match self.length {
            1 => 0,
            length => {
                let selected = |state: &usize| {
                    let lit = self.kept.inputs.selector(*state, &mut self.circuit);
                    self.clauses.value(lit, &self.solver)
                };
                (0..length).find(selected).unwrap_or(0)
            }
        };
        let mut relations = Vec::new();
        for (number, relation) in self.bounds.relations.iter().enumerate() {
            let n_states = if relation.is_var { self.length } else { 1 };
            let mut states = Vec::new();
            for state in 0..n_states {
                let id = RelId(number as u32);
                let matrix = self.kept.inputs.of(&self.bounds, id, state, &mut self.circuit);
                let is_in = |lit: Lit| match lit {
                    Lit::TRUE => true,
                    lit => self.clauses.value(lit, &self.solver),
                };
                let tuples = matrix.cells().iter().filter(|(_, lit)| is_in(*lit));
                let tuples: Tuples =
                    tuples.map(|(tuple, _)| columns(*tuple, relation.arity)).collect();
                states.push(tuples);
            }
            relations.push(states);
        }
        Values { relations, length: self.length, back_to }
    }

    /// Leaves these values out from now on.
    fn refuse_again(&mut self, values: &Values) {
        let Some(root) = self.root else { return };
        let mut same = Vec::new();
        if self.length > 1 {
            same.push(self.kept.inputs.selector(values.back_to, &mut self.circuit));
        }
        for (number, states) in values.relations.iter().enumerate() {
            for (state, tuples) in states.iter().enumerate() {
                let id = RelId(number as u32);
                let matrix = self.kept.inputs.of(&self.bounds, id, state, &mut self.circuit);
                for (tuple, lit) in matrix.cells() {
                    let is_in = tuples.contains(&columns(*tuple, matrix.arity()));
                    same.push(if is_in { *lit } else { !*lit });
                }
            }
        }
        let same = self.circuit.all(same);
        self.root = Some(self.circuit.and(root, !same));
    }

    /// Whether no instance before differs by names of atoms alone, as far as there are few of those.
    fn is_new(&mut self, values: &Values) -> bool {
        let least = forms::least_form(values, &self.classes);
        if self.told.contains(&least) {
            return false;
        }
        self.told.push(least);
        true
    }

    /// Every claim holds of an instance by the plain evaluator; all else is a mistake of ours.
    fn verify(&self, values: &Values) {
        let mut evaluator = Evaluator::new(&self.bounds, values);
        for claim in self.lowered.facts.iter().chain(&self.lowered.goal) {
            assert!(
                evaluator.holds(claim.formula, 0),
                "an instance does not satisfy what it was found for: {:?} of `{}`",
                claim.span,
                self.command.name
            );
        }
    }

    /// How large it became.
    pub fn statistics(&self) -> (usize, Statistics) {
        (self.circuit.len(), self.solver.statistics())
    }
}

/// Numbers that mention no variable: every instance has one value of each in each state.
fn closed_numbers(bounds: &Bounds, lowered: &Lowered) -> Vec<NodeId> {
    let claims = lowered.facts.iter().chain(&lowered.goal);
    let mut todo: Vec<NodeId> = claims.map(|claim| claim.formula).collect();
    let mut seen: FxHashSet<NodeId> = todo.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(node) = todo.pop() {
        let op = bounds.core.op(node);
        let is_number =
            matches!(op, Op::Number(_) | Op::Count(_) | Op::SumOf(_) | Op::Arithmetic(..));
        if is_number && bounds.core.facts(node).free.is_empty() {
            found.push(node);
        }
        todo.extend(children(op).into_iter().filter(|child| seen.insert(*child)));
    }
    found.sort_unstable();
    found
}

/// How many steps are tried where a scope has no bound.
const UNBOUNDED: i64 = 30;
