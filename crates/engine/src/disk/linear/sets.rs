//! Sets of states in sorted runs, and how often each was met: collected by workers, merged with sums,
//! looked up in ascending order. Knows neither models nor automata.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::disk::candidates::CHUNK;
use crate::disk::folder::{Folder, Trouble};
use crate::disk::key::Key;
use crate::disk::run::{BLOCK, Reader, Run, Writing};
use crate::disk::shelf::Growing;

/// Keys that are handed over at a time.
const MANY: usize = if cfg!(test) { 4 } else { 16 * BLOCK };
/// Layers smaller than this are taken for this.
const SMALL: u64 = if cfg!(test) { 2 } else { BLOCK as u64 };

/// Where sets lie that do not fit into memory.
pub(super) struct Place {
    folder: Option<Folder>,
    n_files: Cell<usize>,
}

impl Place {
    /// In a folder, or in memory.
    pub fn new(folder: Option<Folder>) -> Self {
        Self { folder, n_files: Cell::new(0) }
    }

    /// A set that grows at its end.
    pub fn build<K: Key>(&self) -> Building<'_, K> {
        self.n_files.set(self.n_files.get() + 1);
        // Such files are removed when a search goes on: no manifest names them.
        let name = format!("set-{}.run", self.n_files.get());
        let growing = Growing::new(self.folder.as_ref(), name.clone());
        let folder = self.folder.as_ref();
        Building { growing, writing: Writing::default(), n_open: 0, folder, name }
    }
}

/// A set that is being written, in ascending order.
pub(super) struct Building<'p, K> {
    growing: Growing<'p, K>,
    writing: Writing<K>,
    n_open: usize,
    folder: Option<&'p Folder>,
    name: String,
}

impl<K: Key> Building<'_, K> {
    pub fn push(&mut self, key: K) -> Result<(), Trouble> {
        self.writing.extend(&[key]);
        self.pushed()
    }

    pub fn push_counted(&mut self, key: K, n: u32) -> Result<(), Trouble> {
        self.writing.push_tagged(key, n);
        self.pushed()
    }

    fn pushed(&mut self) -> Result<(), Trouble> {
        self.n_open += 1;
        if self.n_open == MANY {
            self.n_open = 0;
            self.growing.add(std::mem::take(&mut self.writing).end())?;
        }
        Ok(())
    }

    /// The set. Its file is gone once nothing reads it any more, where the system allows that.
    pub fn end(mut self) -> Result<Run<K>, Trouble> {
        self.growing.add(self.writing.end())?;
        let run = self.growing.end_scratch();
        if let (Some(folder), true) = (self.folder, run.file().is_some()) {
            folder.remove(&self.name);
        }
        Ok(run)
    }
}

/// Where workers put what they collected: sorted runs that say how often each key was met.
pub(super) struct Sink<K> {
    runs: Mutex<Vec<Run<K>>>,
    n_bytes: AtomicUsize,
}

impl<K: Key> Default for Sink<K> {
    fn default() -> Self {
        Self { runs: Mutex::default(), n_bytes: AtomicUsize::new(0) }
    }
}

impl<K: Key> Sink<K> {
    /// Bytes in memory.
    pub fn memory(&self) -> usize {
        self.n_bytes.load(Ordering::Relaxed)
    }

    /// What was put in.
    pub fn take(&self) -> Vec<Run<K>> {
        self.n_bytes.store(0, Ordering::Relaxed);
        std::mem::take(&mut *self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn put(&self, run: Run<K>) {
        self.n_bytes.fetch_add(run.memory(), Ordering::Relaxed);
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).push(run);
    }
}

/// What a worker collects.
pub(super) struct Collector<'s, K: Key> {
    open: Vec<K>,
    scratch: Vec<K>,
    sink: &'s Sink<K>,
    most: usize,
}

impl<'s, K: Key> Collector<'s, K> {
    pub fn new(sink: &'s Sink<K>, room: usize) -> Self {
        let most = (CHUNK.min(room / 8) / size_of::<K>()).max(1);
        Self { open: Vec::new(), scratch: Vec::new(), sink, most }
    }

    pub fn push(&mut self, key: K) {
        self.open.push(key);
        if self.open.len() >= self.most {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        K::sort(&mut self.open, &mut self.scratch);
        let mut writing = Writing::quick();
        for same in self.open.chunk_by(|one, other| one == other) {
            writing.push_tagged(same[0].clone(), same.len() as u32);
        }
        self.open.clear();
        self.sink.put(writing.end());
    }
}

impl<K: Key> Drop for Collector<'_, K> {
    fn drop(&mut self) {
        if !self.open.is_empty() {
            self.hand_over();
        }
    }
}

/// A place in a run, from its beginning to its end.
pub(super) struct Cursor<'r, K> {
    run: &'r Run<K>,
    reader: Reader<'r, K>,
    /// The block after the one that is open.
    next: usize,
    keys: Vec<K>,
    counts: Vec<u32>,
    at: usize,
}

