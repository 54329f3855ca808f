//! Questions about protocols that need a search: what is probably a mistake in one ([`lint`]), how much
//! its queues must hold ([`in_flight`]), and whether its liberal form does what it says
//! ([`liberal`]). Also what formulas say about a model ([`Claim`]), whether that holds ([`Checker`]), and
//! whether they say anything ([`vacuous`]).
//!
//! This is where protocol languages and the engine meet; neither knows the other. It reads no file.
#![forbid(unsafe_code)]

mod checker;
mod claim;
pub mod codes;
mod explored;
mod faithful;
mod flight;
mod formulas;
mod invariant;
mod lint;
pub mod manifest;
pub mod names;

use std::fmt;

use quadrille_engine::Error;
use quadrille_model::Bound;
use quadrille_protocol::project::{TooLarge, Unprojected};

pub use checker::{Checker, Method, Unanswered, unmatched};
pub use claim::{Actions, Claim, Subject};
pub use explored::{Explored, steps_note};
pub use faithful::{
    Deviation, Faithfulness, LiberalReport, Which, early_deviation, examined, liberal, projected,
    with_capacities,
};
pub use flight::{InFlight, Pump, in_flight};
pub use formulas::{AtomUse, idle_atoms, ignored_words, vacuous, vacuous_part};
pub use lint::{Finding, lint, lint_roles, stuck};

/// Why a question has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stopped {
    /// A bound was reached first.
    Bound(Bound),
    /// The protocol has no initial state; its problems say why.
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

impl From<Unprojected> for Stopped {
    fn from(error: Unprojected) -> Self {
        match error {
            Unprojected::TooLarge(error) => Stopped::TooLarge(error),
            Unprojected::Stopped(bound) => Stopped::Bound(bound),
        }
    }
}
