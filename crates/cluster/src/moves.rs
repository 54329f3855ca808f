//! Which workers still move. A sign of life says that a process is there, not that its workers get on: a
//! worker says so itself, whenever it expanded, merged or looked for what others sent. One that waits for
//! others moves.
#![allow(clippy::disallowed_methods, reason = "the clock; ARCHITECTURE.md names this place")]

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::shared::Shared;

/// For how many times the patience with processes a worker may stand still: what it does between two moves,
/// such as writing a level down, takes longer than a sign of life.
const PATIENCE: u32 = 10;

/// When the workers of a process moved last.
pub(crate) struct Moves {
    first: usize,
    most: Duration,
    /// Per worker, how often it had moved and when that was noticed; `None` once it has ended.
    seen: Vec<Option<(u64, Instant)>>,
}

impl Moves {
    pub fn new(workers: Range<usize>, patience: Duration) -> Self {
        let seen = vec![Some((0, Instant::now())); workers.len()];
        Self { first: workers.start, most: patience.saturating_mul(PATIENCE), seen }
    }

    /// Waits no longer for a worker, by its number in this process.
    pub fn ended(&mut self, worker: usize) {
        self.seen[worker] = None;
    }

    /// A worker that stands still, and what to say of it.
    pub fn standing(&mut self, shared: &Shared) -> Option<String> {
        for (number, seen) in self.seen.iter_mut().enumerate() {
            let Some((n, since)) = seen else { continue };
            let worker = self.first + number;
            let now = shared.n_moves(worker);
            if now != *n {
                (*n, *since) = (now, Instant::now());
            } else if since.elapsed() > self.most {
                let seconds = self.most.as_secs_f64();
                return Some(format!("worker {worker} has not moved for {seconds} s: it hangs"));
            }
        }
        None
    }
}
