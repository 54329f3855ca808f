//! The one engine of Quadrille: it explores any [`Model`](quadrille_model::Model) exactly, within
//! limits, and says *holds*, *violated* (with a trace that was replayed) or *unknown*.
//!
//! [`Space`] is the layer every algorithm stands on: states that were met, numbered in order of
//! discovery and stored packed. This crate knows no language, reads no clock and prints nothing:
//! progress and cancellation go through a callback.
#![forbid(unsafe_code)]

mod arena;
mod limits;
mod packing;
#[cfg(test)]
mod random;
mod space;
mod store;

pub use limits::{Limits, Observer, Progress, unobserved};
pub use packing::Packing;
pub use space::{Edge, Space};
pub use store::Store;
