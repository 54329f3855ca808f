//! What a check says: the verdict words, the runs they range over, and what was counted.

use crate::Trace;

/// The outcome of a check. `E` is the evidence of a violation: by default a run, or `None` where no
/// single run can show it (some CTL formulas).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<E = Option<Trace>> {
    /// Proved for everything the check ranges over.
    Holds,
    /// Refuted, with evidence.
    Violated(E),
    /// A bound was reached first.
    Unknown(Bound),
}

impl<E> Verdict<E> {
    /// The one word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// The same verdict with other evidence.
    pub fn map<F>(self, evidence: impl FnOnce(E) -> F) -> Verdict<F> {
        match self {
            Verdict::Holds => Verdict::Holds,
            Verdict::Violated(found) => Verdict::Violated(evidence(found)),
            Verdict::Unknown(bound) => Verdict::Unknown(bound),
        }
    }
}

/// What a property is expected to come out as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Expected {
    /// It holds.
    #[default]
    Holds,
    /// It is violated.
    Violated,
}

impl Expected {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Expected::Holds => "holds",
            Expected::Violated => "violated",
        }
    }

    /// Whether a verdict is the expected one. An unknown verdict never is.
    pub fn is_met_by<E>(self, verdict: &Verdict<E>) -> bool {
        self.word() == verdict.word()
    }
}

/// Why a check ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// As many states as allowed were stored.
    States(u64),
    /// As many bytes as allowed were used.
    Memory(u64),
    /// As many milliseconds as allowed went by.
    Time(u64),
    /// The user asked it to stop.
    Interrupted,
    /// This many random walks found nothing, which proves nothing.
    Walks(u64),
    /// No finite walk refutes what was asked.
    Endless,
    /// A queue grows for ever, so that there are infinitely many states.
    Infinite,
    /// Everything that was kept apart was explored, but states may have been taken for others: with
    /// this probability at least one was left out.
    Omission(Probability),
}

/// A probability in parts of a billion, rounded up: what may happen is never impossible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Probability {
    billionths: u32,
}

const BILLION: u32 = 1_000_000_000;

impl Probability {
    /// The probability, at least one in a billion unless it is 0.
    pub fn new(probability: f64) -> Self {
        let parts = (probability.clamp(0.0, 1.0) * f64::from(BILLION)).ceil();
        Self { billionths: parts as u32 }
    }

    /// As a number from 0 to 1.
    pub fn value(self) -> f64 {
        f64::from(self.billionths) / f64::from(BILLION)
    }
}

/// Which runs a temporal verdict ranges over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Runs {
    /// Infinite runs and finite ones that cannot or need not go on; silence follows an end.
    #[default]
    Maximal,
    /// Infinite runs only: a run that ends satisfies everything.
    Infinite,
    /// Finite runs that end properly only, with a strong next.
    Finite,
}

/// What a search counted. Independent of search order, store and worker count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Distinct states.
    pub states: u64,
    /// Edges, counted as the model reports them.
    pub transitions: u64,
    /// States without successor that may not end.
    pub deadlocks: u64,
    /// Length of the longest shortest path from an initial state (breadth-first search only).
    pub depth: Option<u64>,
    /// Bytes the store holds for all states together.
    pub bytes: u64,
}

/// One checked property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The property, as the user wrote it.
    pub property: String,
    /// The outcome.
    pub verdict: Verdict,
    /// Which runs it ranges over; `None` where the question does not arise (deadlock, CTL).
    pub runs: Option<Runs>,
    /// What was explored to find out.
    pub counts: Counts,
}
