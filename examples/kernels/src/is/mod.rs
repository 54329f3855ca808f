//! IS: the ranks of many small integer keys, ten times with slightly different keys.

pub mod parallel;
mod problem;
mod ranking;
mod sequential;

pub use problem::Problem;
pub use ranking::{Answer, Part};
