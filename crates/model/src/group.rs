//! Transition groups: what a piece of the next-state relation declares about itself.
//! Declarations are promises that [`Checked`](crate::Checked) can verify and reductions rely on.

use crate::{ParticipantId, SlotId, Value};

/// A piece of the next-state relation and its declared dependencies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// The name fairness options and diagnostics use.
    pub name: String,
    /// Who takes part.
    pub participants: Vec<ParticipantId>,
    /// Necessary conditions: where one fails, the group has no successor. May be incomplete.
    pub guards: Vec<Guard>,
    /// Every slot that its guards, its enabledness or its results depend on, ascending.
    pub reads: Vec<SlotId>,
    /// Every slot that a successor may hold another value in, ascending.
    pub writes: Vec<SlotId>,
}

/// A condition on one slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The slot looked at.
    pub slot: SlotId,
    /// What its value must satisfy.
    pub test: Test,
}

/// A condition on a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    /// Member of a set.
    In(ValueSet),
    /// Equal to `equals` in the bits of `mask` (the head of a queue, the last cell of a queue).
    Masked {
        /// The bits looked at.
        mask: Value,
        /// What they must be.
        equals: Value,
    },
}

impl Guard {
    /// Whether the condition holds in a state.
    pub fn holds(&self, state: &[Value]) -> bool {
        self.test.holds(state[self.slot.index()])
    }
}

impl Test {
    /// Whether a value passes.
    pub fn holds(&self, value: Value) -> bool {
        match self {
            Test::In(set) => set.contains(value),
            Test::Masked { mask, equals } => value & mask == *equals,
        }
    }
}

/// A set of small values, as bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ValueSet {
    words: Vec<u64>,
}

impl ValueSet {
    /// All values below `size`.
    pub fn all(size: u32) -> Self {
        (0..size).collect()
    }

    /// Whether the value is a member.
    pub fn contains(&self, value: Value) -> bool {
        self.words.get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    /// Adds a value.
    pub fn insert(&mut self, value: Value) {
        let word = value as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (value % 64);
    }

    /// Removes a value and says whether it was a member.
    pub fn remove(&mut self, value: Value) -> bool {
        let was = self.contains(value);
        if was {
            self.words[value as usize / 64] &= !(1 << (value % 64));
        }
        was
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        self.words.iter().enumerate().flat_map(|(position, &word)| {
            let without_lowest = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest)
                .map(move |rest| position as Value * 64 + rest.trailing_zeros())
        })
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The bits: value `v` is bit `v % 64` of word `v / 64`; words beyond the last are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
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
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_what_was_put_in() {
        let set: ValueSet = [3, 64, 200, 3].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 200]);
        assert_eq!(set.len(), 3);
        assert!(set.contains(64) && !set.contains(65) && !set.contains(100_000));
    }

    #[test]
    fn masked_tests_look_at_their_bits_only() {
        let test = Test::Masked { mask: 0b1100, equals: 0b0100 };
        assert!(test.holds(0b0111) && !test.holds(0b1111));
    }
}
