//! The exact set of visited states: packed states in order of discovery, and a table that finds
//! them. Knows nothing of models.
//!
//! An entry of the table is 32 bits: the number of a state, and in the bits that numbers do not
//! need yet, a part of its hash, so that a probe rarely looks at a state in vain. Every match is
//! confirmed on the state itself: nothing is lost to hash collisions.
//!
//! A large table consists of regions that no search leaves, so that several threads can fill it.

use quadrille_model::StateId;

use crate::arena::Arena;
use crate::workers::Workers;

/// The table is rebuilt larger when more than these per cent of it are used …
const FULLEST: usize = 75;
/// … by this many per cent. Both together bound an entry's share to 7.5 bytes.
const GROWTH: usize = 40;
const SMALLEST_TABLE: usize = 64;
/// A hash can address no more entries.
const LARGEST_TABLE: usize = 1 << 32;

/// Regions of a large table, as bits of a hash …
const REGION_BITS: u32 = 6;
/// … and as a number.
pub(crate) const REGIONS: usize = 1 << REGION_BITS;
/// From this length on a table has regions: they are filled nearly alike then.
const LEAST_REGIONED: usize = if cfg!(test) { 1 << 11 } else { 1 << 16 };

/// States per chunk of a small store, as a power of two.
const SMALL_CHUNK_BITS: u32 = 7;

/// The most states a search may store: fewer than fit into the largest table, which leaves room
/// for the successors of one more state.
pub(crate) const MAX_STATES: u64 = 3_000_000_000;

/// A set of packed states, numbered in order of insertion.
#[derive(Clone, Debug)]
pub struct Store {
    states: Arena,
    /// 0 is free; otherwise the number of a state plus one, and hash bits above.
    table: Vec<u32>,
    /// Entries of a region; all of them, where there is one region only.
    region_len: usize,
    /// The bits of an entry that hold hash bits.
    tag_mask: u32,
    /// How long the table must be for the states there are. It follows from the states alone,
    /// whether they are numbered one by one or many at a time.
    length: usize,
    /// States per region.
    used: [u32; REGIONS],
    /// Scratch: hashes of a batch.
    hashes: Vec<u64>,
}

impl Store {
    /// An empty set of states of `n_words` words each.
    pub fn new(n_words: usize) -> Self {
        assert!(n_words > 0, "a packed state has at least one word");
        Self::of_states(Arena::new(n_words))
    }

    /// One of many: little room is left over in each.
    pub(crate) fn small(n_words: usize) -> Self {
        Self::of_states(Arena::of_chunks(n_words, SMALL_CHUNK_BITS))
    }

