//! Sets of states that only grow: exact, a few bytes per state, without numbers. Knows nothing of
//! models; how a state becomes an entry is up to a [`Coding`].
//!
//! A set has shards, which threads fill side by side and which grow one at a time, so that growing
//! needs little beside the set itself. A shard is a table of buckets, each of which is a line of the
//! processor's cache. A state has a few buckets where it may be, in order; it is in the first that
//! had room. What is left over when all are full, which is rare, is kept beside the table.

mod line;

use std::collections::BTreeSet;

use line::{Line, Seen, n_entries};

const SHARD_BITS: u32 = 6;
/// Shards; a power of two.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
/// A shard is rebuilt larger when more than these per cent of it are used, for this many per cent of its
/// states …
const GROWTH: Growth = Growth { fullest: 85, room: 140 };
/// … or so, where memory is worth time.
const FRUGAL_GROWTH: Growth = Growth { fullest: 92, room: 110 };
/// States that are looked up together: enough for their cache misses to overlap.
const BATCH: usize = 64;
/// Buckets where a state may be.
const CHOICES: u32 = 7;
/// Bits of an entry that say which choice it is; 0 is a free entry.
const CHOICE_BITS: u32 = 3;

/// What a table's size makes of its entries.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    quotient: Quotient,
    n_pairs: u32,
    /// Bits of an entry beyond 32: none, 8, 16 or 32.
    high: u32,
    /// How many numbers have a bucket as their first choice, and 2^64 divided by that.
    span: u64,
    reciprocal: u64,
}

/// When a shard grows, and by how much: in per cent.
#[derive(Clone, Copy)]
struct Growth {
    fullest: usize,
    room: usize,
}

/// Where a state belongs in a table: a choice, and the entry there.
#[derive(Clone, Copy, Default)]
struct Place {
    bucket: u32,
    entry: u64,
}

/// States that were met, in shards that workers fill side by side.
pub(crate) trait Sharded: Sync {
    type Shard: Send;

    /// Number of states.
    fn len(&self) -> usize;

    /// Bytes allocated.
    fn bytes(&self) -> usize;

    /// The shards, to be filled each by itself; [`Sharded::recount`] afterwards.
    fn shards(&mut self) -> &mut [Self::Shard];

    /// Counts what was added to shards.
    fn recount(&mut self);
}

/// How states, as numbers of at most 64 bits, are kept in a set.
pub(crate) trait Coding: Sync {
    /// How many bits the numbers have at present, and which of them are the same within a shard.
    fn quotient(&self) -> Quotient;

    /// The number of a state as so many bits that look like chance.
    fn scatter(&self, quotient: &Quotient, code: u64) -> u64;

    /// The inverse of [`Coding::scatter`].
    fn gather(&self, quotient: &Quotient, bits: u64) -> u64;
}

/// The shard of 64 bits, by the highest.
#[inline]
pub(crate) fn shard_of(bits: u64) -> usize {
    (bits >> (u64::BITS - SHARD_BITS)) as usize
}

/// Numbers of a few bits. The shard and the bucket of a number say so many of them that an entry holds
/// the rest in few (Cleary 1984; Knuth, exercise 6.4.13).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quotient {
    bits: u32,
    mask: u64,
    /// How many of the highest bits are the number of the shard.
    shard_bits: u32,
}

/// Odd numbers without pattern, and their inverses modulo 2^64.
const FACTORS: [u64; 2] = [0xd6e8_feb8_6659_fd93, 0x9e37_79b9_7f4a_7c15];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// The inverse of an odd number, by Newton's method: each round doubles the bits that are right.
const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut round) = (odd, 0);
    while round < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

impl Quotient {
    /// Fewer bits are taken for this many.
    const LEAST_BITS: u32 = 16;

    /// Numbers of so many bits, at most 64, which have nothing to do with the shard.
    pub(crate) fn new(bits: u32) -> Self {
        let bits = bits.max(Self::LEAST_BITS);
        Self { bits, mask: u64::MAX >> (u64::BITS - bits), shard_bits: 0 }
    }

    /// The highest bits are the shard.
    pub(crate) fn sharded(self) -> Self {
        Self { shard_bits: SHARD_BITS, ..self }
    }

