//! Hash-consing tables that many threads fill and read at once. Reading by id takes no lock: entries
//! never move and never change. Knows nothing of what is stored.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// The first chunk holds `1 << FIRST_CHUNK_BITS` entries, each further one twice as many.
const FIRST_CHUNK_BITS: u32 = 6;
const N_CHUNKS: usize = (u32::BITS - FIRST_CHUNK_BITS) as usize;
const N_SHARDS: usize = 64;

type Chunk<T> = Box<[OnceLock<T>]>;

/// A growing table: `push` from any thread, `get` without a lock.
struct Arena<T> {
    chunks: [OnceLock<Chunk<T>>; N_CHUNKS],
    len: AtomicU32,
}

impl<T> Arena<T> {
    fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; N_CHUNKS], len: AtomicU32::new(0) }
    }

    fn place(id: u32) -> (usize, usize) {
        let shifted = u64::from(id) + (1 << FIRST_CHUNK_BITS);
        let chunk = shifted.ilog2() - FIRST_CHUNK_BITS;
        (chunk as usize, (shifted - (1 << (chunk + FIRST_CHUNK_BITS))) as usize)
    }

    fn push(&self, entry: T) -> u32 {
        let id = self.len.fetch_add(1, Ordering::AcqRel);
        let (chunk, offset) = Self::place(id);
        let size = 1usize << (chunk as u32 + FIRST_CHUNK_BITS);
        let entries =
            self.chunks[chunk].get_or_init(|| (0..size).map(|_| OnceLock::new()).collect());
        assert!(entries[offset].set(entry).is_ok(), "an id was given out twice");
        id
    }

    /// Bytes of the chunks that were made.
    fn bytes(&self) -> usize {
        let made = (0..N_CHUNKS).take_while(|&chunk| self.chunks[chunk].get().is_some());
        made.map(|chunk| size_of::<OnceLock<T>>() << (chunk as u32 + FIRST_CHUNK_BITS)).sum()
    }

    fn get(&self, id: u32) -> Option<&T> {
        let (chunk, offset) = Self::place(id);
        self.chunks.get(chunk)?.get()?[offset].get()
    }
}

/// Where an entry is, and the hash that brought it there.
#[derive(Clone, Copy)]
struct Found {
    hash: u32,
    id: u32,
}

/// Bytes that a table needs for an entry, about: it is three quarters full.
const TABLE_ENTRY: usize = (size_of::<Found>() + 1) * 4 / 3;

/// Spreads a short hash over the 64 bits the table looks at.
fn wide(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A table in which equal entries have equal ids.
pub struct Interner<T> {
    arena: Arena<T>,
    shards: Box<[Mutex<HashTable<Found>>]>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            arena: Arena::new(),
            shards: (0..N_SHARDS).map(|_| Mutex::new(HashTable::new())).collect(),
        }
    }
}

impl<T> Interner<T> {
    /// The entry with an id that this table gave out.
    pub fn get(&self, id: u32) -> &T {
        self.arena.get(id).expect("an id of this table")
    }

    /// Adds an entry that is found again elsewhere, not here.
    pub fn push(&self, entry: T) -> u32 {
        self.arena.push(entry)
    }

    /// How many entries there are.
    #[expect(clippy::len_without_is_empty, reason = "no caller asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.arena.len.load(Ordering::Acquire) as usize
    }

    /// Bytes of the table, without what entries own.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.len() * TABLE_ENTRY
    }

    /// The id of the entry that `key` describes; `make` is called where there is none yet.
    pub fn intern_by<K: Hash>(
        &self,
        key: &K,
        same: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> u32 {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        let full = hasher.finish();
        let hash = (full ^ (full >> 32)) as u32;
        let shard = &self.shards[(full >> 58) as usize % N_SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let found = shard.find(wide(hash), |found| {
            found.hash == hash && self.arena.get(found.id).is_some_and(&same)
        });
        if let Some(found) = found {
            return found.id;
        }
        let id = self.arena.push(make());
        shard.insert_unique(wide(hash), Found { hash, id }, |found| wide(found.hash));
        id
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The id of an entry.
    pub fn intern(&self, entry: T) -> u32 {
        let mut hasher = FxHasher::default();
        entry.hash(&mut hasher);
        let hash = hasher.finish();
        let cell = std::cell::Cell::new(Some(entry));
        let same = |other: &T| {
            let mine = cell.take();
            let same = mine.as_ref() == Some(other);
            cell.set(mine);
            same
        };
        self.intern_by(&hash, same, || cell.take().expect("taken once"))
    }
}

/// A pair of ids and the id it was given.
type Pair = (u32, u32, u32);

/// Ids for pairs of ids. The pairs stand in the table itself, and many are looked up under one lock:
/// nothing keeps the processor from fetching the next while it waits for the last.
#[derive(Default)]
pub struct PairTable {
    table: RwLock<HashTable<Pair>>,
}

impl PairTable {
    fn hash(a: u32, b: u32) -> u64 {
        let key = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (key ^ (key >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    }

    /// Bytes of the table, about.
    pub fn bytes(&self) -> usize {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.capacity() * (size_of::<Pair>() + 1) * 8 / 7
    }

    /// Gives each item the id of its pair; `make` is called for pairs that have none yet.
    pub fn resolve<T>(
        &self,
        items: &mut [T],
        pair: impl Fn(&T) -> (u32, u32),
        give: impl Fn(&mut T, u32),
        make: impl Fn(u32, u32) -> u32,
    ) {
        let same = |a, b| move |entry: &Pair| entry.0 == a && entry.1 == b;
        let mut missing = Vec::new();
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        for (position, item) in items.iter_mut().enumerate() {
            let (a, b) = pair(item);
            match table.find(Self::hash(a, b), same(a, b)) {
                Some(found) => give(item, found.2),
                None => missing.push(position),
            }
        }
        drop(table);
        if missing.is_empty() {
            return;
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        for position in missing {
            let item = &mut items[position];
            let (a, b) = pair(item);
            let found = table.find(Self::hash(a, b), same(a, b)).map(|found| found.2);
            let id = found.unwrap_or_else(|| {
                let id = make(a, b);
                table.insert_unique(Self::hash(a, b), (a, b, id), |entry| {
                    Self::hash(entry.0, entry.1)
                });
                id
            });
            give(item, id);
        }
    }
}

#[cfg(test)]
mod tests;