    fn of_states(states: Arena) -> Self {
        let mut store = Self {
            states,
            table: Vec::new(),
            region_len: 0,
            tag_mask: 0,
            length: SMALLEST_TABLE,
            used: [0; REGIONS],
            hashes: Vec::new(),
        };
        store.rebuild(Workers::default());
        store
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Words per state.
    pub(crate) fn n_words(&self) -> usize {
        self.states.width()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The packed state with a number.
    #[inline]
    pub fn get(&self, state: StateId) -> &[u32] {
        self.states.get(state.index())
    }

    /// The number of a packed state, if it is in the set.
    pub fn find(&self, words: &[u32]) -> Option<StateId> {
        self.probe(hash(words), words).ok()
    }

    /// The number of each state in a batch, in order; those not met before are added, unless that
    /// makes more than `most`: there it ends and the answer is `false`.
    ///
    /// A batch is faster than one state at a time: its first loop asks for all table entries, so
    /// that the processor waits for many cache lines at once and not for one after the other.
    /// (Asking for the states behind the entries as well was measured: it costs more than it saves.)
    #[inline]
    pub fn intern(&mut self, batch: &[u32], most: u64, mut sink: impl FnMut(StateId)) -> bool {
        let n_words = self.states.width();
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(batch.chunks_exact(n_words).map(hash));
        self.touch(hashes.iter().copied());
        let mut each = batch.chunks_exact(n_words).zip(&hashes);
        let fits = each.all(|(words, &hash)| {
            let state = self.intern_one(words, hash, most);
            state.map(&mut sink).is_some()
        });
        self.hashes = hashes;
        fits
    }

    /// The number of a state, whose entry was [asked for](Store::touch); `None` if there would be more
    /// than `most`.
    #[inline]
    pub(crate) fn intern_one(&mut self, words: &[u32], hash: u64, most: u64) -> Option<StateId> {
        match self.probe(hash, words) {
            Ok(known) => Some(known),
            Err(_) if self.states.len() as u64 >= most => None,
            Err(free) => {
                let state = self.append(words, hash);
                if self.length == self.table.len() {
                    self.table[free] = hash as u32 & self.tag_mask | (state.number() + 1);
                } else {
                    self.rebuild(Workers::default());
                }
                Some(state)
            }
        }
    }

    /// Asks for the entries where searches for these hashes start.
    #[inline]
    pub(crate) fn touch(&self, hashes: impl Iterator<Item = u64>) {
        let touched = hashes.fold(0, |touched, hash| {
            touched | self.table[self.region_start(hash) + home(hash, self.region_len)]
        });
        std::hint::black_box(touched);
    }

    /// Numbers a state that is not in the set. It is found once its number is entered in the table.
    #[inline]
    pub(crate) fn append(&mut self, words: &[u32], hash: u64) -> StateId {
        let state = StateId::from_usize(self.states.len());
        self.states.push(words);
        let used = &mut self.used[region(hash)];
        *used += 1;
        let used = *used as usize;
        while self.states.len() > self.length * FULLEST / 100 || used > most_used(self.length) {
            assert!(self.length < LARGEST_TABLE, "more states than a store can hold");
            self.length = grown(self.length);
        }
        state
    }

    /// Enters the numbers of states that were appended, given by their hashes and region.
    pub(crate) fn enter(&mut self, workers: Workers, appended: &[Vec<(u64, u32)>]) {
        if self.length != self.table.len() {
            return self.rebuild(workers);
        }
        let (tag_mask, region_len) = (self.tag_mask, self.region_len);
        if region_len == self.table.len() {
            for &(hash, number) in appended.iter().flatten() {
                enter(&mut self.table, hash, hash as u32 & tag_mask | (number + 1));
            }
            return;
        }
        let regions = self.table.chunks_mut(region_len).zip(appended);
        let work = |(): &mut (), (region, states): (&mut [u32], &Vec<(u64, u32)>)| {
            for &(hash, number) in states {
                enter(region, hash, hash as u32 & tag_mask | (number + 1));
            }
        };
        workers.share(regions, || (), work, || true);
    }

    /// Bytes for states and table.
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.length * size_of::<u32>()
    }

    /// The state with these words, or the free entry where it belongs.
    #[inline]
    pub(crate) fn probe(&self, hash: u64, words: &[u32]) -> Result<StateId, usize> {
        let tag = hash as u32 & self.tag_mask;
        let start = self.region_start(hash);
        let (mut at, end) = (start + home(hash, self.region_len), start + self.region_len);
        loop {
            let entry = self.table[at];
            if entry == 0 {
                return Err(at);
            }
            if entry & self.tag_mask == tag {
                let number = (entry & !self.tag_mask) - 1;
                if same(self.states.get(number as usize), words) {
                    return Ok(StateId::new(number));
                }
            }
            at += 1;
            if at == end {
                at = start;
            }
        }
    }

    /// Where the region of a hash starts.
    #[inline]
    fn region_start(&self, hash: u64) -> usize {
        if self.region_len == self.table.len() { 0 } else { region(hash) * self.region_len }
    }

    /// Builds the table anew; the old one is given back first, which keeps the peak low.
    fn rebuild(&mut self, workers: Workers) {
        self.table = Vec::new();
        self.table = vec![0; self.length];
        let n_regions = if self.length < LEAST_REGIONED { 1 } else { REGIONS };
        self.region_len = self.length / n_regions;
        let id_bits = usize::BITS - (self.length * FULLEST / 100).leading_zeros();
        self.tag_mask = u32::MAX.checked_shl(id_bits).unwrap_or(0);
        let Self { states, table, tag_mask, region_len, .. } = self;
        let (states, tag_mask, region_len) = (&*states, *tag_mask, *region_len);
        // Each thread reads all states and enters those of its regions.
        let n_threads = workers.number().min(n_regions);
        let share = n_regions.div_ceil(n_threads);
        let work = |(): &mut (), (part, table): (usize, &mut [u32])| {
            let own = part * share..(part + 1) * share;
            for (number, words) in states.iter().enumerate() {
                let hash = hash(words);
                let region = if n_regions == 1 { 0 } else { region(hash) };
                if own.contains(&region) {
                    let start = (region - own.start) * region_len;
                    let entry = hash as u32 & tag_mask | (number as u32 + 1);
                    enter(&mut table[start..start + region_len], hash, entry);
                }
            }
        };
        let parts = table.chunks_mut(share * region_len).enumerate();
        if n_threads == 1 {
            parts.for_each(|part| work(&mut (), part));
        } else {
            workers.share(parts, || (), work, || true);
        }
    }
}

/// The next length of a table.
fn grown(length: usize) -> usize {
    let longer = length + length * GROWTH / 100;
    if longer < LEAST_REGIONED {
        longer
    } else {
        longer.next_multiple_of(REGIONS).min(LARGEST_TABLE)
    }
}

/// How many states a region of a table of this length may hold.
#[inline]
fn most_used(length: usize) -> usize {
    if length < LEAST_REGIONED { length } else { length / REGIONS - length / REGIONS / 16 - 1 }
}

/// The region of a hash, where there are regions.
#[inline]
pub(crate) fn region(hash: u64) -> usize {
    (hash >> (u64::BITS - REGION_BITS)) as usize
}

/// Where the search for a hash starts in a region: 32 bits of it, scaled to the length, so that the
/// length need not be a power of two.
#[inline]
fn home(hash: u64, region_len: usize) -> usize {
    let bits = (hash >> (u32::BITS - REGION_BITS)) as u32;
    ((u64::from(bits) * region_len as u64) >> 32) as usize
}

/// Puts an entry into the first free place of a region from its home on.
#[inline]
fn enter(region: &mut [u32], hash: u64, entry: u32) {
    let mut at = home(hash, region.len());
    while region[at] != 0 {
        at += 1;
        if at == region.len() {
            at = 0;
        }
    }
    region[at] = entry;
}

/// Compares word by word: states are short, and a call of `memcmp` costs more than the words.
#[inline]
fn same(left: &[u32], right: &[u32]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

/// A hash of all words, two at a time, by folded multiplication (as in wyhash).
#[inline]
pub(crate) fn hash(words: &[u32]) -> u64 {
    let mut pairs = words.chunks_exact(2);
    let mut hash = 0x9e37_79b9_7f4a_7c15;
    for pair in &mut pairs {
        hash = fold(hash ^ (u64::from(pair[0]) | u64::from(pair[1]) << 32));
    }
    match pairs.remainder() {
        [last] => fold(hash ^ u64::from(*last)),
        _ => hash,
    }
}

#[inline]
pub(crate) fn fold(input: u64) -> u64 {
    let product = u128::from(input) * 0xd6e8_feb8_6659_fd93;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests;
