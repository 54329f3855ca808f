//! Points on the axis of model time. Lengths of model time are `std::time::Duration`s, so that a program's own
//! `sleep` and an environment's `hold` speak of the same thing; nothing here reads a clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

/// A point in model time: nanoseconds since the simulation began. Additions stop at [`ModelTime::NEVER`], some
/// 584 years later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ModelTime(u64);

impl ModelTime {
    /// The beginning of every simulation.
    pub const ZERO: Self = Self(0);
    /// Later than everything that happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// The point so many nanoseconds after the beginning.
    #[must_use]
    pub const fn from_nanos(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// The point so many whole seconds after the beginning.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000_000))
    }

    /// Nanoseconds since the beginning.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the beginning.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a figure for people and statistics")]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The length between the beginning and this point.
    #[must_use]
    pub const fn since_start(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// The length from `earlier` to this point, zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Nanoseconds of a length, at most what model time can express.
fn nanoseconds(length: Duration) -> u64 {
    length.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(length.subsec_nanos()))
}

impl Add<Duration> for ModelTime {
    type Output = Self;

    fn add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(nanoseconds(length)))
    }
}

impl AddAssign<Duration> for ModelTime {
    fn add_assign(&mut self, length: Duration) {
        *self = *self + length;
    }
}

impl Sub for ModelTime {
    type Output = Duration;

    /// The length from the second point to the first, zero if the second is later.
    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for ModelTime {
    /// Seconds, with as many decimals as there are: `1.028 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NEVER {
            return f.pad("never");
        }
        let (seconds, fraction) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        let decimals = format!("{fraction:09}");
        let decimals = decimals.trim_end_matches('0');
        match decimals {
            "" => f.pad(&format!("{seconds} s")),
            _ => f.pad(&format!("{seconds}.{decimals} s")),
        }
    }
}

impl fmt::Debug for ModelTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
