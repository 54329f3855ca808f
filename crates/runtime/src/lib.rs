//! The runtime of generated modules: the [`Plan`] of a protocol as data, and the state machines that execute it. Knows no
//! protocol language.
//!
//! A [`Module`] executes a plan in one of two [`Form`]s. [`Module::into_roles`] starts it and returns a [`Role`] for each
//! thread or task. Exploring a module as a model needs the feature `explore`, which production code leaves off.
#![deny(unsafe_code)]

mod error;
#[allow(unsafe_code)] // named in ARCHITECTURE.md
mod event;
#[cfg(test)]
mod event_tests; // not in `event.rs`, which `tests/interleavings.rs` runs on other atomics
#[cfg(feature = "explore")]
mod explore;
mod future;
mod generated;
mod liberal;
mod macros;
mod module;
mod observe;
mod origin;
pub mod plan;
mod policy;
#[allow(unsafe_code)] // named in ARCHITECTURE.md
pub mod queue;
mod rendezvous;
mod request;
mod role;
pub mod scheme;
mod strict;
pub mod structure;
#[allow(unsafe_code)] // named in ARCHITECTURE.md
mod sync;
mod table;
#[cfg(feature = "tcp")]
pub mod tcp;

pub use error::{Cause, Error, Failed, Report, Waiting};
#[cfg(feature = "explore")]
pub use explore::{Exploration, Fault, FaultKind};
#[cfg(feature = "fault-injection")]
pub use explore::{FaultInjection, InjectedFault};
pub use future::{ReceiveFuture, StepFuture};
pub use generated::{
    RoleSet, SentAs, TypedModule, Unassigned, unexpected_member, unexpected_message,
};
pub use module::{Form, Module, Payload, Sample};
#[cfg(feature = "tracing")]
pub use observe::Traced;
pub use observe::{Observe, Recorder};
pub use origin::{Origin, Subject};
pub use plan::Plan;
pub use policy::Policy;
pub use role::{Received, Role};
pub use scheme::Scheme;
pub use structure::Structure;
pub use table::PlanError;
