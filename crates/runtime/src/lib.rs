//! What generated modules stand on in production: the [`Plan`] of a protocol as data, and the machines
//! that carry it out. Knows no protocol language; everything it does comes from a plan.
#![deny(unsafe_code)]

pub mod event;
pub mod plan;
#[allow(unsafe_code)] // named in ARCHITECTURE.md
pub mod queue;
mod sync;

pub use plan::Plan;
