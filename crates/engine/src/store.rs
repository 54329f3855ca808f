//! The exact set of visited states: packed states in order of discovery, and a table that finds
//! them. Knows nothing of models.
//!
//! An entry of the table is 32 bits: the number of a state, and in the bits that numbers do not
//! need yet, a part of its hash, so that a probe rarely looks at a state in vain. Every match is
//! confirmed on the state itself: nothing is lost to hash collisions.

use quadrille_model::StateId;

use crate::arena::Arena;

/// The table is rebuilt larger when more than these per cent of it are used …
const FULLEST: usize = 75;
/// … by this many per cent. Both together bound an entry's share to 7.5 bytes.
const GROWTH: usize = 40;
const SMALLEST_TABLE: usize = 64;
/// Half a hash can address no more entries.
const LARGEST_TABLE: usize = 1 << 32;

/// The most states a search may store: fewer than fit into the largest table, which leaves room
/// for the successors of one more state.
pub(crate) const MAX_STATES: u64 = 3_000_000_000;

/// A set of packed states, numbered in order of insertion.
#[derive(Clone, Debug)]
pub struct Store {
    states: Arena,
    /// 0 is free; otherwise the number of a state plus one, and hash bits above.
    table: Vec<u32>,
    /// The bits of an entry that hold hash bits.
    tag_mask: u32,
    /// Number of states from which on the table must grow.
    full_at: usize,
    /// Scratch: hashes of a batch.
    hashes: Vec<u64>,
}

impl Store {
    /// An empty set of states of `n_words` words each.
    pub fn new(n_words: usize) -> Self {
        assert!(n_words > 0, "a packed state has at least one word");
        let mut store = Self {
            states: Arena::new(n_words),
            table: Vec::new(),
            tag_mask: 0,
            full_at: 0,
            hashes: Vec::new(),
        };
        store.rebuild(SMALLEST_TABLE);
        store
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
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
        self.reserve(batch.len() / n_words);
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        let mut touched = 0;
        for words in batch.chunks_exact(n_words) {
            let hash = hash(words);
            touched |= self.table[self.home(hash)];
            hashes.push(hash);
        }
        std::hint::black_box(touched);
        let mut fits = true;
        for (words, &hash) in batch.chunks_exact(n_words).zip(&hashes) {
            sink(match self.probe(hash, words) {
                Ok(known) => known,
                Err(_) if self.states.len() as u64 >= most => {
                    fits = false;
                    break;
                }
                Err(free) => {
                    let number = self.states.len() as u32;
                    self.table[free] = hash as u32 & self.tag_mask | (number + 1);
                    self.states.push(words);
                    StateId::new(number)
                }
            });
        }
        self.hashes = hashes;
        fits
    }

    /// Bytes allocated for states and table.
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.table.capacity() * size_of::<u32>()
    }

    /// The state with these words, or the free entry where it belongs.
    #[inline]
    fn probe(&self, hash: u64, words: &[u32]) -> Result<StateId, usize> {
        let tag = hash as u32 & self.tag_mask;
        let mut at = self.home(hash);
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
            if at == self.table.len() {
                at = 0;
            }
        }
    }

    /// Where the search for a hash starts: its upper half, scaled to the length of the table, so
    /// that the length need not be a power of two.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.table.len() as u64) >> 32) as usize
    }

    /// Makes room for more states.
    fn reserve(&mut self, n_more: usize) {
        let needed = self.len() + n_more;
        if needed <= self.full_at {
            return;
        }
        let mut length = self.table.len();
        while length * FULLEST / 100 < needed {
            assert!(length < LARGEST_TABLE, "more states than a store can hold");
            length = (length + length * GROWTH / 100).min(LARGEST_TABLE);
        }
        self.rebuild(length);
    }

    /// Builds the table anew; the old one is given back first, which keeps the peak low.
    fn rebuild(&mut self, length: usize) {
        self.table = Vec::new();
        self.table = vec![0; length];
        self.full_at = length * FULLEST / 100;
        let id_bits = usize::BITS - self.full_at.leading_zeros();
        self.tag_mask = u32::MAX.checked_shl(id_bits).unwrap_or(0);
        for (number, words) in self.states.iter().enumerate() {
            let hash = hash(words);
            let mut at = self.home(hash);
            while self.table[at] != 0 {
                at += 1;
                if at == length {
                    at = 0;
                }
            }
            self.table[at] = hash as u32 & self.tag_mask | (number as u32 + 1);
        }
    }
}

/// Compares word by word: states are short, and a call of `memcmp` costs more than the words.
#[inline]
fn same(left: &[u32], right: &[u32]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

/// A hash of all words, two at a time, by folded multiplication (as in wyhash).
#[inline]
fn hash(words: &[u32]) -> u64 {
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
