//! Model time: the one clock of program and environment, in nanoseconds since the execution began.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

/// A point on the axis of model time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelTime(u64);

impl ModelTime {
    /// When every execution begins.
    pub const ZERO: ModelTime = ModelTime(0);
    /// Later than everything that happens.
    pub const NEVER: ModelTime = ModelTime(u64::MAX);

    /// The point `nanoseconds` after the beginning.
    #[must_use]
    pub const fn from_nanos(nanoseconds: u64) -> ModelTime {
        ModelTime(nanoseconds)
    }

    /// Nanoseconds since the beginning.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// How long after `earlier` this is; zero if it is not.
    #[must_use]
    pub const fn since(self, earlier: ModelTime) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for ModelTime {
    type Output = ModelTime;

    /// Saturates: what is too late for the clock never happens.
    fn add(self, length: Duration) -> ModelTime {
        let nanoseconds = u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
        ModelTime(self.0.saturating_add(nanoseconds))
    }
}

impl fmt::Display for ModelTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == ModelTime::NEVER {
            return f.write_str("never");
        }
        write!(f, "{:?}", Duration::from_nanos(self.0))
    }
}
