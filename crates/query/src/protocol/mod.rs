//! Questions about protocols that need a search: what is probably a mistake in one ([`lint()`]), how much
//! its queues must hold ([`in_flight`]), whether its liberal form does what it says ([`liberal`]), and
//! whether formulas about it say anything ([`vacuous`]).
//!
//! This is where protocols and the engine meet; neither knows the other.

pub mod codes;
mod explored;
mod faithful;
mod idle;
mod lint;
mod order;
mod queues;
mod vacuity;

use std::fmt;

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::Error;
use quadrille_model::{Bound, Problem};
use quadrille_protocol::core::diagnosed;
use quadrille_protocol::project::{TooLarge, Unprojected};

pub use explored::{Explored, steps_note};
pub use faithful::{
    Deviation, Faithfulness, LiberalReport, Which, early_deviation, examined, liberal, projected,
    with_capacities,
};
pub use idle::{idle_statements, never_happens};
pub use lint::{lint, lint_roles, stuck};
pub use order::{Order, compare_order};
pub(crate) use queues::QueueVisitor;
pub use queues::{InFlight, Pump, QueueBound, in_flight};
pub(crate) use vacuity::idle_atoms;
pub use vacuity::{idle_atom, ignored_words, vacuous, vacuous_part};

/// Why a question about a protocol has no answer.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Stopped {
    /// A bound was reached first.
    Bound(Bound),
    /// A step of the protocol could not be computed.
    Problems(Vec<Diagnostic>),
    /// The protocol has no initial state.
    NoStart,
    /// There is too much that a role can know.
    TooLarge(TooLarge),
    /// The protocol did not perform a run again.
    Unrepeatable(Error),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Bound(bound) => write!(f, "a bound was reached: {bound:?}"),
            Stopped::Problems(problems) => match problems.first() {
                Some(problem) => f.write_str(&problem.message),
                None => f.write_str("a step could not be computed"),
            },
            Stopped::NoStart => f.write_str("the protocol has no initial state"),
            Stopped::TooLarge(error) => error.fmt(f),
            Stopped::Unrepeatable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Stopped {}

impl From<Bound> for Stopped {
    fn from(bound: Bound) -> Self {
        Stopped::Bound(bound)
    }
}

impl From<Box<Problem>> for Stopped {
    fn from(problem: Box<Problem>) -> Self {
        Stopped::Problems(vec![diagnosed(&problem)])
    }
}

impl From<quadrille_engine::Stopped> for Stopped {
    fn from(stopped: quadrille_engine::Stopped) -> Self {
        match stopped {
            quadrille_engine::Stopped::Bound(bound) => Stopped::Bound(bound),
            quadrille_engine::Stopped::Failed(error) => match Diagnostic::behind(&error) {
                Some(problem) => Stopped::Problems(vec![problem.clone()]),
                None => Stopped::Unrepeatable(error),
            },
        }
    }
}

impl From<Unprojected> for Stopped {
    fn from(error: Unprojected) -> Self {
        match error {
            Unprojected::TooLarge(error) => Stopped::TooLarge(error),
            Unprojected::Stopped(bound) => Stopped::Bound(bound),
        }
    }
}
