//! What checking a formula gives: a verdict, and the size of the product it was found in, which is
//! not the size of the model.

use quadrille_model::Verdict;

/// The outcome of checking a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Whether the formula holds.
    pub verdict: Verdict,
    /// What was explored beside the model; its own counts are those of the
    /// [`Graph`](crate::Graph).
    pub product: ProductCounts,
}

/// The size of a product of a model with a formula, as far as it was built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProductCounts {
    /// Nodes: in linear time pairs of a state and a location of the automaton, in branching time
    /// pairs of a state and what the formula sees of the action that led there.
    pub nodes: u64,
    /// Moves between them.
    pub moves: u64,
    /// The most bytes that were allocated for the graph and the check together.
    pub bytes: u64,
}
