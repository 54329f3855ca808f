//! A checked property as every format tells it, and the words all of them use.

use quadrille_model::{Bound, Finding, Runs, Verdict};

use crate::Story;

/// A finding with its story and the time it took.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// What was found.
    pub finding: Finding,
    /// The trace of a violation, told.
    pub story: Option<Story>,
    /// How long it took.
    pub seconds: f64,
}

/// The one word for a verdict.
pub fn verdict_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The one word for a run mode.
pub fn runs_word(runs: Runs) -> &'static str {
    match runs {
        Runs::Maximal => "maximal",
        Runs::Infinite => "infinite",
        Runs::Finite => "finite",
    }
}

/// Why a check ended early, in a few words.
pub fn bound_phrase(bound: Bound) -> String {
    match bound {
        Bound::States(states) => format!("the bound of {states} states was reached"),
        Bound::Memory(bytes) => format!("the memory bound of {bytes} bytes was reached"),
        Bound::Time(milliseconds) => {
            format!("the time bound of {} s was reached", milliseconds as f64 / 1000.0)
        }
        Bound::Interrupted => "it was interrupted".to_owned(),
    }
}

/// What to do about a bound.
pub fn bound_advice(bound: Bound) -> &'static str {
    match bound {
        Bound::States(_) => "raise --max-states, or check a smaller instance",
        Bound::Memory(_) => "raise --max-memory, or check a smaller instance",
        Bound::Time(_) => "raise --timeout, or check a smaller instance",
        Bound::Interrupted => "run it again and let it finish",
    }
}
