//! In how many of many seeds each planted error shows, on all processors.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::{Variant, run};

/// What runs of one variant showed.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Runs.
    pub n_runs: usize,
    /// Runs in which each of the five invariants was broken for longer than it may be.
    pub by: [usize; 5],
    /// Runs in which one of the four invariants of the plant was.
    pub by_plant: usize,
    /// Runs in which any of the five was.
    pub by_any: usize,
    /// Runs that failed otherwise.
    pub n_failed: usize,
    /// The longest break of any invariant.
    pub longest: Duration,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.n_runs += other.n_runs;
        for (sum, more) in self.by.iter_mut().zip(other.by) {
            *sum += more;
        }
        self.by_plant += other.by_plant;
        self.by_any += other.by_any;
        self.n_failed += other.n_failed;
        self.longest = self.longest.max(other.longest);
    }

    fn of(seed: u64, variant: Variant, seconds: u64) -> Tally {
        let report = run(seed, variant, seconds);
        let records = &report.found.invariants;
        let shown = |index: usize| usize::from(!records[index].holds());
        let by = std::array::from_fn(shown);
        Tally {
            n_runs: 1,
            by,
            by_plant: usize::from(by[..4].contains(&1)),
            by_any: usize::from(by.contains(&1)),
            n_failed: usize::from(report.failure.is_some()),
            longest: records.iter().map(|record| record.longest).max().unwrap_or_default(),
        }
    }
}

/// Runs a variant for `seconds` of model time in each seed. The result does not depend on how many
/// processors there are.
#[must_use]
pub fn tally(seeds: Range<u64>, variant: Variant, seconds: u64) -> Tally {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, total) = (AtomicU64::new(seeds.start), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let one = Tally::of(seed, variant, seconds);
                    total.lock().unwrap_or_else(PoisonError::into_inner).add(&one);
                }
            });
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}
