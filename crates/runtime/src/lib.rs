//! What generated modules stand on in production: the [`Plan`] of a protocol as data, and the machines
//! that carry it out. Knows no protocol language; everything it does comes from a plan.
//!
//! A [`Module`] is a plan in one of two [`Form`]s. [`Module::into_roles`] gives a [`Role`] per role, for a
//! thread or task each.
#![deny(unsafe_code)]

mod ask;
mod error;
#[allow(unsafe_code)] // named in ARCHITECTURE.md
mod event;
#[cfg(test)]
mod event_tests; // not in `event.rs`, which `tests/interleavings.rs` runs on other atomics
mod explore;
mod future;
mod liberal;
mod meeting;
mod module;
mod observe;
mod origin;
pub mod plan;
mod policy;
#[allow(unsafe_code)] // named in ARCHITECTURE.md
pub mod queue;
mod role;
mod sabotage;
mod strict;
#[allow(unsafe_code)] // named in ARCHITECTURE.md
mod sync;
mod table;
#[cfg(feature = "tcp")]
pub mod tcp;

pub use error::{Cause, Error, Failed, Report, Waiting};
pub use explore::{Exploration, Fault, Wrong};
pub use future::{Receiving, Stepping};
pub use module::{Form, Module, Payload, Sample};
#[cfg(feature = "tracing")]
pub use observe::Traced;
pub use observe::{Observe, Recorder};
pub use origin::{Origin, Subject};
pub use plan::Plan;
pub use policy::Policy;
pub use role::{Received, Role};
#[cfg(feature = "sabotage")]
pub use sabotage::{Harm, Sabotage};
pub use table::PlanError;
