//! Sets of small values: conditions on local states, results, elements of queues.

use std::cmp::Ordering;

use crate::Value;

/// A set of values, as bits. A set of one value takes no memory beside itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ValueSet {
    /// Position of the first word that is not zero.
    base: u32,
    /// That word; zero only in the empty set.
    first: u64,
    /// The words behind it; the last is not zero.
    rest: Vec<u64>,
}

impl ValueSet {
    /// All values below `size`.
    pub fn all(size: u32) -> Self {
        (0..size).collect()
    }

    /// The set of one value.
    pub fn one(value: Value) -> Self {
        Self { base: value / 64, first: 1 << (value % 64), rest: Vec::new() }
    }

    /// Whether the value is a member.
    pub fn contains(&self, value: Value) -> bool {
        let word = match (value / 64).checked_sub(self.base) {
            None => 0,
            Some(0) => self.first,
            Some(position) => self.rest.get(position as usize - 1).copied().unwrap_or(0),
        };
        word >> (value % 64) & 1 == 1
    }

    /// Adds a value.
    pub fn insert(&mut self, value: Value) {
        let (word, bit) = (value / 64, 1 << (value % 64));
        if self.is_empty() {
            *self = Self::one(value);
        } else if word < self.base {
            let gap = (self.base - word) as usize - 1;
            let moved = std::iter::repeat_n(0, gap).chain([self.first]);
            self.rest.splice(0..0, moved);
            (self.base, self.first) = (word, bit);
        } else if word == self.base {
            self.first |= bit;
        } else {
            let position = (word - self.base) as usize - 1;
            if self.rest.len() <= position {
                self.rest.resize(position + 1, 0);
            }
            self.rest[position] |= bit;
        }
    }

    /// Removes a value and says whether it was a member.
    pub fn remove(&mut self, value: Value) -> bool {
        let was = self.contains(value);
        if was {
            *self = self.iter().filter(|&member| member != value).collect();
        }
        was
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        self.words().enumerate().flat_map(|(position, word)| {
            let without_lowest = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest)
                .map(move |rest| position as Value * 64 + rest.trailing_zeros())
        })
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        let words = std::iter::once(&self.first).chain(&self.rest);
        words.map(|word| word.count_ones() as usize).sum()
    }

    /// The bits: value `v` is bit `v % 64` of word `v / 64`; words beyond the last are zero.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let zeros = std::iter::repeat_n(0, self.base as usize);
        let words = zeros.chain(std::iter::once(self.first)).chain(self.rest.iter().copied());
        words.take(if self.is_empty() { 0 } else { usize::MAX })
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.first == 0
    }

    /// Whether some value is a member of both.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words().zip(other.words()).any(|(one, other)| one & other != 0)
    }
}

/// By words, the lowest first.
impl Ord for ValueSet {
    fn cmp(&self, other: &Self) -> Ordering {
        // Where one has a word, the other has zeros up to its base; the empty set has no words at all.
        match (self.is_empty(), other.is_empty()) {
            (false, false) => {}
            (one, two) => return two.cmp(&one),
        }
        let by_base = other.base.cmp(&self.base);
        by_base.then(self.first.cmp(&other.first)).then_with(|| self.rest.cmp(&other.rest))
    }
}

impl PartialOrd for ValueSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromIterator<Value> for ValueSet {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut set = ValueSet::default();
        for value in values {
            set.insert(value);
        }
        set
    }
}

#[cfg(test)]
mod tests;
