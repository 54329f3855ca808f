//! Invariants over program and environment that may be broken for a while: a program that looks at its environment
//! once a period reacts up to a period late, and that is no fault. How long a break may last is said per invariant.

use std::fmt;
use std::time::Duration;

use quadrille_simulation::ModelTime;
use serde::Serialize;

/// A break that lasted longer than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Violation {
    /// Since when the invariant was broken.
    pub since: ModelTime,
    /// When it was clear that this was too long.
    pub noticed: ModelTime,
}

/// What became of an invariant in a run.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// How long it may be broken.
    pub grace: Duration,
    /// How often it was broken, for however short a time.
    pub n_breaks: u64,
    /// How long the longest break was.
    pub longest: Duration,
    /// How many breaks were longer than allowed.
    pub n_violations: u64,
    /// The first of them.
    pub first: Option<Violation>,
}

impl Record {
    /// Whether no break was longer than allowed.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.first.is_none()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, grace, n_breaks, longest, n_violations, first } = self;
        match first {
            None => write!(f, "holds: {name}")?,
            Some(Violation { since, noticed }) => {
                write!(
                    f,
                    "violated: {name}, broken since {since}, noticed at {noticed}, {n_violations} times in all"
                )?;
            }
        }
        write!(f, " ({n_breaks} breaks, the longest {longest:?}, {grace:?} allowed)")
    }
}

/// Follows an invariant along a run.
#[derive(Clone, Debug)]
pub struct Watch {
    record: Record,
    broken: Option<Break>,
}

#[derive(Clone, Copy, Debug)]
struct Break {
    since: ModelTime,
    is_violation: bool,
}

impl Watch {
    /// An invariant that may be broken for `grace`. If that is zero, a single moment is a violation.
    #[must_use]
    pub fn new(name: impl Into<String>, grace: Duration) -> Self {
        let (n_breaks, longest, n_violations, first) = (0, Duration::ZERO, 0, None);
        Self {
            record: Record { name: name.into(), grace, n_breaks, longest, n_violations, first },
            broken: None,
        }
    }

    /// Whether the invariant holds at `now`. Says when a break has just become a violation.
    pub fn observe(&mut self, now: ModelTime, holds: bool) -> Option<Violation> {
        if holds && self.broken.is_none() {
            return None;
        }
        let record = &mut self.record;
        let current = self.broken.get_or_insert_with(|| {
            record.n_breaks += 1;
            Break { since: now, is_violation: false }
        });
        let length = now - current.since;
        record.longest = record.longest.max(length);
        let is_too_long = length > record.grace || record.grace.is_zero();
        let violation = Violation { since: current.since, noticed: now };
        let is_news = is_too_long && !std::mem::replace(&mut current.is_violation, is_too_long);
        if holds {
            self.broken = None;
        }
        if !is_news {
            return None;
        }
        record.n_violations += 1;
        record.first.get_or_insert(violation);
        Some(violation)
    }

    /// What became of it so far.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }
}

#[cfg(test)]
mod tests;