impl<'r, K: Key> Cursor<'r, K> {
    /// Before the first key.
    pub fn new(run: &'r Run<K>) -> Self {
        let reader = run.reader();
        Self { run, reader, next: 0, keys: Vec::new(), counts: Vec::new(), at: 0 }
    }

    /// The key that is here, and how often it was met; `None` behind the last.
    pub fn get(&mut self) -> Result<Option<(&K, u32)>, Trouble> {
        if self.at == self.keys.len() && self.next < self.run.blocks.len() {
            self.open(self.next, self.run.blocks.len())?;
        }
        let count = self.counts.get(self.at).copied().unwrap_or(1);
        Ok(self.keys.get(self.at).map(|key| (key, count)))
    }

    pub fn advance(&mut self) {
        self.at += 1;
    }

    fn open(&mut self, position: usize, last: usize) -> Result<(), Trouble> {
        self.reader.read_tagged(position, last, &mut self.keys, Some(&mut self.counts))?;
        (self.next, self.at) = (position + 1, 0);
        Ok(())
    }

    /// How often a key was met, which is greater than all that were asked for before.
    pub fn count(&mut self, key: &K) -> Result<u32, Trouble> {
        Ok(self.tag(key)?.unwrap_or(0))
    }

    /// What is said of such a key, if it is in the run. Blocks in which it cannot be are not read.
    pub fn tag(&mut self, key: &K) -> Result<Option<u32>, Trouble> {
        let blocks = &self.run.blocks;
        if blocks.get(self.next).is_some_and(|next| next.first <= *key) {
            let behind = self.next + blocks[self.next..].partition_point(|it| it.first <= *key);
            // One block after the other is read ahead, a single one by itself.
            let last = if behind == self.next + 1 { blocks.len() } else { behind };
            self.open(behind - 1, last)?;
        }
        self.at += self.keys[self.at..].partition_point(|known| known < key);
        let is_here = self.keys.get(self.at) == Some(key);
        Ok(is_here.then(|| self.counts.get(self.at).copied().unwrap_or(1)))
    }
}

/// The keys of several runs, ascending, each once, with the sum of how often it was met.
pub(super) struct Merged<'r, K> {
    cursors: Vec<Cursor<'r, K>>,
    heads: BinaryHeap<Reverse<(K, usize)>>,
}

impl<'r, K: Key> Merged<'r, K> {
    pub fn new(runs: impl IntoIterator<Item = &'r Run<K>>) -> Result<Self, Trouble> {
        let mut cursors: Vec<Cursor<'r, K>> = runs.into_iter().map(Cursor::new).collect();
        let mut heads = BinaryHeap::with_capacity(cursors.len());
        for (number, cursor) in cursors.iter_mut().enumerate() {
            heads.extend(cursor.get()?.map(|(key, _)| Reverse((key.clone(), number))));
        }
        Ok(Self { cursors, heads })
    }

    pub fn next(&mut self) -> Result<Option<(K, u32)>, Trouble> {
        let Some(Reverse((key, first))) = self.heads.pop() else { return Ok(None) };
        let mut sum = self.step(first)?;
        while let Some(Reverse((other, number))) = self.heads.peek()
            && *other == key
        {
            let number = *number;
            self.heads.pop();
            sum = sum.saturating_add(self.step(number)?);
        }
        Ok(Some((key, sum)))
    }

    /// Goes behind the head of a run, and says how often that was met.
    fn step(&mut self, number: usize) -> Result<u32, Trouble> {
        let cursor = &mut self.cursors[number];
        let count = cursor.get()?.map_or(0, |(_, count)| count);
        cursor.advance();
        if let Some((key, _)) = cursor.get()? {
            self.heads.push(Reverse((key.clone(), number)));
        }
        Ok(count)
    }
}

/// A set that grows by whole runs, in a few layers of which each is at least twice as large as the next.
pub(super) struct Layers<K> {
    pub runs: Vec<Run<K>>,
}

impl<K: Key> Layers<K> {
    pub fn new() -> Self {
        Self { runs: Vec::new() }
    }

    /// Adds what was met how often.
    pub fn add(&mut self, run: Run<K>, place: &Place) -> Result<(), Trouble> {
        self.runs.push(run);
        while let [.., before, last] = &self.runs[..]
            && before.n < 2 * last.n.max(SMALL)
        {
            let (mut merged, mut all) = (Merged::new([before, last])?, place.build());
            while let Some((key, count)) = merged.next()? {
                all.push_counted(key, count)?;
            }
            let all = all.end()?;
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(all);
        }
        Ok(())
    }

    pub fn cursors(&self) -> Vec<Cursor<'_, K>> {
        self.runs.iter().map(Cursor::new).collect()
    }
}

/// How often a key was met in all layers.
pub(super) fn sum<K: Key>(cursors: &mut [Cursor<'_, K>], key: &K) -> Result<u32, Trouble> {
    let mut sum: u32 = 0;
    for cursor in cursors {
        sum = sum.saturating_add(cursor.count(key)?);
    }
    Ok(sum)
}
