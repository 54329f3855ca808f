//! Linear temporal logic on a model: the product of its graph with an automaton for the *negated*
//! formula, explored on the fly; an accepted run is a counterexample.
//!
//! Two algorithms answer the same question, so that each can be tested by the other: [`nested`]
//! depth-first search and strongly connected [`components`]. What they find becomes a short run
//! ([`lasso`]) that is checked from scratch ([`recheck`]) before it is returned. This module knows
//! automata, not the syntax of formulas.

mod buchi;
mod components;
mod fairness;
mod lasso;
mod nested;
mod node;
mod path;
mod product;
mod recheck;
mod tail;
#[cfg(test)]
mod tests;

use quadrille_logic::{
    Automaton, FiniteAutomaton, Formula, TranslationError, translate, translate_finite,
};
use quadrille_model::{Runs, Trace, Verdict};

pub use fairness::{Fairness, Groups};
pub use recheck::Flaw;

use crate::evidence::replayed;
use crate::graph::Keep;
use crate::interpretation::Interpretation;
use crate::limits::Watch;
use crate::{Error, Graph, Limits, Observer, ProductCounts, Report, Stopped};
use buchi::Buchi;
use components::Components;
use fairness::FairGroups;
use lasso::{ended, run_of};
use nested::Nested;
use node::Node;
use path::{Arrival, shortest};
use product::Product;
use recheck::{is_fair, word};

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
/// A step of a run is one letter: the propositions of the state that it leaves, and its action.
/// With [`Runs::Maximal`] the letters after an end are the propositions of the last state, without
/// action, for ever. With [`Runs::Finite`] a run has as many letters as steps.
pub fn check_ltl(
    graph: &mut Graph,
    formula: &Formula,
    interpretation: &Interpretation,
    options: &LtlOptions,
    observer: &mut Observer,
) -> Result<Report, Error> {
    refuse(graph, formula, interpretation, options)?;
    let violations = Violations::of(formula, options.runs).map_err(Error::Translation)?;
    let model = graph.space().model();
    let (found, product) = find(graph, &violations, interpretation, options, observer);
    let verdict = match found {
        Err(stopped) => stopped.verdict()?,
        Ok(None) => Verdict::Holds,
        Ok(Some(trace)) => {
            let trace = replayed(model, trace)?;
            let word = word(&trace, model, interpretation, options.runs);
            let word = word.ok_or(Error::Flawed(Flaw::WrongEnding))?;
            if word.satisfies(formula) {
                return Err(Error::Flawed(Flaw::Satisfied));
            }
            let fair = FairGroups::new(&options.fairness, model.groups().len());
            is_fair(&trace, model, &fair).map_err(Error::Flawed)?;
            Verdict::Violated(Some(trace))
        }
    };
    Ok(Report { verdict, product })
}

fn refuse(
    graph: &Graph,
    formula: &Formula,
    interpretation: &Interpretation,
    options: &LtlOptions,
) -> Result<(), Error> {
    let model = graph.space().model();
    if options.algorithm == LtlAlgorithm::Nested && !options.fairness.is_none() {
        return Err(Error::NestedWithFairness);
    }
    for groups in [&options.fairness.weak, &options.fairness.strong] {
        if let Groups::Some(groups) = groups
            && let Some(&group) = groups.iter().find(|group| group.index() >= model.groups().len())
        {
            return Err(Error::UnknownGroup(group));
        }
    }
    interpretation.covers(formula, model)
}

/// An automaton of the runs that violate a formula.
struct Violations {
    automaton: Automaton,
    /// Where only finite runs count: the locations in which they are accepted.
    finals: Option<Vec<bool>>,
}

impl Violations {
    fn of(formula: &Formula, runs: Runs) -> Result<Self, TranslationError> {
        let negated = !formula.clone();
        Ok(match runs {
            Runs::Maximal | Runs::Infinite => {
                Self { automaton: translate(&negated)?, finals: None }
            }
            Runs::Finite => {
                let FiniteAutomaton { initial, edges, is_final } = translate_finite(&negated)?;
                let automaton = Automaton { initial, edges, n_sets: 0 };
                Self { automaton, finals: Some(is_final) }
            }
        })
    }
}

/// Looks for a violation and says what was explored.
fn find(
    graph: &mut Graph,
    violations: &Violations,
    interpretation: &Interpretation,
    options: &LtlOptions,
    observer: &mut Observer,
) -> (Result<Option<Trace>, Stopped>, ProductCounts) {
    let fair = FairGroups::new(&options.fairness, graph.space().model().groups().len());
    let watch = Watch::new(options.limits, observer);
    let (runs, finals) = (options.runs, violations.finals.as_deref());
    let keep = match options.algorithm {
        LtlAlgorithm::Components => Keep::Edges,
        LtlAlgorithm::Nested => Keep::Nothing,
    };
    let product =
        |automaton| Product::new(graph, automaton, finals, interpretation, runs, keep, watch);
    let buchi;
    let (found, product) = match options.algorithm {
        _ if finals.is_some() => {
            let mut product = product(&violations.automaton);
            (ended_run(&mut product), product)
        }
        LtlAlgorithm::Components => {
            let mut product = product(&violations.automaton);
            (by_components(&mut product, &fair), product)
        }
        LtlAlgorithm::Nested => {
            buchi = Buchi::new(&violations.automaton);
            let mut product = product(&buchi.automaton);
            (by_nested(&mut product, &buchi, &fair), product)
        }
    };
    (found, product.counts())
}

fn by_nested(
    product: &mut Product,
    buchi: &Buchi,
    fair: &FairGroups,
) -> Result<Option<Trace>, Stopped> {
    let mut nested = Nested::new(buchi);
    let witness = nested.search(product)?;
    witness.map(|witness| run_of(product, witness, |node| nested.met(node), fair)).transpose()
}

fn by_components(product: &mut Product, fair: &FairGroups) -> Result<Option<Trace>, Stopped> {
    let mut components = Components::new(product.automaton.n_locations(), fair);
    let witness = components.search(product)?;
    witness.map(|witness| run_of(product, witness, |node| components.met(node), fair)).transpose()
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
    Ok(path.map(|path| ended(product, &path)))
}
