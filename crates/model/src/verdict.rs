//! What a check says: the verdict words, the runs they range over, and what was counted.

use crate::Trace;

/// The outcome of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Proved for everything the check ranges over.
    Holds,
    /// Refuted, with evidence. `None` only where no single run can show it (some CTL formulas).
    Violated(Option<Trace>),
    /// A bound was reached first.
    Unknown(Bound),
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
    /// Somebody asked it to stop.
    Interrupted,
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
