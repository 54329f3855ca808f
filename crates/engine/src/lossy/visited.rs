//! Sets of states that remember less than the states. Knows nothing of models.

use super::Lossy;
use crate::fingerprint::mixed;

/// Bits of a state in a table of bits.
const BITS_PER_STATE: u32 = 3;

/// States that were met, as far as that is remembered.
pub(super) enum Visited {
    Bits {
        words: Vec<u64>,
        n_set: u64,
        /// How many states may have been taken for others: expected.
        missed: f64,
    },
    Fingerprints {
        /// Open addressing; 0 is free.
        table: Vec<u64>,
        length: usize,
    },
}

impl Visited {
    pub(super) fn new(lossy: Lossy) -> Self {
        match lossy {
            Lossy::Bits { bytes } => {
                let words = vec![0; usize::try_from(bytes.div_ceil(8).max(1)).unwrap_or(1)];
                Visited::Bits { words, n_set: 0, missed: 0.0 }
            }
            Lossy::Fingerprints => Visited::Fingerprints { table: vec![0; 1 << 10], length: 0 },
        }
    }

    /// Adds a state and says whether it is new, as far as one can tell.
    #[inline]
    pub(super) fn insert(&mut self, print: u64) -> bool {
        match self {
            Visited::Bits { words, n_set, missed } => {
                let n_bits = words.len() as u64 * 64;
                let (mut fresh, before) = (false, *n_set);
                let mut hash = print;
                for _ in 0..BITS_PER_STATE {
                    let bit = ((u128::from(hash) * u128::from(n_bits)) >> 64) as u64;
                    let word = &mut words[(bit / 64) as usize];
                    if *word >> (bit % 64) & 1 == 0 {
                        *word |= 1 << (bit % 64);
                        *n_set += 1;
                        fresh = true;
                    }
                    hash = mixed(hash);
                }
                if fresh {
                    // Of the states that are new now, this share is not seen to be.
                    let share = (before as f64 / n_bits as f64).powi(BITS_PER_STATE as i32);
                    *missed += share / (1.0 - share).max(f64::MIN_POSITIVE);
                }
                fresh
            }
            Visited::Fingerprints { table, length } => {
                let print = print.max(1);
                if *length * 4 >= table.len() * 3 {
                    let old = std::mem::replace(table, vec![0; table.len() * 2]);
                    for print in old.into_iter().filter(|&print| print != 0) {
                        let at = free_or_equal(table, print);
                        table[at] = print;
                    }
                }
                let at = free_or_equal(table, print);
                let fresh = table[at] == 0;
                table[at] = print;
                *length += usize::from(fresh);
                fresh
            }
        }
    }

    /// How many states were left out: expected, if hashing spreads them like random numbers, and there
    /// are about as many as were met.
    pub(super) fn missed(&self) -> f64 {
        match self {
            Visited::Bits { missed, .. } => *missed,
            Visited::Fingerprints { length, .. } => {
                let n = *length as f64;
                n * (n - 1.0) / 2.0 / 2f64.powi(64)
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<u64>()
            * match self {
                Visited::Bits { words, .. } => words.capacity(),
                Visited::Fingerprints { table, .. } => table.capacity(),
            }
    }
}

/// Where a fingerprint is, or can be put.
#[inline]
fn free_or_equal(table: &[u64], print: u64) -> usize {
    let mut at = ((u128::from(print) * table.len() as u128) >> 64) as usize;
    while table[at] != 0 && table[at] != print {
        at = if at + 1 == table.len() { 0 } else { at + 1 };
    }
    at
}
