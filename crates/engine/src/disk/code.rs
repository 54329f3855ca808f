//! Sorted keys as differences. A gap is in a class, which is said by so many zeros and a one; then come the
//! bits that a gap of this class has. Two parameters say how many those are, and are chosen for every
//! block so that it is shortest: `base` bits in the first class and `growth` more in each further one.
//! With a growth of one that is the exponential Golomb code (Teuhola 1978), whose classes do not overlap.
//! Where some gaps occur often, they are [`symbols`](super::symbols) instead.

use super::key::Key;
use super::symbols::{Book, Gap, Index};

/// More zeros announce a gap that is written out: its length in bits, and the bits.
const MOST_ZEROS: u32 = 31;
/// Bits of such a length.
const LENGTH: u32 = 16;
/// The share of the bits that symbols may take at most, to be worth their time.
const WORTH: (u64, u64) = (7, 8);
/// How many lengths of gaps are tried as those of a first class.
const TRIED: u64 = 12;
/// Bits that one load is sure to hold.
pub(super) const LOADED: u32 = 56;

/// How gaps are coded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Parameters {
    pub base: u8,
    pub growth: u8,
}

impl Parameters {
    const EXPONENTIAL: u8 = 1;
    /// Gaps are symbols of a code that stands before them.
    pub const SYMBOLS: Self = Self { base: 0, growth: 0 };

    /// Bits of a gap of this class, or of the gap less what smaller classes hold.
    #[inline]
    fn n_bits(self, class: u32) -> u32 {
        u32::from(self.base) + class * u32::from(self.growth)
    }

    /// The class of a gap by its length, if there is one.
    fn class(self, length: u32) -> Option<u32> {
        let beyond = length.saturating_sub(self.base.into());
        Some(beyond.div_ceil(self.growth.into())).filter(|&class| class <= MOST_ZEROS)
    }

    /// Twice the bits that gaps of this length take, about.
    fn cost(self, length: u32) -> u64 {
        let bits = self.class(length).map(|class| match self.growth {
            // Half of them are less than what the smaller classes hold, and take two bits fewer.
            Self::EXPONENTIAL => 2 * (class + 1 + self.n_bits(class)) - 2 * class.min(1),
            _ => 2 * (class + 1 + self.n_bits(class)),
        });
        u64::from(bits.unwrap_or(2 * (MOST_ZEROS + 1 + LENGTH + length)))
    }

    /// The parameters with which gaps take the fewest bits, and about how many.
    fn best<K: Key>(gaps: &[K]) -> (Self, u64) {
        let mut n_of_length = Vec::new();
        for gap in gaps {
            let length = gap.length() as usize;
            if length >= n_of_length.len() {
                n_of_length.resize(length + 1, 0_u64);
            }
            n_of_length[length] += 1;
        }
        let present: Vec<(u32, u64)> = (0..).zip(n_of_length).filter(|(_, n)| *n > 0).collect();
        let growths = [Self::EXPONENTIAL, 2, 3, 4, 6, 8, 12];
        // Only lengths that occur are worth being those of a first class, and one less of the code
        // whose classes do not overlap; of many lengths, some that part all gaps evenly.
        let (mut bases, mut met, mut next) = (Vec::new(), 0, 0);
        let n_gaps = gaps.len() as u64;
        for &(length, n) in &present {
            met += n;
            if met * TRIED >= next * n_gaps || present.len() <= TRIED as usize {
                bases.extend([length.saturating_sub(1), length]);
                next = met * TRIED / n_gaps.max(1) + 1;
            }
        }
        bases.dedup();
        let all = growths.into_iter().flat_map(|growth| {
            let short = bases.iter().filter_map(|&base| u8::try_from(base).ok());
            short.map(move |base| Self { base, growth })
        });
        let cost =
            |it: &Self| -> u64 { present.iter().map(|&(length, n)| n * it.cost(length)).sum() };
        let best = all.map(|it| (it, cost(&it) / 2)).min_by_key(|(_, n_bits)| *n_bits);
        best.unwrap_or((Self { base: 0, growth: Self::EXPONENTIAL }, 0))
    }
}

/// What is coded for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Aim {
    /// To be kept, in few bytes.
    Short,
    /// To be read once, soon.
    Quick,
}

