//! Linear temporal logic on a model: the product of its graph with an automaton for the *negated*
//! formula, explored on the fly; an accepted run is a counterexample.
//!
//! Three algorithms answer the same question, so that each can be tested by the others: [`nested`]
//! depth-first search, strongly connected [`components`] and sets that shrink on several threads
//! ([`owcty`]); safety formulas are refuted by a shortest [`prefix`] instead. What they find becomes a short run
//! ([`lasso`]) that is checked from scratch ([`recheck`]) before it is returned. This module knows
//! automata, not the syntax of formulas.

mod buchi;
mod components;
mod conjunction;
mod fairness;
mod lasso;
mod nested;
mod node;
mod owcty;
mod path;
mod prefix;
mod product;
mod recheck;
mod responses;
mod tail;
#[cfg(test)]
pub(crate) mod tests;

use quadrille_logic::{
    AtomId, Automaton, FiniteAutomaton, Formula, Letter, Parts, TranslationError, translate_finite,
    translate_in_parts, translate_quickly,
};
use quadrille_model::{Ending, Model, Runs, Trace, Verdict};

pub use fairness::{Fairness, Tasks};
pub(crate) use lasso::folded;
pub(crate) use owcty::Homes;
pub(crate) use prefix::{SetId, Sets};
pub use recheck::Flaw;
pub use tail::accepts_for_ever;
pub(crate) use tail::accepts_last;

use crate::evidence::replayed;
use crate::graph::Keep;
use crate::interpretation::Interpretation;
use crate::limits::Watch;
use crate::workers::Workers;
use crate::{Error, Graph, Limits, Observer, ProductCounts, Report, Stopped};
use buchi::Buchi;
use components::Components;
use fairness::FairTasks;
use lasso::{ended, run_of};
use nested::Nested;
use node::Node;
use path::{Arrival, shortest};
use prefix::{Found, shortest_violation};
use product::{Machine, Product};
use recheck::{Word, extended, is_fair, word};
use responses::run_that_keeps_up;

/// How a formula is checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LtlOptions {
    /// Which runs count.
    pub runs: Runs,
    /// Which infinite runs count among them.
    pub fairness: Fairness,
    /// How to look for a counterexample.
    pub algorithm: LtlAlgorithm,
    /// When to stop. States are those of the product.
    pub limits: Limits,
    /// How many threads [`LtlAlgorithm::Owcty`] shares its work among. Nothing depends on it.
    pub workers: Workers,
}

/// How to look for a counterexample. Where only finite runs count, both give way to a
/// breadth-first search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LtlAlgorithm {
    /// Strongly connected components: any acceptance, fairness.
    #[default]
    Components,
    /// Nested depth-first search: less memory per node, keeps no edges (the model is asked for them
    /// again), no fairness.
    Nested,
    /// A set of nodes that shrinks, on several threads; what it says is violated is then searched for
    /// by components, which also take its place where automata are large or fairness matters.
    Owcty,
}

/// What a search found.
enum Witness {
    /// A run that ends in a node that was met is accepted.
    End,
    /// These nodes lie on one accepted cycle.
    Cycle(Vec<Node>),
}

/// Checks a formula on a model.
///
/// A step of a run is one letter: the propositions of the state that it leaves, and its action. The
/// state that a run ends in is a letter without action: with [`Runs::Finite`] the last one, with
/// [`Runs::Maximal`] one that is repeated for ever.
///
/// The counterexample of a formula that [is safe](Formula::is_safety) is a shortest one if maximal
/// runs count, and open where no run that begins like it satisfies the formula.
pub fn check_ltl(
    graph: &mut Graph,
    formula: &Formula,
    interpretation: &Interpretation,
    options: &LtlOptions,
    observer: &mut Observer,
) -> Result<Report, Error> {
    refuse(graph, options)?;
    interpretation.covers(formula, graph.space().model())?;
    let mut search =
        Search { graph, interpretation, options, observer, product: ProductCounts::default() };
    let found = match search.shortest(formula) {
        Ok(Found::Violation(found)) => Ok(found),
        Ok(Found::TooManySets) => {
            let violations = Violations::of(formula, options.runs).map_err(Error::Translation)?;
            search.first(&violations)
        }
        Err(stopped) => Err(stopped),
    };
    let (product, model) = (search.product, search.graph.space().model());
    let verdict = match found {
        Err(stopped) => stopped.verdict()?,
        Ok(None) => Verdict::Holds,
        Ok(Some(trace)) => {
            let trace = replayed(model, trace)?;
            look_again(&trace, formula, model, interpretation, options)?;
            Verdict::Violated(Some(trace))
        }
    };
    Ok(Report { verdict, product })
}

