//! `std::time` with model time: clocks show what the scheduler says.

use ::std::cmp::Ordering;
use ::std::fmt;
use ::std::ops::{Add, AddAssign, Sub, SubAssign};
use ::std::sync::OnceLock;

pub use ::std::time::{Duration, SystemTimeError, TryFromFloatSecsError};

use quadrille_sim::task;

/// A point in time that only grows: model time in a simulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

/// The date at which every simulation begins: 2026-01-01, 00:00 UTC.
const FIRST_DATE: Duration = Duration::from_secs(1_767_225_600);

impl Instant {
    /// Now.
    #[track_caller]
    #[must_use]
    #[allow(clippy::disallowed_methods)] // outside of a simulation, the real clock is what was asked for
    pub fn now() -> Instant {
        static FIRST: OnceLock<::std::time::Instant> = OnceLock::new();
        if task::is_simulated() {
            return Instant(Duration::from_nanos(task::read_clock().as_nanos()));
        }
        let now = ::std::time::Instant::now();
        Instant(now.saturating_duration_since(*FIRST.get_or_init(|| now)))
    }

    /// How long after `earlier` this is; zero if it is not.
    #[must_use]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// How long after `earlier` this is, if it is.
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_sub(earlier.0)
    }

    /// How long after `earlier` this is; zero if it is not.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// How long ago this was.
    #[track_caller]
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// Later by `length`, if that can be said.
    #[must_use]
    pub fn checked_add(&self, length: Duration) -> Option<Instant> {
        self.0.checked_add(length).map(Instant)
    }

    /// Earlier by `length`, if that can be said.
    #[must_use]
    pub fn checked_sub(&self, length: Duration) -> Option<Instant> {
        self.0.checked_sub(length).map(Instant)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Instant").field(&self.0).finish()
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, length: Duration) -> Instant {
        Instant(self.0 + length)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, length: Duration) {
        self.0 += length;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    fn sub(self, length: Duration) -> Instant {
        Instant(self.0 - length)
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, length: Duration) {
        self.0 -= length;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

/// A date and time of day; in a simulation a fixed date plus model time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SystemTime(::std::time::SystemTime);

/// The beginning of 1970.
pub const UNIX_EPOCH: SystemTime = SystemTime(::std::time::UNIX_EPOCH);

impl SystemTime {
    /// The beginning of 1970.
    pub const UNIX_EPOCH: SystemTime = UNIX_EPOCH;

    /// Now.
    #[track_caller]
    #[must_use]
    #[allow(clippy::disallowed_methods)] // outside of a simulation, the real clock is what was asked for
    pub fn now() -> SystemTime {
        if task::is_simulated() {
            let passed = Duration::from_nanos(task::read_clock().as_nanos());
            return SystemTime(::std::time::UNIX_EPOCH + FIRST_DATE + passed);
        }
        SystemTime(::std::time::SystemTime::now())
    }

    /// How long after `earlier` this is.
    ///
    /// # Errors
    ///
    /// If it is not.
    pub fn duration_since(&self, earlier: SystemTime) -> Result<Duration, SystemTimeError> {
        self.0.duration_since(earlier.0)
    }

    /// How long ago this was.
    ///
    /// # Errors
    ///
    /// If it is still to come.
    #[track_caller]
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError> {
        SystemTime::now().duration_since(*self)
    }

    /// Later by `length`, if that can be said.
    #[must_use]
    pub fn checked_add(&self, length: Duration) -> Option<SystemTime> {
        self.0.checked_add(length).map(SystemTime)
    }

    /// Earlier by `length`, if that can be said.
    #[must_use]
    pub fn checked_sub(&self, length: Duration) -> Option<SystemTime> {
        self.0.checked_sub(length).map(SystemTime)
    }
}

impl PartialOrd for SystemTime {
    fn partial_cmp(&self, other: &SystemTime) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SystemTime {
    fn cmp(&self, other: &SystemTime) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl fmt::Debug for SystemTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Add<Duration> for SystemTime {
    type Output = SystemTime;
    fn add(self, length: Duration) -> SystemTime {
        SystemTime(self.0 + length)
    }
}

impl AddAssign<Duration> for SystemTime {
    fn add_assign(&mut self, length: Duration) {
        self.0 += length;
    }
}

impl Sub<Duration> for SystemTime {
    type Output = SystemTime;
    fn sub(self, length: Duration) -> SystemTime {
        SystemTime(self.0 - length)
    }
}

impl SubAssign<Duration> for SystemTime {
    fn sub_assign(&mut self, length: Duration) {
        self.0 -= length;
    }
}

impl From<::std::time::SystemTime> for SystemTime {
    fn from(time: ::std::time::SystemTime) -> SystemTime {
        SystemTime(time)
    }
}
