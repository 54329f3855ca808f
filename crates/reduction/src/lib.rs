//! Models with fewer states that answer the same questions. [`Reduced`] wraps a
//! [`Model`](quadrille_model::Model): in every state it leaves out steps that can wait, because they
//! commute with those that are taken (stubborn sets: Valmari 1990; on guards: Laarman, Pater, van de
//! Pol & Weber, STTT 2014).
//!
//! Which steps are taken follows from the state alone: never from a search order, from what was
//! visited, or from an automaton. So the graph of a reduced model is one graph, any algorithm may
//! explore it with any number of workers, and formulas are multiplied with it afterwards, as the
//! theory demands (Siegel, CAV 2019, tells what goes wrong otherwise).
//!
//! [`Symmetric`] wraps a model, whole or reduced, and makes one of states that differ only in which
//! member of a declared family is where ([`Symmetry`]).
//!
//! [`Represented`] is a second strategy, for deadlocks alone: one step represents all others where
//! nothing that it does not commute with can come before it.
//!
//! This crate knows signatures of models; it knows no formula, no search and no language.
//! [`audit`] verifies on visited states what it derives from signatures.
#![forbid(unsafe_code)]

mod audit;
mod choice;
mod groups;
mod inner;
mod reduced;
mod renaming;
mod representative;
mod represented;
mod sticky;
mod symmetric;
mod symmetry;
mod tables;
mod together;

pub use audit::audit;
pub use reduced::{ActionTest, Obstacle, Reduced, Savings, Seen};
pub use represented::Represented;
pub use symmetric::Symmetric;
pub use symmetry::{Asked, Asymmetry, Letters, Symmetry};
