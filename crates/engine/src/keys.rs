//! A set of 64-bit keys that only grows: states that are their own key. Exact, eight bytes per
//! entry, in shards that grow one at a time, so that growing needs little beside the set itself.
//! Knows nothing of models.

use crate::store::fold;

/// Shards; a power of two.
pub(crate) const SHARDS: usize = 64;
/// A shard is rebuilt larger when more than these per cent of it are used …
const FULLEST: usize = 75;
/// … by this many per cent.
const GROWTH: usize = 40;

/// Keys that are looked up together: enough for their cache misses to overlap.
const BATCH: usize = 64;

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Marks a free entry; no key has this value.
pub(crate) const FREE: u64 = u64::MAX;

/// A set of keys.
pub(crate) struct KeySet {
    shards: [Shard; SHARDS],
    length: usize,
    /// Scratch: hashes of a batch.
    hashes: Vec<u64>,
}

/// The keys whose hashes end alike. Threads can fill different shards at the same time.
pub(crate) struct Shard {
    table: Vec<u64>,
    length: usize,
    full_at: usize,
}

impl KeySet {
    pub(crate) fn new() -> Self {
        let shard = || Shard { table: vec![FREE], length: 0, full_at: 0 };
        Self { shards: std::array::from_fn(|_| shard()), length: 0, hashes: Vec::new() }
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.table.capacity() * size_of::<u64>()).sum()
    }

    /// Adds the keys of a batch and shows those that are new, in order.
    ///
    /// The first loop asks for all entries, so that the processor waits for many cache lines at once
    /// and not for one after the other.
    pub(crate) fn absorb(&mut self, batch: &[u64], mut fresh: impl FnMut(u64)) {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(batch.iter().map(|&key| hash(key)));
        let mut touched = 0;
        for &hash in &hashes {
            touched |= self.shards[shard(hash)].at_home(hash);
        }
        std::hint::black_box(touched);
        for (&key, &hash) in batch.iter().zip(&hashes) {
            let shard = shard(hash);
            if self.shards[shard].insert(key, hash) {
                self.length += 1;
                fresh(key);
            }
        }
        self.hashes = hashes;
    }

    /// The shards, to be filled each by itself; [`KeySet::recount`] afterwards.
    pub(crate) fn shards(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    /// Counts what was added to shards.
    pub(crate) fn recount(&mut self) {
        self.length = self.shards.iter().map(|shard| shard.length).sum();
    }
}

/// The shard that a key belongs to.
#[inline]
pub(crate) fn shard_of(key: u64) -> usize {
    shard(hash(key))
}

#[inline]
fn hash(key: u64) -> u64 {
    fold(key ^ SEED)
}

#[inline]
fn shard(hash: u64) -> usize {
    hash as usize % SHARDS
}

fn full_at(length: usize) -> usize {
    length * FULLEST / 100
}

/// Where the search for a hash starts: its upper half, scaled to the length of the table.
#[inline]
fn home(hash: u64, length: usize) -> usize {
    (((hash >> 32) * length as u64) >> 32) as usize
}

impl Shard {
    /// Adds keys of this shard and appends those that are new.
    pub(crate) fn absorb(&mut self, keys: &[u64], fresh: &mut Vec<u64>) {
        for batch in keys.chunks(BATCH) {
            let mut touched = 0;
            for &key in batch {
                touched |= self.at_home(hash(key));
            }
            std::hint::black_box(touched);
            fresh.extend(batch.iter().copied().filter(|&key| self.insert(key, hash(key))));
        }
    }

    #[inline]
    fn at_home(&self, hash: u64) -> u64 {
        self.table[home(hash, self.table.len())]
    }

    /// Adds a key and says whether it is new.
    #[inline]
    fn insert(&mut self, key: u64, hash: u64) -> bool {
        let mut at = home(hash, self.table.len());
        loop {
            let entry = self.table[at];
            if entry == key {
                return false;
            }
            if entry == FREE {
                break;
            }
            at += 1;
            if at == self.table.len() {
                at = 0;
            }
        }
        self.table[at] = key;
        self.length += 1;
        if self.length > self.full_at {
            self.grow();
        }
        true
    }

    #[cold]
    fn grow(&mut self) {
        let length = self.table.len() + self.table.len() * GROWTH / 100 + 1;
        let old = std::mem::replace(&mut self.table, vec![FREE; length]);
        self.full_at = full_at(length);
        for key in old.into_iter().filter(|&key| key != FREE) {
            let mut at = home(hash(key), length);
            while self.table[at] != FREE {
                at += 1;
                if at == length {
                    at = 0;
                }
            }
            self.table[at] = key;
        }
    }
}

#[cfg(test)]
mod tests;
