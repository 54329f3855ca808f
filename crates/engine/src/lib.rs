//! The one engine of Quadrille: it explores any [`Model`](quadrille_model::Model) exactly, within
//! limits, and says *holds*, *violated* (with a trace that was replayed) or *unknown*.
//!
//! [`explore`] walks a model once for any number of questions. [`Space`] is the layer every
//! algorithm stands on: states that were met, numbered in order of discovery and stored packed. This
//! crate knows no language, reads no clock and prints nothing:
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
//! let outcome = check(&model, vec![Property::DeadlockFree], &Config::default(), &mut unobserved)?;
//! let Verdict::Violated(Some(trace)) = &outcome.verdicts[0] else { panic!("it falls") };
//! assert_eq!((outcome.counts.states, trace.steps.len()), (2, 1));
//! # Ok::<(), quadrille_engine::Error>(())
//! ```
#![forbid(unsafe_code)]

mod arena;
mod bits;
mod ctl;
pub mod disk;
pub mod equivalence;
mod error;
mod evidence;
mod explore;
mod fingerprint;
mod graph;
mod growth;
mod interpretation;
mod keys;
mod limits;
mod lossy;
mod ltl;
mod occurrences;
mod order;
mod packing;
mod report;
mod safety;
mod simulate;
mod space;
mod steps;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod toys;
mod workers;

pub use ctl::check_ctl;
pub use error::{Error, Stopped};
pub use evidence::replayed;
pub use explore::{Config, Expansion, Explored, Order, Visitor, explore};
pub use graph::Graph;
pub use growth::{Growth, growth};
pub use interpretation::{Interpretation, Meaning};
pub use limits::{Limits, Observer, Progress, Watch, unobserved};
pub use lossy::{Lossy, check_lossy};
pub use ltl::{
    Fairness, Flaw, LtlAlgorithm, LtlOptions, Tasks, accepts_for_ever, check_ltl, check_never,
    look_again, monitor_of,
};
pub use occurrences::{Occurrences, few_values};
pub use order::slot_order;
pub use packing::Packing;
pub use report::{ProductCounts, Report};
pub use safety::{ActionTest, Outcome, Property, Safety, StateTest, check};
pub use simulate::{Found, Probe, Simulated, Simulation, simulate};
pub use space::{Edge, Space};
pub use store::Store;
pub use sweep::{Sift, SiftTest, Sight};
pub use workers::Workers;