    /// How many bits there are.
    #[inline]
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// The shard of a number.
    #[inline]
    pub(crate) fn shard(&self, code: u64) -> usize {
        (code >> (self.bits - SHARD_BITS)) as usize
    }

    /// Permutes numbers, so that they spread.
    #[inline]
    pub(crate) fn permuted(&self, number: u64) -> u64 {
        let half = self.bits.div_ceil(2);
        let mut bits = number ^ number >> half;
        for factor in FACTORS {
            bits = bits.wrapping_mul(factor) & self.mask;
            bits ^= bits >> half;
        }
        bits
    }

    /// The inverse of [`Quotient::permuted`].
    #[inline]
    pub(crate) fn restored(&self, bits: u64) -> u64 {
        let half = self.bits.div_ceil(2);
        let mut number = bits ^ bits >> half;
        for factor in INVERSES.into_iter().rev() {
            number = number.wrapping_mul(factor) & self.mask;
            number ^= number >> half;
        }
        number
    }

    /// How many pairs of buckets a table has at least: what is left of a number fits an entry.
    fn least_pairs(self) -> u32 {
        1 << (self.bits - self.shard_bits).saturating_sub(u64::BITS - CHOICE_BITS + 1)
    }

    /// What a table of so many pairs of buckets holds.
    fn geometry(self, n_pairs: u32) -> Geometry {
        let span = (self.mask >> self.shard_bits) / (2 * u64::from(n_pairs)) + 1;
        let bits = u64::BITS - (span - 1).leading_zeros() + CHOICE_BITS;
        let reciprocal = u64::MAX / span;
        Geometry { quotient: self, n_pairs, high: high(bits), span, reciprocal }
    }
}

impl Geometry {
    #[inline]
    fn place(&self, bits: u64) -> Place {
        let Geometry { quotient, span, reciprocal, .. } = *self;
        let within = bits & quotient.mask >> quotient.shard_bits;
        // The quotient, or one less: the reciprocal is too small by less than one 2^64th.
        let mut bucket = ((u128::from(within) * u128::from(reciprocal)) >> u64::BITS) as u64;
        let mut rest = within - bucket * span;
        if rest >= span {
            (bucket, rest) = (bucket + 1, rest - span);
        }
        Place { bucket: bucket as u32, entry: rest << CHOICE_BITS | 1 }
    }

    /// The choice behind one: the neighbour, which a processor may fetch together with a line; then the
    /// next pair.
    #[inline]
    fn go_on(&self, place: &mut Place, choice: u32) {
        place.bucket ^= 1;
        if choice % 2 == 1 {
            place.bucket += 2 * self.step(place.entry >> CHOICE_BITS);
            if place.bucket >= 2 * self.n_pairs {
                place.bucket -= 2 * self.n_pairs;
            }
        }
        place.entry += 1;
    }

    /// How far the next pair of buckets is: at least 1, and less than there are, if there are several.
    #[inline]
    fn step(&self, rest: u64) -> u32 {
        let bits = rest.wrapping_mul(FACTORS[1]) >> u32::BITS;
        ((bits * u64::from(self.n_pairs - 1)) >> u32::BITS) as u32 + 1
    }

    /// The bits of an entry in a bucket of a shard: the inverse of [`Geometry::place`].
    fn read(&self, shard: usize, bucket: u32, entry: u64) -> u64 {
        let Quotient { bits, shard_bits, .. } = self.quotient;
        let (rest, n_pairs) = (entry >> CHOICE_BITS, u64::from(self.n_pairs));
        let choice = (entry & ((1 << CHOICE_BITS) - 1)) - 1;
        let mut pair = u64::from(bucket / 2);
        if choice > 1 {
            let gone = choice / 2 * u64::from(self.step(rest)) % n_pairs;
            pair = (pair + n_pairs - gone) % n_pairs;
        }
        let first = pair * 2 + (u64::from(bucket) ^ choice) % 2;
        let within = first * self.span + rest;
        if shard_bits == 0 { within } else { (shard as u64) << (bits - shard_bits) | within }
    }
}

/// The bits beyond 32 of an entry that has so many.
fn high(bits: u32) -> u32 {
    match bits {
        0..=32 => 0,
        33..=40 => 8,
        41..=48 => 16,
        _ => 32,
    }
}

impl Geometry {
    fn n_slots(&self) -> usize {
        2 * self.n_pairs as usize * n_entries(self.high)
    }
}

