//! Programs and their environments on one axis of model time.
//!
//! Threads run under the scheduler of `quadrille-sim`, processes of the environment in a simulation of `quadrille-simulation`; this crate joins
//! them ([`Joint`], [`enter`]), looks at both after every step ([`invariant`], [`coverage`], [`Snapshot`]), and offers what model implementations
//! of a control interface are made of: lines with faults ([`Signal`], [`Wire`]), a record of the traffic ([`Journal`]), [`Interrupt`]s.
//! `docs/environments.md` is the manual.
//!
//! It does not know how threads are scheduled or what a program does, and reads no clock.
#![forbid(unsafe_code)]

mod command;
pub mod coverage;
mod interrupt;
pub mod invariant;
mod journal;
mod line;
mod snapshot;
pub mod strategy;
mod world;

pub use command::Command;
pub use interrupt::Interrupt;
pub use journal::{Entry, Journal, Side};
pub use line::{Faults, Signal, Wire};
pub use snapshot::{Grade, Snapshot, ThreadState, ThreadView};
pub use world::{Findings, Found, Joint, Reaction, Report, World, enter};

/// The examples of the manual, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/environments.md")]
struct Manual;
