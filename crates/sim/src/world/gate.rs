//! What a task waits for, in the form that is asked at every decision: without branches, and with all
//! tasks side by side in memory.

use std::time::Duration;

use crate::operation::{Action, Guard, ObjectId, Request};

/// When a task can go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    /// The word of the object must lie between these, or outside of them.
    least: i64,
    greatest: i64,
    is_outside: bool,
    /// The timed wait is over.
    pub(crate) is_due: bool,
    /// It can go on whatever the word is.
    pub(crate) is_open: bool,
    /// It lets others go first.
    pub(crate) yields: bool,
    /// It gives up when its time is over.
    pub(crate) is_timed: bool,
    pub(crate) object: ObjectId,
}

impl Gate {
    /// The gate of a task that will do nothing more.
    pub(crate) const CLOSED: Gate = Gate::new(Guard::Never, ObjectId::NONE);

    /// The gate of what a task asks for.
    #[inline]
    pub(crate) fn of(request: &Request) -> Gate {
        Gate {
            yields: matches!(request.action, Action::Yield),
            is_timed: request.timeout != Duration::MAX,
            ..Gate::new(request.guard, request.gate)
        }
    }

    #[inline]
    pub(crate) const fn new(guard: Guard, object: ObjectId) -> Gate {
        let (yields, is_timed) = (false, false);
        let (least, greatest, is_outside) = match guard {
            Guard::Always => (i64::MIN, i64::MAX, false),
            Guard::Zero => (0, 0, false),
            Guard::NonZero => (0, 0, true),
            Guard::NotNegative => (0, i64::MAX, false),
            Guard::Below(limit) => (limit, i64::MAX, true),
            Guard::Never => (i64::MIN, i64::MAX, true),
        };
        let (is_due, is_open) = (false, false);
        Gate { least, greatest, is_outside, is_due, is_open, yields, is_timed, object }
    }

    /// Whether the word of the object lets it go on.
    #[inline]
    pub(crate) const fn admits(&self, word: i64) -> bool {
        ((self.least <= word) & (word <= self.greatest)) != self.is_outside
    }

    /// The same, or it need not wait for that.
    #[inline]
    pub(crate) const fn lets_pass(&self, word: i64) -> bool {
        self.admits(word) | self.is_due | self.is_open
    }
}

/// Which tasks can go on, 64 of them at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ready {
    /// Those that can.
    pub(crate) can: u64,
    /// Those that let others go first.
    pub(crate) yields: u64,
}

impl Ready {
    /// Notes whether a task can go on.
    #[inline]
    pub(crate) const fn set(&mut self, task: usize, can: bool) {
        let bit = bit(task);
        self.can = if can { self.can | bit } else { self.can & !bit };
    }
}

/// The bit of a task among those of its number modulo 64.
#[inline]
pub(crate) const fn bit(task: usize) -> u64 {
    1 << (task % 64)
}

#[cfg(test)]
mod tests;