/// A set of states.
pub(crate) struct KeySet {
    shards: Vec<Shard>,
    length: usize,
}

/// The states of a set whose numbers, or hashes, begin alike.
pub(crate) struct Shard {
    number: usize,
    lines: Vec<Line>,
    geometry: Geometry,
    length: usize,
    full_at: usize,
    growth: Growth,
    left_over: BTreeSet<u64>,
}

impl KeySet {
    /// No states. Is one frugal, shards grow by little and often.
    pub(crate) fn new(coding: &impl Coding, is_frugal: bool) -> Self {
        let quotient = coding.quotient();
        let geometry = quotient.geometry(quotient.least_pairs());
        let shard = |number| Shard {
            number,
            lines: vec![Line::EMPTY; 2 * geometry.n_pairs as usize],
            geometry,
            length: 0,
            full_at: geometry.n_slots(),
            growth: if is_frugal { FRUGAL_GROWTH } else { GROWTH },
            left_over: BTreeSet::new(),
        };
        Self { shards: (0..SHARDS).map(shard).collect(), length: 0 }
    }

    /// Adds states, given what their shards and numbers are, and appends the numbers of those that are
    /// new, in order.
    pub(crate) fn absorb<C: Coding, T>(
        &mut self,
        coding: &C,
        batch: &[T],
        sharded: impl Fn(&T) -> (usize, u64),
        fresh: &mut Vec<u64>,
    ) {
        let before = fresh.len();
        for batch in batch.chunks(BATCH) {
            let touched = batch.iter().map(&sharded).fold(0, |touched, (shard, code)| {
                let shard = &self.shards[shard];
                touched | shard.touch(&shard.place(coding, code))
            });
            std::hint::black_box(touched);
            for (shard, code) in batch.iter().map(&sharded) {
                self.shards[shard].absorb(coding, std::iter::once(&[code][..]), fresh);
            }
        }
        self.length += fresh.len() - before;
    }
}

impl Sharded for KeySet {
    type Shard = Shard;

    fn len(&self) -> usize {
        self.length
    }

    /// Without the few that are left over.
    fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.lines.capacity() * size_of::<Line>()).sum()
    }

    fn shards(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    fn recount(&mut self) {
        self.length = self.shards.iter().map(|shard| shard.length).sum();
    }
}

impl Shard {
    #[inline]
    fn place<C: Coding>(&self, coding: &C, code: u64) -> Place {
        self.geometry.place(coding.scatter(&self.geometry.quotient, code))
    }

    #[inline]
    fn touch(&self, place: &Place) -> u32 {
        self.lines[place.bucket as usize].0[0]
    }

