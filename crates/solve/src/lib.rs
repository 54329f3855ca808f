//! Relational constraints as circuits: hash-consed gates, sparse matrices of them, integers in two's
//! complement, clauses, and solvers behind a small trait. It knows no language.
#![forbid(unsafe_code)]

mod circuit;
mod clauses;
mod integer;
mod matrix;
#[cfg(feature = "cadical")]
mod portfolio;
mod proof;
mod solver;

pub use circuit::{Circuit, Lit};
pub use clauses::Clauses;
pub use integer::{Bits, shift_bits};
pub use matrix::{Matrix, Tuple, column, columns, tuple};
#[cfg(feature = "cadical")]
pub use portfolio::Portfolio;
pub use solver::{Batsat, Outcome, SatLit, Solver, Statistics};

/// The solver for single hard questions: two with the feature `cadical`, else the one in Rust.
#[cfg(feature = "cadical")]
pub type Best = Portfolio;

/// The solver for single hard questions: two with the feature `cadical`, else the one in Rust.
#[cfg(not(feature = "cadical"))]
pub type Best = Batsat;
