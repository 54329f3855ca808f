//! Sets of states against a standard set.

use std::collections::BTreeSet;

use quadrille_workshop::Choices;

use super::{Coding, KeySet, Quotient, SHARDS, Sharded};

/// Numbers as they are, and numbers in halves that grow wider.
struct Plain(Quotient);

impl Coding for Plain {
    fn quotient(&self) -> Quotient {
        self.0
    }

    fn scatter(&self, quotient: &Quotient, code: u64) -> u64 {
        quotient.permuted(code)
    }

    fn gather(&self, quotient: &Quotient, bits: u64) -> u64 {
        quotient.restored(bits)
    }
}

#[test]
fn permutations_are_undone() {
    let choices = &mut Choices::seeded(3);
    for bits in 16..=64 {
        let quotient = Quotient::new(bits);
        for _ in 0..200 {
            let number = choices.bits() & (u64::MAX >> (64 - bits));
            let permuted = quotient.permuted(number);
            assert_eq!(permuted >> (bits - 1) >> 1, 0);
            assert_eq!(quotient.restored(permuted), number);
        }
    }
}

/// Adds random numbers below `n_different`, at distances of a power of two, a few at a time and many.
fn same_as_a_standard_set(bits: u32, n_different: u32, shift: u32, is_sharded: bool) {
    let choices = &mut Choices::seeded(u64::from(n_different) + u64::from(bits));
    let quotient = Quotient::new(bits);
    let quotient = if is_sharded { quotient.sharded() } else { quotient };
    let mut coding = Plain(Quotient::new(16));
    let shard = |number: u64| match is_sharded {
        true => quotient.shard(quotient.permuted(number)),
        false => number as usize % SHARDS,
    };
    // Numbers get wider while the set is filled.
    let widths = if is_sharded { vec![bits] } else { vec![24, (bits + 24) / 2, bits] };
    let (mut keys, mut known) = (KeySet::new(&coding, choices.coin()), BTreeSet::new());
    for width in widths {
        coding = Plain(Quotient::new(width));
        if is_sharded {
            coding = Plain(quotient);
        }
        for round in 0..n_different / 300 + 10 {
            let mask = u64::MAX >> (64 - width);
            let batch: Vec<(usize, u64)> = (0..200)
                .map(|_| u64::from(choices.below_u32(n_different)) << shift & mask)
                .map(|number| (shard(number), number))
                .collect();
            let mut fresh = Vec::new();
            let mut expected: Vec<u64> = Vec::new();
            if round % 2 == 0 {
                keys.absorb(&coding, &batch, |&it| it, &mut fresh);
                expected.extend(batch.iter().map(|met| met.1).filter(|&code| known.insert(code)));
            } else {
                for (number, part) in keys.shards().iter_mut().enumerate() {
                    let own = batch.iter().filter(|met| met.0 == number).map(|met| met.1);
                    let own: Vec<u64> = own.collect();
                    part.absorb(&coding, std::iter::once(&own[..]), &mut fresh);
                    expected.extend(own.into_iter().filter(|&code| known.insert(code)));
                }
                keys.recount();
                // What is looked up together is entered where there is room at once, then the rest.
                fresh.sort_unstable();
                expected.sort_unstable();
            }
            assert_eq!(fresh, expected);
        }
    }
    assert_eq!(keys.len(), known.len());
}

#[test]
fn states_are_new_once() {
    for n_different in [1, 40, 3_000, 40_000] {
        for (bits, shift) in [(20, 0), (33, 12), (40, 22), (47, 3), (62, 40), (64, 40)] {
            same_as_a_standard_set(bits, n_different, shift, true);
            same_as_a_standard_set(bits.max(25), n_different, shift, false);
        }
    }
}

#[test]
fn a_set_takes_few_bytes() {
    let coding = Plain(Quotient::new(44).sharded());
    let mut keys = KeySet::new(&coding, false);
    let numbers: Vec<(usize, u64)> = (0..100_000_u64)
        .map(|number| number.wrapping_mul(977_777) & (u64::MAX >> 20))
        .map(|number| (coding.0.shard(coding.0.permuted(number)), number))
        .collect();
    keys.absorb(&coding, &numbers, |&it| it, &mut Vec::new());
    let left_over: usize = keys.shards().iter().map(|shard| shard.left_over.len()).sum();
    assert_eq!(keys.len(), 100_000);
    assert!(left_over * 1_000 < keys.len(), "{left_over} are left over");
    assert!(keys.bytes() < keys.len() * 8, "{} bytes", keys.bytes());
}
