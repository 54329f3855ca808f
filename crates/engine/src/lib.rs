//! The one engine of Quadrille: it explores any [`Model`](quadrille_model::Model) exactly, within
//! limits, and says *holds*, *violated* (with a trace that was replayed) or *unknown*.
//!
//! [`Space`] is the layer every algorithm stands on: states that were met, numbered in order of
//! discovery and stored packed. This crate knows no language, reads no clock and prints nothing:
//! progress and cancellation go through a callback.
//!
//! ```
//! use quadrille_engine::{Config, Property, check, unobserved};
//! use quadrille_model::{ExplicitBuilder, StateId, Verdict};
//!
//! let mut table = ExplicitBuilder::default();
//! let fall = table.action("fall");
//! table.initial(StateId::new(0)).edge(StateId::new(0), fall, StateId::new(1));
//! let model = table.build();
//!
//! let outcome = check(&model, &[Property::DeadlockFree], Config::default(), &mut unobserved)?;
//! let Verdict::Violated(Some(trace)) = &outcome.verdicts[0] else { panic!("it falls") };
//! assert_eq!((outcome.counts.states, trace.steps.len()), (2, 1));
//! # Ok::<(), quadrille_engine::Unrepeatable>(())
//! ```
#![forbid(unsafe_code)]

mod arena;
mod ctl;
pub mod equivalence;
mod evidence;
mod interpretation;
mod limits;
mod ltl;
mod packing;
#[cfg(test)]
mod random;
mod safety;
mod search;
mod space;
mod store;
#[cfg(test)]
mod toys;

pub use ctl::{CtlError, CtlGraph};
pub use evidence::Unrepeatable;
pub use interpretation::{Interpretation, Meaning};
pub use limits::{Limits, Observer, Progress, unobserved};
pub use ltl::{
    Fairness, Flaw, Graph, Groups, LtlAlgorithm, LtlError, LtlOptions, LtlReport, check_ltl,
};
pub use packing::Packing;
pub use safety::{ActionTest, Config, Outcome, Property, StateTest, check};
pub use search::Order;
pub use space::{Edge, Space};
pub use store::Store;
