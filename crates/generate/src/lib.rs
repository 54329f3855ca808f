//! From protocols to Rust: what a generated module must know of its protocol ([`plan_of`]), and the
//! text that wraps it in types. Reads and writes no file.
#![forbid(unsafe_code)]

pub mod codes;
mod plan;

pub use plan::{Forms, Planned, Wanted, plan_of};
