//! Successors that may be new: collected by workers, sorted and deduplicated a chunk at a time, written
//! down as a run where they become many, and at last merged and compared with what was met, a range of
//! keys at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::folder::Trouble;
use super::key::Key;
use super::run::{BLOCK, Run, Writing};
use super::visited::{Scratch, Visited};
use crate::workers::Workers;

/// Bytes of keys that a worker collects before it sorts them, at most.
pub(super) const CHUNK: usize = if cfg!(test) { 1 << 9 } else { 1 << 23 };
/// Bytes of keys that are merged together.
const RANGE: usize = if cfg!(test) { 1 << 10 } else { 1 << 22 };
/// A sample is taken of so many keys.
const STRIDE: usize = if cfg!(test) { 1 << 4 } else { BLOCK };
/// Slots of the table of keys that were seen a short while ago.
const RECENT: u32 = 14;

/// Sorted successors of a level.
pub(super) struct Candidates<K> {
    chunks: Mutex<Vec<Vec<K>>>,
    n: AtomicUsize,
    pub spilled: Vec<Run<K>>,
}

impl<K: Key> Default for Candidates<K> {
    fn default() -> Self {
        Self { chunks: Mutex::default(), n: AtomicUsize::new(0), spilled: Vec::new() }
    }
}

/// By hash, a key that was met lately: most successors are met several times in a row.
pub(super) struct Recent<K>(Vec<K>);

impl<K: Key> Default for Recent<K> {
    fn default() -> Self {
        // No place holds a key that belongs there, unless it was met.
        let mut recent = vec![K::default(); 1 << RECENT];
        let home = Self::place(&K::default());
        let stranger = (1..).map(K::of_low).find(|key| Self::place(key) != home);
        recent[home] = stranger.unwrap_or_default();
        Self(recent)
    }
}

impl<K: Key> Recent<K> {
    #[inline]
    fn place(key: &K) -> usize {
        (key.scattered() >> (u64::BITS - RECENT)) as usize
    }

    /// Whether a key was not met lately; it was from now on.
    #[inline]
    pub fn is_news(&mut self, key: &K) -> bool {
        let place = &mut self.0[Self::place(key)];
        let is_news = place != key;
        if is_news {
            place.clone_from(key);
        }
        is_news
    }
}

/// What a worker collects.
pub(super) struct Collector<K> {
    open: Vec<K>,
    scratch: Vec<K>,
    recent: Recent<K>,
}

impl<K: Key> Default for Collector<K> {
    fn default() -> Self {
        Self { open: Vec::new(), scratch: Vec::new(), recent: Recent::default() }
    }
}

impl<K: Key> Collector<K> {
    #[inline]
    pub fn push(&mut self, key: K) {
        if self.recent.is_news(&key) {
            self.open.push(key);
        }
    }

    /// Hands over what was collected, if that is much.
    pub fn hand_over(&mut self, to: &Candidates<K>, room: usize, is_last: bool) {
        let n_bytes = self.open.len() * size_of::<K>();
        if self.open.is_empty() || n_bytes < CHUNK.min(room / 8) && !is_last {
            return;
        }
        K::sort(&mut self.open, &mut self.scratch);
        self.open.dedup();
        to.add(self.open.clone());
        self.open.clear();
    }
}

impl<K: Key> Candidates<K> {
    /// Adds sorted keys.
    pub fn add(&self, chunk: Vec<K>) {
        self.n.fetch_add(chunk.len(), Ordering::Relaxed);
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
    }

    /// Keys in memory.
    pub fn n(&self) -> usize {
        self.n.load(Ordering::Relaxed)
    }

    pub fn memory(&self) -> usize {
        let spilled: usize = self.spilled.iter().map(Run::memory).sum();
        self.n() * size_of::<K>() + spilled
    }

    /// Merges the candidates, without those that were met, and gives the rest to `take`, in order.
    /// `go_on` is asked now and then.
    pub fn merge(
        &mut self,
        visited: Option<&Visited<K>>,
        workers: Workers,
        mut go_on: impl FnMut() -> bool,
        mut take: impl FnMut(Run<K>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let chunks = std::mem::take(self.chunks.get_mut().unwrap_or_else(PoisonError::into_inner));
        self.n.store(0, Ordering::Relaxed);
        let spilled = std::mem::take(&mut self.spilled);
        let sources = Sources { chunks: &chunks, runs: spilled.iter().collect() };
        sources.merge(visited, workers, &mut go_on, &mut take)
    }
}

/// Sorted keys in several places.
struct Sources<'a, K> {
    chunks: &'a [Vec<K>],
    runs: Vec<&'a Run<K>>,
}

impl<K: Key> Sources<'_, K> {
    /// Keys that part all keys into ranges of about the same size.
    fn borders(&self) -> Vec<K> {
        let mut samples: Vec<K> = Vec::new();
        for chunk in self.chunks {
            samples.extend(chunk.iter().skip(STRIDE / 2).step_by(STRIDE).cloned());
        }
        for run in &self.runs {
            samples.extend(run.blocks.iter().map(|block| block.first.clone()));
        }
        samples.sort();
        let step = (RANGE / size_of::<K>() / STRIDE).max(1);
        let mut borders: Vec<K> = samples.into_iter().skip(step).step_by(step).collect();
        borders.dedup();
        borders
    }

    fn merge(
        &self,
        visited: Option<&Visited<K>>,
        workers: Workers,
        go_on: &mut dyn FnMut() -> bool,
        take: &mut dyn FnMut(Run<K>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let borders = self.borders();
        let ranges: Vec<(Option<&K>, Option<&K>)> = (0..=borders.len())
            .map(|number| (number.checked_sub(1).map(|it| &borders[it]), borders.get(number)))
            .collect();
        workers.in_order(
            &ranges,
            || (Vec::new(), Vec::new(), Scratch::default()),
            |(keys, spare, scratch), range| self.range(*range, visited, (keys, spare, scratch)),
            go_on,
            |run: Result<Run<K>, Trouble>| take(run?),
        )
    }

    /// The keys of a range that were not met.
    fn range(
        &self,
        (low, high): (Option<&K>, Option<&K>),
        visited: Option<&Visited<K>>,
        (keys, spare, scratch): (&mut Vec<K>, &mut Vec<K>, &mut Scratch<K>),
    ) -> Result<Run<K>, Trouble> {
        keys.clear();
        let within = |sorted: &[K]| {
            let start = low.map_or(0, |low| sorted.partition_point(|key| key < low));
            let end = high.map_or(sorted.len(), |high| sorted.partition_point(|key| key < high));
            start..end
        };
        let mut n_sources = 0;
        for chunk in self.chunks {
            let part = &chunk[within(chunk)];
            keys.extend_from_slice(part);
            n_sources += usize::from(!part.is_empty());
        }
        for run in &self.runs {
            let blocks = run.overlapping(low, high);
            let mut reader = run.reader();
            n_sources += usize::from(!blocks.is_empty());
            for position in blocks.clone() {
                reader.read(position, blocks.end, &mut scratch.keys)?;
                keys.extend_from_slice(&scratch.keys[within(&scratch.keys)]);
            }
        }
        if n_sources > 1 {
            K::sort(keys, spare);
            keys.dedup();
        }
        if let Some(visited) = visited {
            visited.subtract((low, high), keys, scratch)?;
        }
        let mut writing = Writing::default();
        writing.extend(keys);
        Ok(writing.end())
    }
}