/// Appends keys to `out`, but the first, and gives the parameters. Keys are sorted and differ.
pub(super) fn encode<K: Key>(keys: &[K], aim: Aim, out: &mut Vec<u8>) -> Parameters {
    let gaps: Vec<K> = keys.windows(2).map(|pair| pair[1].gap(&pair[0])).collect();
    encode_gaps(&gaps, aim, out)
}

/// Appends numbers of which neighbours are about the same, and gives the parameters.
pub(super) fn encode_tags(tags: &[u32], aim: Aim, out: &mut Vec<u8>) -> Parameters {
    let mut last = 0;
    let changes = tags.iter().map(|&tag| {
        let change = i64::from(tag) - std::mem::replace(&mut last, i64::from(tag));
        // 0, -1, 1, -2, 2 and so on.
        (change << 1 ^ change >> 63) as u64
    });
    encode_gaps(&changes.collect::<Vec<u64>>(), aim, out)
}

/// Reads as many numbers as were written by [`encode_tags`].
pub(super) fn decode_tags(
    bytes: &[u8],
    (n, parameters): (u32, Parameters),
    out: &mut Vec<u32>,
) -> Option<()> {
    out.clear();
    let (mut reader, mut last) = (Reader { bytes, at: 0 }, 0);
    let index = match parameters {
        Parameters::SYMBOLS => Some(Index::read(&mut reader, &0_u64)?),
        _ => None,
    };
    for _ in 0..n {
        let change = match &index {
            Some(index) => match index.gap(&mut reader, &0_u64)? {
                Gap::Known(change) => *change,
                Gap::Short(change) | Gap::Long(change) => change,
            },
            None => match reader.short_gap(parameters) {
                Some(change) => change,
                None => reader.gap(parameters, &0_u64)?,
            },
        };
        last += (change >> 1) as i64 ^ -((change & 1) as i64);
        out.push(u32::try_from(last).ok()?);
    }
    (reader.at <= bytes.len() * 8).then_some(())
}

fn encode_gaps<K: Key>(gaps: &[K], aim: Aim, out: &mut Vec<u8>) -> Parameters {
    let (parameters, n_bits) = Parameters::best(gaps);
    // Symbols take longer to write and to read.
    let is_worth = |book: &Book<K>| book.n_bits() * WORTH.1 < n_bits * WORTH.0;
    if aim == Aim::Short
        && let Some(book) = Book::new(gaps).filter(is_worth)
    {
        let mut writer = Writer { out, word: 0, n_bits: 0 };
        book.write(gaps, &mut writer);
        writer.end();
        return Parameters::SYMBOLS;
    }
    let base = u32::from(parameters.base);
    let mut writer = Writer { out, word: 0, n_bits: 0 };
    for gap in gaps {
        let coded = match parameters.growth {
            Parameters::EXPONENTIAL => gap.plus_power(base).map(|sum| {
                let class = sum.length() - base - 1;
                (class, sum)
            }),
            _ => parameters.class(gap.length()).map(|class| (class, gap.clone())),
        };
        match coded.filter(|(class, _)| *class <= MOST_ZEROS) {
            Some((class, bits)) => {
                writer.put(1 << class, class + 1);
                writer.put_key(&bits, parameters.n_bits(class));
            }
            None => {
                writer.put(0, MOST_ZEROS + 1);
                let length = gap.length();
                writer.put(length.into(), LENGTH);
                writer.put_key(gap, length);
            }
        }
    }
    writer.end();
    parameters
}

/// Decodes `n` keys behind `first`, which comes first; `None` if the bytes hold fewer.
pub(super) fn decode<K: Key>(
    bytes: &[u8],
    first: &K,
    (n, parameters): (u32, Parameters),
    out: &mut Vec<K>,
) -> Option<()> {
    out.clear();
    out.reserve(n as usize);
    let (mut reader, mut last) = (Reader { bytes, at: 0 }, first.clone());
    if parameters == Parameters::SYMBOLS && n > 0 {
        let index = Index::read(&mut reader, first)?;
        out.push(last.clone());
        for _ in 1..n {
            match index.gap(&mut reader, first)? {
                Gap::Known(gap) => last = last.after(gap),
                Gap::Short(gap) => last.add(gap.wrapping_add(1)),
                Gap::Long(gap) => last = last.after(&gap),
            }
            out.push(last.clone());
        }
        return (reader.at <= bytes.len() * 8).then_some(());
    }
    for position in 0..n {
        if position > 0 {
            // Most gaps fit what is loaded at once, however wide keys are.
            match reader.short_gap(parameters) {
                Some(gap) => last.add(gap.wrapping_add(1)),
                None => last = last.after(&reader.gap(parameters, first)?),
            }
        }
        out.push(last.clone());
    }
    (reader.at <= bytes.len() * 8).then_some(())
}