/// Checks that a model has no run that an automaton accepts. Runs that end are infinite words, as for
/// formulas; where only finite runs count, there is no automaton for them.
pub fn check_never(
    graph: &mut Graph,
    automaton: &Automaton,
    interpretation: &Interpretation,
    options: &LtlOptions,
    observer: &mut Observer,
) -> Result<Report, Error> {
    refuse(graph, options)?;
    let labels = automaton.edges.iter().flatten().map(|edge| edge.label);
    let atoms = labels.fold(0, |atoms: Letter, label| atoms | label.positive | label.negative);
    let atoms = (0..Letter::BITS as usize).filter(|atom| atoms >> atom & 1 == 1);
    let speaks_of = Formula::or(atoms.map(|atom| Formula::atom(AtomId::from_usize(atom))));
    interpretation.covers(&speaks_of, graph.space().model())?;
    let mut search =
        Search { graph, interpretation, options, observer, product: ProductCounts::default() };
    let parts = vec![Parts::from(automaton.clone())];
    let found = search.first(&Violations { alternatives: parts, finals: None });
    let (product, model) = (search.product, search.graph.space().model());
    let verdict = match found {
        Err(stopped) => stopped.verdict()?,
        Ok(None) => Verdict::Holds,
        Ok(Some(trace)) => {
            let trace = replayed(model, trace)?;
            if !is_accepted(&trace, automaton, model, interpretation, options.runs)? {
                return Err(Error::Flawed(Flaw::Satisfied));
            }
            let fair = FairTasks::new(&options.fairness, model.signature().tasks.len());
            is_fair(&trace, model, &fair)?;
            Verdict::Violated(Some(trace))
        }
    };
    Ok(Report { verdict, product })
}

/// Whether an automaton accepts a run, by its definition.
pub(crate) fn is_accepted(
    trace: &Trace,
    automaton: &Automaton,
    model: &dyn Model,
    interpretation: &Interpretation<'_>,
    runs: Runs,
) -> Result<bool, Error> {
    let word = word(trace, model, interpretation, runs)?;
    Ok(match word.ok_or(Error::Flawed(Flaw::WrongEnding))? {
        Word::Infinite(stem, cycle) => automaton.accepts_lasso(&stem, &cycle),
        Word::Finite(_) => false,
    })
}

/// The automaton of a safety formula, where a finite run shows that it fails and the automaton is not
/// too large. Knows that every maximal run counts.
pub fn monitor_of(formula: &Formula) -> Option<Automaton> {
    formula.is_safety().then(|| translate_quickly(formula).ok())?
}

/// Whether a run that the model performs is a counterexample by the definition of the operators.
pub fn look_again(
    trace: &Trace,
    formula: &Formula,
    model: &dyn Model,
    interpretation: &Interpretation,
    options: &LtlOptions,
) -> Result<(), Error> {
    let whole = match trace.ending {
        Ending::Prefix if options.runs == Runs::Maximal => match extended(trace, model) {
            Some(run) => run,
            None => return Ok(()),
        },
        _ => trace.clone(),
    };
    let word = word(&whole, model, interpretation, options.runs)?;
    let word = word.ok_or(Error::Flawed(Flaw::WrongEnding))?;
    if word.satisfies(formula) {
        return Err(Error::Flawed(Flaw::Satisfied));
    }
    let fair = FairTasks::new(&options.fairness, model.signature().tasks.len());
    is_fair(trace, model, &fair)
}

fn refuse(graph: &Graph, options: &LtlOptions) -> Result<(), Error> {
    let model = graph.space().model();
    if options.algorithm == LtlAlgorithm::Nested && !options.fairness.is_none() {
        return Err(Error::NestedWithFairness);
    }
    let n_tasks = model.signature().tasks.len();
    for tasks in [&options.fairness.weak, &options.fairness.strong] {
        if let Tasks::Some(tasks) = tasks
            && let Some(&task) = tasks.iter().find(|task| task.index() >= n_tasks)
        {
            return Err(Error::UnknownTask(task));
        }
    }
    Ok(())
}

/// The runs that violate a formula: those that all automata of one of the lists accept.
pub(crate) struct Violations {
    pub alternatives: Vec<Parts>,
    /// Where only finite runs count: the locations in which they are accepted.
    pub finals: Option<Vec<bool>>,
}

impl Violations {
    pub fn of(formula: &Formula, runs: Runs) -> Result<Self, TranslationError> {
        let negated = !formula.clone();
        Ok(match runs {
            Runs::Maximal | Runs::Infinite => {
                Self { alternatives: translate_in_parts(&negated)?, finals: None }
            }
            Runs::Finite => {
                let FiniteAutomaton { initial, edges, is_final } = translate_finite(&negated)?;
                let automaton = Automaton { initial, edges, n_sets: 0 };
                Self { alternatives: vec![Parts::from(automaton)], finals: Some(is_final) }
            }
        })
    }
}

/// A search for a violation.
struct Search<'s, 'm> {
    graph: &'s mut Graph<'m>,
    interpretation: &'s Interpretation<'s>,
    options: &'s LtlOptions,
    observer: &'s mut Observer<'s>,
    /// What was explored.
    product: ProductCounts,
}

