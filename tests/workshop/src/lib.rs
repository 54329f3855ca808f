//! One workshop for random tests: every generated table, network, formula, protocol, design,
//! specification and component system of the workspace is drawn from [`Choices`], and [`check`] shrinks what fails.
//!
//! A generator is an ordinary function of `&mut Choices`. Shrinking needs nothing from it: the
//! sequence of choices is made shorter and smaller, and the generator run again (internal test-case
//! reduction: MacIver and Donaldson, ECOOP 2020). So the first alternative of a generator, choice 0,
//! should be its simplest.
//!
//! ```
//! use quadrille_workshop::{Choices, check};
//!
//! check(100, |choices| {
//!     let numbers = choices.list(0, 5, |choices| choices.below(10));
//!     assert!(numbers.iter().sum::<usize>() <= 50, "{numbers:?}");
//! });
//! ```
//!
//! Protocols and component systems come as text, so that the crates that read them can test
//! themselves with this one. It knows no reader, no engine and no property.
#![forbid(unsafe_code)]

mod check;
mod choices;
pub mod components;
mod counted;
pub mod designs;
pub mod formulas;
pub mod graphs;
pub mod naive;
pub mod networks;
pub mod protocols;
pub mod shared;
pub mod specifications;
pub mod tables;
pub mod texts;
mod widened;

pub use check::{check, check_seeds};
pub use choices::Choices;
pub use counted::Counted;
pub use quadrille_conformance::conformance;
pub use widened::Widened;