    /// Adds states of this shard, list after list, and appends the numbers of those that are new.
    pub(crate) fn absorb<'l, C: Coding>(
        &mut self,
        coding: &C,
        lists: impl Iterator<Item = &'l [u64]>,
        fresh: &mut Vec<u64>,
    ) {
        if coding.quotient() != self.geometry.quotient {
            self.rebuild(coding);
        }
        let (mut batch, mut n_codes) = ([0; BATCH], 0);
        for mut list in lists {
            while n_codes == 0 && list.len() >= BATCH {
                let (next, rest) = list.split_at(BATCH);
                self.absorb_batch(coding, next, fresh);
                list = rest;
            }
            while !list.is_empty() {
                let (next, rest) = list.split_at(list.len().min(BATCH - n_codes));
                batch[n_codes..n_codes + next.len()].copy_from_slice(next);
                (n_codes, list) = (n_codes + next.len(), rest);
                if n_codes == BATCH {
                    self.absorb_batch(coding, &batch, fresh);
                    n_codes = 0;
                }
            }
        }
        self.absorb_batch(coding, &batch[..n_codes], fresh);
    }

    fn absorb_batch<C: Coding>(&mut self, coding: &C, batch: &[u64], fresh: &mut Vec<u64>) {
        match self.geometry.high {
            0 => self.take_in::<0, C>(coding, batch, fresh),
            8 => self.take_in::<8, C>(coding, batch, fresh),
            16 => self.take_in::<16, C>(coding, batch, fresh),
            _ => self.take_in::<32, C>(coding, batch, fresh),
        }
        if self.length > self.full_at {
            self.rebuild(coding);
        }
    }

    /// Looks up a batch choice by choice: first all buckets are asked for, in a loop so short that the
    /// processor waits for many cache lines at once and not for one after the other.
    #[inline]
    fn take_in<const HIGH: u32, C: Coding>(
        &mut self,
        coding: &C,
        batch: &[u64],
        fresh: &mut Vec<u64>,
    ) {
        let mut places = [Place::default(); BATCH];
        let mut open: [u8; BATCH] = std::array::from_fn(|position| position as u8);
        let mut n_open = batch.len();
        for (place, &code) in places.iter_mut().zip(batch) {
            *place = self.place(coding, code);
        }
        for choice in 0..CHOICES {
            let mut touched = 0;
            for &position in &open[..n_open] {
                touched |= self.touch(&places[position as usize % BATCH]);
            }
            std::hint::black_box(touched);
            let mut n_left = 0;
            for at in 0..n_open {
                let position = open[at];
                let place = &mut places[position as usize % BATCH];
                let line = &mut self.lines[place.bucket as usize];
                match line.seek::<HIGH>(place.entry) {
                    Seen::Here => {}
                    Seen::Free(free) => {
                        line.put::<HIGH>(free, place.entry);
                        self.length += 1;
                        fresh.push(batch[position as usize % BATCH]);
                    }
                    Seen::Full => {
                        self.geometry.go_on(place, choice);
                        open[n_left] = position;
                        n_left += 1;
                    }
                }
            }
            n_open = n_left;
            if n_open == 0 {
                return;
            }
        }
        for &position in &open[..n_open] {
            let code = batch[position as usize % BATCH];
            if self.left_over.insert(code) {
                self.length += 1;
                fresh.push(code);
            }
        }
    }

    /// Adds an entry that is not there; false if all its buckets are full.
    fn insert<const HIGH: u32>(&mut self, mut place: Place) -> bool {
        for choice in 0..CHOICES {
            let line = &mut self.lines[place.bucket as usize];
            let n_used = line.n_used::<HIGH>();
            if n_used < n_entries(HIGH) {
                line.put::<HIGH>(n_used, place.entry);
                return true;
            }
            self.geometry.go_on(&mut place, choice);
        }
        false
    }

    /// Makes room for more states, in the narrowest entries that serve.
    #[cold]
    fn rebuild<C: Coding>(&mut self, coding: &C) {
        let Growth { fullest, room } = self.growth;
        let least = self.length.max(1) * room / fullest + 1;
        let fitting = [0, 8, 16, 32].into_iter().find_map(|high| {
            let n_pairs = u32::try_from(least.div_ceil(2 * n_entries(high))).ok()?;
            let quotient = coding.quotient();
            let geometry = quotient.geometry(n_pairs.max(quotient.least_pairs()));
            (geometry.high <= high).then_some(Geometry { high, ..geometry })
        });
        let geometry = fitting.expect("fewer states than a shard can hold");
        let lines = vec![Line::EMPTY; 2 * geometry.n_pairs as usize];
        let before = std::mem::replace(&mut self.geometry, geometry);
        let old = std::mem::replace(&mut self.lines, lines);
        self.full_at = geometry.n_slots() * fullest / 100;
        for code in std::mem::take(&mut self.left_over) {
            self.enter(coding, code);
        }
        let entry = match before.high {
            0 => Line::entry::<0>,
            8 => Line::entry::<8>,
            16 => Line::entry::<16>,
            _ => Line::entry::<32>,
        };
        for (bucket, line) in old.iter().enumerate() {
            let entries = (0..n_entries(before.high)).map(|position| entry(line, position));
            for entry in entries.take_while(|&entry| entry != 0) {
                let bits = before.read(self.number, bucket as u32, entry);
                self.enter(coding, coding.gather(&before.quotient, bits));
            }
        }
    }

    /// Adds a state that is not there.
    fn enter<C: Coding>(&mut self, coding: &C, code: u64) {
        let place = self.place(coding, code);
        let is_entered = match self.geometry.high {
            0 => self.insert::<0>(place),
            8 => self.insert::<8>(place),
            16 => self.insert::<16>(place),
            _ => self.insert::<32>(place),
        };
        if !is_entered {
            self.left_over.insert(code);
        }
    }
}

#[cfg(test)]
mod tests;