/// Writes bits, the lowest first.
pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    word: u64,
    n_bits: u32,
}

impl Writer<'_> {
    /// At most 32 bits.
    #[inline]
    pub fn put(&mut self, bits: u64, n_bits: u32) {
        self.word |= bits << self.n_bits;
        self.n_bits += n_bits;
        if self.n_bits >= u32::BITS {
            self.out.extend_from_slice(&(self.word as u32).to_le_bytes());
            self.word >>= u32::BITS;
            self.n_bits -= u32::BITS;
        }
    }

    pub fn put_key<K: Key>(&mut self, key: &K, n_bits: u32) {
        for from in (0..n_bits).step_by(u32::BITS as usize) {
            let part = (n_bits - from).min(u32::BITS);
            self.put(key.bits(from, part), part);
        }
    }

    fn end(&mut self) {
        let bytes = self.word.to_le_bytes();
        self.out.extend_from_slice(&bytes[..self.n_bits.div_ceil(u8::BITS) as usize]);
    }
}

/// Reads bits; behind the end there are zeros.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl Reader<'_> {
    /// The next 57 bits or more.
    #[inline]
    pub fn peek(&self) -> u64 {
        let start = self.at >> 3;
        let word = match self.bytes.get(start..start + 8) {
            Some(bytes) => u64::from_le_bytes(bytes.try_into().unwrap_or_default()),
            None => self.peek_end(start),
        };
        word >> (self.at & 7)
    }

    #[cold]
    fn peek_end(&self, start: usize) -> u64 {
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    /// At most 32 bits.
    pub fn take(&mut self, n_bits: u32) -> u64 {
        let bits = self.peek() & ((1 << n_bits) - 1);
        self.at += n_bits as usize;
        bits
    }

    /// A key like another, of so many bits.
    pub fn key<K: Key>(&mut self, n_bits: u32, like: &K) -> Option<K> {
        if self.at + n_bits as usize > self.bytes.len() * 8 {
            return None;
        }
        let mut key = like.zero_like();
        for from in (0..n_bits).step_by(u32::BITS as usize) {
            let part = (n_bits - from).min(u32::BITS);
            key.set_bits(from, self.take(part));
        }
        Some(key)
    }

    /// The next gap, if it fits what is loaded at once; else nothing is read.
    #[inline]
    fn short_gap(&mut self, parameters: Parameters) -> Option<u64> {
        let word = self.peek();
        let class = word.trailing_zeros();
        let n_low = parameters.n_bits(class);
        let n_bits = class + 1 + n_low;
        if n_bits > LOADED {
            return None;
        }
        self.at += n_bits as usize;
        let low = word >> (class + 1) & ((1 << n_low) - 1);
        Some(match parameters.growth {
            // The smaller classes hold the numbers below.
            Parameters::EXPONENTIAL => (1 << n_low) + low - (1 << parameters.base),
            _ => low,
        })
    }

    /// The next gap, whatever its length.
    #[cold]
    fn gap<K: Key>(&mut self, parameters: Parameters, like: &K) -> Option<K> {
        let class = self.peek().trailing_zeros();
        if class > MOST_ZEROS {
            self.take(MOST_ZEROS + 1);
            let length = self.take(LENGTH) as u32;
            return self.key(length, like);
        }
        self.take(class);
        self.take(1);
        let n_low = parameters.n_bits(class);
        let low = self.key(n_low, like)?;
        if parameters.growth == Parameters::EXPONENTIAL {
            return Some(low.plus_power(n_low)?.minus_power(parameters.base.into()));
        }
        Some(low)
    }
}
