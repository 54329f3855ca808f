//! Summaries of what was observed: of single values, of values over model time, and how sure a mean is.

use crate::ModelTime;

/// Count, mean, variance and extremes of values, in one pass (Welford, 1962).
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    n: u64,
    mean: f64,
    squares: f64,
    least: f64,
    most: f64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { n: 0, mean: 0.0, squares: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

impl Tally {
    /// Nothing observed yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a mean of more than 2^53 values would take years"
    )]
    pub fn add(&mut self, value: f64) {
        self.n += 1;
        let before = value - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (value - self.mean);
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// How many values there were.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Their mean, 0 if there were none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their variance as a sample, 0 if there were fewer than two.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "as in `add`")]
    pub fn variance(&self) -> f64 {
        if self.n < 2 { 0.0 } else { self.squares / (self.n - 1) as f64 }
    }

    /// The least value.
    #[must_use]
    pub fn least(&self) -> Option<f64> {
        (self.n > 0).then_some(self.least)
    }

    /// The greatest value.
    #[must_use]
    pub fn most(&self) -> Option<f64> {
        (self.n > 0).then_some(self.most)
    }
}

/// The mean of a value over model time: each value counts as long as it lasted.
#[derive(Clone, Copy, Debug)]
pub struct TimeAverage {
    start: ModelTime,
    changed: ModelTime,
    value: f64,
    /// Value times seconds, up to the last change.
    area: f64,
    most: f64,
}

impl TimeAverage {
    /// From `now` on, with a first value.
    #[must_use]
    pub fn new(now: ModelTime, value: f64) -> Self {
        Self { start: now, changed: now, value, area: 0.0, most: value }
    }

    /// The value is another one from `now` on.
    pub fn set(&mut self, now: ModelTime, value: f64) {
        self.area += self.value * (now - self.changed).as_secs_f64();
        self.changed = now;
        self.value = value;
        self.most = self.most.max(value);
    }

    /// The mean up to `now`; the value itself if no time has passed.
    #[must_use]
    pub fn mean(&self, now: ModelTime) -> f64 {
        let length = (now - self.start).as_secs_f64();
        if length == 0.0 {
            return self.value;
        }
        (self.area + self.value * (now - self.changed).as_secs_f64()) / length
    }

    /// The greatest value so far.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.most
    }
}

/// The mean of values that depend on their predecessors, as waiting times do, with a confidence interval by the method of
/// batch means (Law & Carson, 1979): means of long batches are nearly independent.
#[derive(Clone, Copy, Debug)]
pub struct BatchMeans {
    batch_size: u64,
    batch: Tally,
    batches: Tally,
}

impl BatchMeans {
    /// Batches of so many values, at least one.
    #[must_use]
    pub fn new(batch_size: u64) -> Self {
        Self { batch_size: batch_size.max(1), batch: Tally::new(), batches: Tally::new() }
    }

    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.batch.add(value);
        if self.batch.n() == self.batch_size {
            self.batches.add(self.batch.mean());
            self.batch = Tally::new();
        }
    }

    /// The mean of all full batches.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.batches.mean()
    }

    /// How many batches are full.
    #[must_use]
    pub fn n_batches(&self) -> u64 {
        self.batches.n()
    }

    /// Half the width of the 99 % confidence interval around the mean; none with fewer than ten batches.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "as in `Tally::add`")]
    pub fn half_width(&self) -> Option<f64> {
        let n = self.batches.n();
        (n >= 10).then(|| student(n - 1) * (self.batches.variance() / n as f64).sqrt())
    }
}

/// The 99.5 % quantile of Student's distribution, from the normal one by its expansion in the degrees of freedom
/// (Fisher & Cornish, 1960); right to 0.6 % from nine degrees on.
#[expect(clippy::cast_precision_loss, reason = "a number of batches")]
fn student(degrees: u64) -> f64 {
    const Z: f64 = 2.575_829_303_548_901;
    let degrees = degrees as f64;
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    Z + first / degrees + second / degrees.powi(2)
}

#[cfg(test)]
mod tests;
