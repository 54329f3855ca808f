//! Sets of nodes or states as bits. Knows nothing of either.

/// A set of numbers below a length.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    /// The empty set.
    pub fn none(length: usize) -> Self {
        Bits { words: vec![0; length.div_ceil(64)], length }
    }

    /// The set of all numbers.
    pub fn all(length: usize) -> Self {
        Bits::none(length).not()
    }

    /// The numbers that pass a test.
    pub fn filter(length: usize, mut test: impl FnMut(usize) -> bool) -> Self {
        let mut bits = Bits::none(length);
        for number in 0..length {
            if test(number) {
                bits.insert(number);
            }
        }
        bits
    }

    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.words[number / 64] >> (number % 64) & 1 == 1
    }

    /// Whether a number is a member; beyond the length none is.
    pub fn has(&self, number: usize) -> bool {
        number < self.length && self.contains(number)
    }

    /// Adds a number and says whether it is new.
    #[inline]
    pub fn insert(&mut self, number: usize) -> bool {
        let word = &mut self.words[number / 64];
        let before = *word;
        *word |= 1 << (number % 64);
        *word != before
    }

    /// Adds a number to a set that grows up to a length, and says whether it is new.
    #[inline]
    pub fn insert_growing(&mut self, number: usize, length: usize) -> bool {
        if number >= self.length {
            self.length = length;
            self.words.resize(length.div_ceil(64), 0);
        }
        self.insert(number)
    }

    /// Member `n` is bit `n % 64` of word `n / 64`.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    #[inline]
    pub fn remove(&mut self, number: usize) {
        self.words[number / 64] &= !(1 << (number % 64));
    }

    /// The complement.
    pub fn not(&self) -> Self {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        let used = self.length % 64;
        if used > 0
            && let Some(last) = words.last_mut()
        {
            *last &= (1 << used) - 1;
        }
        Bits { words, length: self.length }
    }

    pub fn and(&self, other: &Bits) -> Self {
        self.combine(other, |left, right| left & right)
    }

    pub fn or(&self, other: &Bits) -> Self {
        self.combine(other, |left, right| left | right)
    }

    fn combine(&self, other: &Bits, operation: impl Fn(u64, u64) -> u64) -> Self {
        let words = self.words.iter().zip(&other.words);
        Bits {
            words: words.map(|(&left, &right)| operation(left, right)).collect(),
            length: self.length,
        }
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(position, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.checked_sub(1)?;
                Some(position * 64 + bit as usize)
            })
        })
    }
}
