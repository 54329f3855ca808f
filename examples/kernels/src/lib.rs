//! Four kernels of the NAS parallel benchmarks, sequential and with masters and workers.
//!
//! Each kernel ([`cg`], [`ft`], [`is`], [`mg`]) has its problem (data, sizes, verification), a sequential
//! solution, and a parallel one whose threads communicate by messages only. [`link`] is the
//! seam behind which the messages travel. The README says where the problems come from.
#![forbid(unsafe_code)]

use std::fmt::Debug;

pub mod cg;
pub mod channels;
pub mod ft;
pub mod generated;
pub mod is;
pub mod link;
pub mod mg;
mod modules;
pub mod partition;
pub mod random;
pub mod verification;

pub use link::{Broken, Workers};
pub use verification::Verification;

/// How large a problem is. The benchmarks define more classes; these fit every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Small, for tests.
    S,
    /// For workstations of the nineties.
    W,
}

/// What carries the messages of a parallel solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Channels written by hand.
    Channels,
    /// A generated module, one machine for everybody.
    Strict,
    /// A generated module, a machine for each role.
    Liberal,
}

/// What the four kernels have in common: the value is the input data of one problem.
pub trait Kernel: Sized {
    /// What a solution finds out.
    type Answer: Debug + PartialEq;

    /// Makes the input data of a class.
    fn generate(class: Class) -> Self;

    /// Solves the problem with one thread.
    fn sequential(self) -> Self::Answer;

    /// Solves the problem with a master and this many workers per group.
    ///
    /// # Errors
    /// When a link between master and worker breaks, and when there is no module for so many workers.
    fn parallel(self, carrier: Carrier, workers: Workers) -> Result<Self::Answer, Broken>;

    /// Compares an answer with the published one.
    fn verify(class: Class, answer: &Self::Answer) -> Verification;
}
