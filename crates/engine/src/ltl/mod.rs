//! Linear temporal logic on a model: the product of its graph with an automaton for the *negated*
//! formula, explored on the fly; an accepted run is a counterexample.
//!
//! Two algorithms answer the same question, so that each can be tested by the other: [`nested`]
//! depth-first search and strongly connected [`components`]. What they find becomes a short run
//! ([`lasso`]) that is checked from scratch ([`recheck`]) before it is returned. This module knows
//! automata, not formulas' syntax.

mod atoms;
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
mod scc;
mod tail;
#[cfg(test)]
mod tests;

use quadrille_logic::{Automaton, MAX_ATOMS};
use quadrille_model::{Bound, Counts, GroupId, PropositionId, Runs, Trace, Verdict};

pub use atoms::{Interpretation, Meaning};
pub use fairness::{Fairness, Groups};
pub use graph::Graph;
pub use recheck::Flaw;

use crate::evidence::replayed;
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
use recheck::examine;

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
    /// The automaton speaks about an atom that has no meaning.
    UnknownAtom(usize),
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
            LtlError::Unrepeatable(unrepeatable) => unrepeatable.fmt(f),
            LtlError::Flawed(flaw) => {
                write!(f, "a counterexample did not stand up to a second look: {flaw:?}")
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

/// Checks a formula on a model, given an automaton for its negation.
///
/// Where only finite runs count, a word of letters is read as an infinite one: the atom after the
/// last one of the interpretation is true at each letter and false, like all others, after them.
pub fn check_ltl(
    graph: &mut Graph,
    negated: &Automaton,
    interpretation: &Interpretation,
    options: &LtlOptions,
    observer: &mut Observer,
) -> Result<LtlReport, LtlError> {
    refuse(graph, negated, interpretation, options)?;
    let model = graph.space().model();
    let fair = FairGroups::new(&options.fairness, model.groups().len());
    let buchi;
    let (automaton, nested) = match options.algorithm {
        LtlAlgorithm::Nested if options.runs != Runs::Finite => {
            buchi = Buchi::new(negated);
            (&buchi.automaton, Some(Nested::new(&buchi)))
        }
        LtlAlgorithm::Nested | LtlAlgorithm::Components => (negated, None),
    };
    let watch = Watch::new(options.limits, observer);
    let mut product = Product::new(graph, automaton, interpretation, options.runs, watch);
    let outcome = match nested {
        _ if options.runs == Runs::Finite => ended_run(&mut product),
        Some(nested) => by_nested(&mut product, nested, &fair),
        None => by_components(&mut product, &fair),
    };
    let counts = Counts {
        states: product.n_nodes,
        transitions: product.n_moves,
        bytes: product.graph.bytes() as u64,
        ..Counts::default()
    };
    let verdict = match outcome {
        Err(bound) => Verdict::Unknown(bound),
        Ok(None) => Verdict::Holds,
        Ok(Some(trace)) => {
            let trace = replayed(model, trace).map_err(LtlError::Unrepeatable)?;
            examine(&trace, model, negated, interpretation, options.runs, &fair)
                .map_err(LtlError::Flawed)?;
            Verdict::Violated(Some(trace))
        }
    };
    Ok(LtlReport { verdict, counts })
}

fn refuse(
    graph: &Graph,
    negated: &Automaton,
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
    let n_atoms = interpretation.n_atoms() + usize::from(options.runs == Runs::Finite);
    let edges = negated.edges.iter().flatten();
    let used = edges.fold(0, |used, edge| used | edge.label.positive | edge.label.negative);
    match MAX_ATOMS - used.leading_zeros() as usize {
        n_used if n_used > n_atoms => Err(LtlError::UnknownAtom(n_used - 1)),
        _ => Ok(()),
    }
}

fn by_nested(
    product: &mut Product,
    mut nested: Nested,
    fair: &FairGroups,
) -> Result<Option<Trace>, Bound> {
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
