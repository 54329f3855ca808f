//! Graph and automaton algorithms that several crates need, each written and tested once:
//!
//! - [`Csr`]: adjacency lists in one vector;
//! - [`Tree`], [`shortest_path`]: breadth-first search with the edge that discovered each node;
//! - [`reachable`]: the nodes that edges lead to;
//! - [`components`]: strongly connected components;
//! - [`Partition`], [`refine`]: the coarsest strong, branching or weak bisimulation;
//! - [`Sets`], [`determinise`]: subset construction.
//!
//! Nodes are numbered from 0; where a caller has a type of its own for them, that type stays on the
//! caller's side of the call. Knows no model, no language and no limits: algorithms that may run for
//! long ask a callback whether to go on.
#![forbid(unsafe_code)]

mod components;
mod csr;
mod random;
mod refine;
mod sets;
mod tree;

#[cfg(test)]
mod naive;

pub use components::{Components, components};
pub use csr::Csr;
pub use random::{SplitMix, mixed};
pub use refine::{
    Bisimulation, LabelledGraph, Partition, Refinement, bisimulation_classes, refine,
};
pub use sets::{Sets, determinise};
pub use tree::{Tree, reachable, shortest_path};
