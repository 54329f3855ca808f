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
mod graph;
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
use quadrille_model::{Bound, Counts, GroupId, PropositionId, Runs, Trace, Verdict};

pub use fairness::{Fairness, Groups};
pub use graph::Graph;
pub use recheck::Flaw;

use crate::evidence::replayed;
use crate::interpretation::Interpretation;
use crate::limits::Watch;
use crate::{Limits, Observer, Unrepeatable};
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
    /// Nested depth-first search: less memory per node, no fairness.
    Nested,
}

/// The outcome of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LtlReport {
    /// Whether the formula holds.
    pub verdict: Verdict,
    /// Nodes and moves of the product that were met, and all bytes of the graph.
    pub counts: Counts,
}

/// Why a check cannot be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LtlError {
    /// Nested depth-first search cannot see fairness; choose [`LtlAlgorithm::Components`].
    NestedWithFairness,
    /// The model has no such group.
    UnknownGroup(GroupId),
    /// The model has no such proposition.
    UnknownProposition(PropositionId),
    /// The formula speaks about an atom that has no meaning.
    UnknownAtom(usize),
    /// The formula has no automaton.
    Translation(TranslationError),
    /// The model did not perform a counterexample again.
    Unrepeatable(Unrepeatable),
    /// A counterexample did not stand up to a second look: the model answers the same question
    /// differently, or there is a bug here.
    Flawed(Flaw),
}

impl std::fmt::Display for LtlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LtlError::NestedWithFairness => {
                f.write_str("nested depth-first search cannot respect fairness")
            }
            LtlError::UnknownGroup(group) => write!(f, "no group has number {}", group.number()),
            LtlError::UnknownProposition(proposition) => {
                write!(f, "no proposition has number {}", proposition.number())
            }
            LtlError::UnknownAtom(atom) => write!(f, "atom {atom} has no meaning"),
            LtlError::Translation(error) => error.fmt(f),
            LtlError::Unrepeatable(unrepeatable) => unrepeatable.fmt(f),
            LtlError::Flawed(flaw) => {
                write!(f, "a counterexample did not stand up to a second look: {flaw}")
            }
        }
    }
}

impl std::error::Error for LtlError {}

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
) -> Result<LtlReport, LtlError> {
    refuse(graph, formula, interpretation, options)?;
    let violations = Violations::of(formula, options.runs).map_err(LtlError::Translation)?;
    let model = graph.space().model();
    let (found, counts) = find(graph, &violations, interpretation, options, observer);
    let verdict = match found {
        Err(bound) => Verdict::Unknown(bound),
        Ok(None) => Verdict::Holds,
        Ok(Some(trace)) => {
            let trace = replayed(model, trace).map_err(LtlError::Unrepeatable)?;
            let word = word(&trace, model, interpretation, options.runs);
            let word = word.ok_or(LtlError::Flawed(Flaw::WrongEnding))?;
            if word.satisfies(formula) {
                return Err(LtlError::Flawed(Flaw::Satisfied));
            }
            let fair = FairGroups::new(&options.fairness, model.groups().len());
            is_fair(&trace, model, &fair).map_err(LtlError::Flawed)?;
            Verdict::Violated(Some(trace))
        }
    };
    Ok(LtlReport { verdict, counts })
}

fn refuse(
    graph: &Graph,
    formula: &Formula,
    interpretation: &Interpretation,
    options: &LtlOptions,
) -> Result<(), LtlError> {
    let model = graph.space().model();
    if options.algorithm == LtlAlgorithm::Nested && !options.fairness.is_none() {
        return Err(LtlError::NestedWithFairness);
    }
    for groups in [&options.fairness.weak, &options.fairness.strong] {
        if let Groups::Some(groups) = groups
            && let Some(&group) = groups.iter().find(|group| group.index() >= model.groups().len())
        {
            return Err(LtlError::UnknownGroup(group));
        }
    }
    let n_propositions = model.propositions().len();
    let mut propositions = interpretation.propositions();
    if let Some(unknown) = propositions.find(|proposition| proposition.index() >= n_propositions) {
        return Err(LtlError::UnknownProposition(unknown));
    }
    match formula.n_atoms() {
        n_atoms if n_atoms > interpretation.n_atoms() => Err(LtlError::UnknownAtom(n_atoms - 1)),
        _ => Ok(()),
    }
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
) -> (Result<Option<Trace>, Bound>, Counts) {
    let fair = FairGroups::new(&options.fairness, graph.space().model().groups().len());
    let watch = Watch::new(options.limits, observer);
    let (runs, finals) = (options.runs, violations.finals.as_deref());
    let product = |automaton| Product::new(graph, automaton, finals, interpretation, runs, watch);
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
    let counts = Counts {
        states: product.n_nodes,
        transitions: product.n_moves,
        bytes: product.graph.bytes() as u64,
        ..Counts::default()
    };
    (found, counts)
}

fn by_nested(
    product: &mut Product,
    buchi: &Buchi,
    fair: &FairGroups,
) -> Result<Option<Trace>, Bound> {
    let mut nested = Nested::new(buchi);
    let witness = nested.search(product)?;
    Ok(witness.map(|witness| run_of(product, witness, |node| nested.met(node), fair)))
}

fn by_components(product: &mut Product, fair: &FairGroups) -> Result<Option<Trace>, Bound> {
    let mut components = Components::new(product.automaton.n_locations(), fair);
    let witness = components.search(product)?;
    Ok(witness.map(|witness| run_of(product, witness, |node| components.met(node), fair)))
}

/// A shortest accepted run that ends.
fn ended_run(product: &mut Product) -> Result<Option<Trace>, Bound> {
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
