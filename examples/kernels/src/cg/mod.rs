//! CG: the smallest eigenvalue of a large sparse matrix, by inverse iteration with conjugate gradients.

mod iteration;
mod matrix;
pub mod parallel;
mod problem;
mod sequential;

pub use iteration::Answer;
pub use matrix::Matrix;
pub use problem::Problem;
