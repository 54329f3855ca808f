//! MG: a Poisson equation on a periodic cube, by V-cycles of multigrid.

mod channels;
mod cycle;
mod grid;
mod operators;
pub mod parallel;
mod problem;
mod sequential;

pub use grid::{Grid, Plane};
pub use problem::{Answer, Problem};