impl Search<'_, '_> {
    /// A shortest violation of a safety formula.
    fn shortest(&mut self, formula: &Formula) -> Result<Found, Stopped> {
        if self.options.runs != Runs::Maximal || !formula.is_safety() {
            return Ok(Found::TooManySets);
        }
        let Ok(automaton) = translate_quickly(formula) else { return Ok(Found::TooManySets) };
        self.within(Machine::One(&automaton), None, |product| {
            shortest_violation(product, &automaton)
        })
    }

    /// The violation that is found first.
    fn first(&mut self, violations: &Violations) -> Result<Option<Trace>, Stopped> {
        let fair = FairTasks::new(
            &self.options.fairness,
            self.graph.space().model().signature().tasks.len(),
        );
        for parts in &violations.alternatives {
            let (machine, finals) = (Machine::of(&parts.automata), violations.finals.as_deref());
            let found = match (self.options.algorithm, &parts.automata[..]) {
                _ if finals.is_some() => self.within(machine, finals, ended_run)?,
                _ if !parts.responses.is_empty() && self.options.fairness.is_none() => {
                    let anything = [Automaton::anything()];
                    let others =
                        if parts.others.is_empty() { &anything } else { &parts.others[..] };
                    self.within(Machine::of(others), None, |product| {
                        run_that_keeps_up(product, &parts.responses)
                    })?
                }
                (LtlAlgorithm::Nested, [automaton]) => {
                    let buchi = Buchi::new(automaton);
                    self.within(Machine::One(&buchi.automaton), None, |product| {
                        by_nested(product, &buchi, &fair)
                    })?
                }
                (LtlAlgorithm::Owcty, [_]) if self.options.fairness.is_none() => {
                    let workers = self.options.workers;
                    self.within(machine, None, |product| by_owcty(product, &fair, workers))?
                }
                _ => self.within(machine, None, |product| by_components(product, &fair))?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Searches the product with an automaton.
    fn within<T>(
        &mut self,
        machine: Machine<'_>,
        finals: Option<&[bool]>,
        search: impl FnOnce(&mut Product) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let keep = match self.options.algorithm {
            LtlAlgorithm::Components | LtlAlgorithm::Owcty => Keep::Edges,
            LtlAlgorithm::Nested => Keep::Nothing,
        };
        let watch = Watch::new(self.options.limits, self.observer);
        let (interpretation, runs) = (self.interpretation, self.options.runs);
        let mut product =
            Product::new(self.graph, machine, finals, interpretation, runs, keep, watch);
        let found = search(&mut product);
        let counts = product.counts();
        self.product.nodes += counts.nodes;
        self.product.moves += counts.moves;
        self.product.bytes = self.product.bytes.max(counts.bytes);
        found
    }
}

fn by_nested(
    product: &mut Product,
    buchi: &Buchi,
    fair: &FairTasks,
) -> Result<Option<Trace>, Stopped> {
    let mut nested = Nested::new(buchi);
    let witness = nested.search(product)?;
    witness.map(|witness| run_of(product, witness, |node| nested.met(node), fair)).transpose()
}

fn by_components(product: &mut Product, fair: &FairTasks) -> Result<Option<Trace>, Stopped> {
    let mut components = Components::new(product.n_locations(), fair);
    let witness = components.search(product)?;
    witness.map(|witness| run_of(product, witness, |node| components.met(node), fair)).transpose()
}

fn by_owcty(
    product: &mut Product,
    fair: &FairTasks,
    workers: Workers,
) -> Result<Option<Trace>, Stopped> {
    let n_locations = product.n_locations();
    let starts = product.initial();
    let left = match product.read(workers)? {
        Some((reading, watch)) if owcty::suits(reading.states.len(), n_locations) => {
            owcty::shrink(&reading, &starts, workers, watch)?
        }
        _ => return by_components(product, fair),
    };
    let trace = if left.accepts { by_components(product, fair)? } else { None };
    if left.accepts && trace.is_none() {
        return Err(Error::Flawed(Flaw::Lost).into());
    }
    (product.n_nodes, product.n_moves) = (left.n_nodes, left.n_moves);
    Ok(trace)
}

/// A shortest accepted run that ends.
fn ended_run(product: &mut Product) -> Result<Option<Trace>, Stopped> {
    let starts = product.initial();
    let enter = |product: &mut Product, node| product.enter(node, || 0).map(|()| true);
    let mut n_moves = 0;
    let ends = |product: &Product, arrival: Arrival| {
        n_moves += u64::from(arrival.step.is_some());
        product.accepts_end(arrival.node)
    };
    let path = shortest(product, &starts, enter, ends)?;
    product.n_moves = n_moves;
    path.map(|path| ended(product, &path)).transpose()
}
