//! What the threads of one process tell each other: how far each came, whether to stop, and why nothing
//! can go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use quadrille_engine::{Error, Progress};
use quadrille_model::Bound;

/// How far a worker came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkerProgress {
    /// States, edges, level, states left of it, bytes: of this worker.
    pub progress: Progress,
    /// Bytes that it sent to others.
    pub sent: u64,
}

/// How many numbers a worker's progress is.
pub(crate) const NUMBERS: usize = 6;

#[derive(Default)]
pub(crate) struct Shared {
    /// Per worker of the whole cluster.
    progress: Vec<[AtomicU64; NUMBERS]>,
    /// Per worker of the whole cluster, how often it moved; known of those of this process.
    moves: Vec<AtomicU64>,
    /// What makes the search end early, in all processes.
    bound: Mutex<Option<Bound>>,
    is_bound: AtomicBool,
    /// Why this process cannot go on.
    failed: OnceLock<Error>,
    /// Whether all that is to be sent and received was.
    finished: AtomicBool,
}

impl Shared {
    pub fn new(n_workers: usize) -> Self {
        let progress = std::iter::repeat_with(Default::default).take(n_workers).collect();
        let moves = std::iter::repeat_with(AtomicU64::default).take(n_workers).collect();
        Self { progress, moves, ..Self::default() }
    }

    /// How far a worker came: as many of its numbers as are given.
    pub fn tell(&self, worker: usize, numbers: impl IntoIterator<Item = u64>) {
        for (place, number) in self.progress.get(worker).into_iter().flatten().zip(numbers) {
            place.store(number, Ordering::Relaxed);
        }
    }

    /// Notes that a worker gets on.
    pub fn moved(&self, worker: usize) {
        self.moves[worker].fetch_add(1, Ordering::Relaxed);
    }

    /// How often a worker moved.
    pub fn n_moves(&self, worker: usize) -> u64 {
        self.moves[worker].load(Ordering::Relaxed)
    }

    /// How many bytes a worker sent: the last of its numbers.
    pub fn tell_sent(&self, worker: usize, n_bytes: u64) {
        self.progress[worker][NUMBERS - 1].store(n_bytes, Ordering::Relaxed);
    }

    pub fn numbers(&self, worker: usize) -> [u64; NUMBERS] {
        std::array::from_fn(|at| self.progress[worker][at].load(Ordering::Relaxed))
    }

    /// How far each worker came.
    pub fn each(&self) -> Vec<WorkerProgress> {
        let worker = |number| {
            let [states, transitions, depth, frontier, bytes, sent] = self.numbers(number);
            let progress = Progress { states, transitions, depth: Some(depth), frontier, bytes };
            WorkerProgress { progress, sent }
        };
        (0..self.progress.len()).map(worker).collect()
    }

    /// Ends the search at a bound.
    pub fn stop(&self, bound: Bound) {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(bound);
        self.is_bound.store(true, Ordering::Release);
    }

    pub fn bound(&self) -> Option<Bound> {
        if !self.is_bound.load(Ordering::Acquire) {
            return None;
        }
        *self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends everything: the first reason counts.
    pub fn fail(&self, error: Error) {
        let _ = self.failed.set(error);
    }

    pub fn failure(&self) -> Option<&Error> {
        self.failed.get()
    }

    pub fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }

    pub fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }
}

/// A failure of another process, or of the connection to it.
pub(crate) fn peers(message: impl Into<String>) -> Error {
    Error::Peers(message.into().into_boxed_str())
}
