//! Sorted keys as differences: each gap in the exponential Golomb code (Teuhola 1978) whose parameter
//! makes the block shortest. A gap `g` of parameter `k` is `g + 2^k`: as many zeros as it has bits
//! beyond `k + 1`, then its bits, the highest one first and the others behind it.

use super::key::Key;

/// More zeros announce a gap that is written out: its length in bits, and the bits.
const MOST_ZEROS: u32 = 31;
/// Bits of such a length.
const LENGTH: u32 = 16;
/// Bits that one load is sure to hold.
const LOADED: u32 = 56;

/// Appends keys to `out`, but the first, and gives the parameter. Keys are sorted and differ.
pub(super) fn encode<K: Key>(keys: &[K], out: &mut Vec<u8>) -> u8 {
    let mut gaps = Vec::with_capacity(keys.len());
    gaps.extend(keys.windows(2).map(|pair| pair[1].gap(&pair[0])));
    let parameter = best(&gaps);
    let mut writer = Writer { out, word: 0, n_bits: 0 };
    for gap in &gaps {
        let sum = gap.plus_power(parameter);
        let n_zeros = sum.as_ref().map_or(u32::MAX, |sum| sum.length() - parameter - 1);
        match sum {
            Some(sum) if n_zeros <= MOST_ZEROS => {
                writer.put(1 << n_zeros, n_zeros + 1);
                writer.put_key(&sum, n_zeros + parameter);
            }
            _ => {
                writer.put(0, MOST_ZEROS + 1);
                let length = gap.length();
                writer.put(length.into(), LENGTH);
                writer.put_key(gap, length);
            }
        }
    }
    writer.end();
    parameter as u8
}

/// The parameter with which gaps take the fewest bits.
fn best<K: Key>(gaps: &[K]) -> u32 {
    let mut n_of_length = Vec::new();
    for gap in gaps {
        let length = gap.length() as usize;
        if length >= n_of_length.len() {
            n_of_length.resize(length + 1, 0_u64);
        }
        n_of_length[length] += 1;
    }
    let cost = |parameter: u32| -> u64 {
        let bits = |length: u32| {
            let n_zeros = length.saturating_sub(parameter);
            let long = MOST_ZEROS + 1 + LENGTH + length;
            // Half of the gaps of that length become one bit longer by what is added.
            if n_zeros > MOST_ZEROS {
                2 * long
            } else {
                2 * (n_zeros + parameter + 1) + n_zeros.max(1) * 2 - 1
            }
        };
        (0..).zip(&n_of_length).map(|(length, n)| n * u64::from(bits(length))).sum()
    };
    (0..(n_of_length.len() as u32).min(u8::MAX.into())).min_by_key(|&it| cost(it)).unwrap_or(0)
}

/// Decodes `n` keys behind `first`, which comes first; `None` if the bytes hold fewer.
pub(super) fn decode<K: Key>(
    bytes: &[u8],
    first: &K,
    (n, parameter): (u32, u8),
    out: &mut Vec<K>,
) -> Option<()> {
    out.clear();
    out.reserve(n as usize);
    if K::IS_LIMB {
        return decode_limbs(bytes, first, (n, u32::from(parameter)), out);
    }
    let mut reader = Reader { bytes, at: 0 };
    let empty = first.zero_like();
    let mut last = first.clone();
    for position in 0..n {
        if position > 0 {
            last = last.after(&reader.gap(parameter.into(), &empty)?);
        }
        out.push(last.clone());
    }
    Some(())
}

/// The same for keys of one limb.
fn decode_limbs<K: Key>(
    bytes: &[u8],
    first: &K,
    (n, parameter): (u32, u32),
    out: &mut Vec<K>,
) -> Option<()> {
    let mut last = first.low();
    let mut reader = Reader { bytes, at: 0 };
    for position in 0..n {
        if position > 0 {
            let word = reader.peek();
            let n_zeros = word.trailing_zeros();
            let n_bits = 2 * n_zeros + 1 + parameter;
            if n_bits <= LOADED {
                let n_low = n_zeros + parameter;
                let low = word >> (n_zeros + 1) & ((1 << n_low) - 1);
                // 2^(n+k) + low - 2^k, and one for the next key.
                let gap = (1_u64 << n_low).wrapping_add(low).wrapping_sub(1 << parameter);
                last = last.wrapping_add(gap).wrapping_add(1);
                reader.at += n_bits as usize;
            } else {
                let gap = reader.gap(parameter, &0_u64)?;
                last = last.wrapping_add(gap).wrapping_add(1);
            }
        }
        out.push(K::of_low(last));
    }
    (reader.at <= bytes.len() * 8).then_some(())
}

/// Writes bits, the lowest first.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    word: u64,
    n_bits: u32,
}

impl Writer<'_> {
    /// At most 32 bits.
    #[inline]
    fn put(&mut self, bits: u64, n_bits: u32) {
        self.word |= bits << self.n_bits;
        self.n_bits += n_bits;
        if self.n_bits >= u32::BITS {
            self.out.extend_from_slice(&(self.word as u32).to_le_bytes());
            self.word >>= u32::BITS;
            self.n_bits -= u32::BITS;
        }
    }

    fn put_key<K: Key>(&mut self, key: &K, n_bits: u32) {
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
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next 57 bits or more.
    #[inline]
    fn peek(&self) -> u64 {
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
    fn take(&mut self, n_bits: u32) -> u64 {
        let bits = self.peek() & ((1 << n_bits) - 1);
        self.at += n_bits as usize;
        bits
    }

    fn key<K: Key>(&mut self, n_bits: u32, empty: &K) -> Option<K> {
        if self.at + n_bits as usize > self.bytes.len() * 8 {
            return None;
        }
        let mut key = empty.clone();
        for from in (0..n_bits).step_by(u32::BITS as usize) {
            let part = (n_bits - from).min(u32::BITS);
            key.set_bits(from, self.take(part));
        }
        Some(key)
    }

    /// The next gap, whatever its length.
    fn gap<K: Key>(&mut self, parameter: u32, empty: &K) -> Option<K> {
        let n_zeros = self.peek().trailing_zeros();
        if n_zeros > MOST_ZEROS {
            self.take(MOST_ZEROS + 1);
            let length = self.take(LENGTH) as u32;
            return self.key(length, empty);
        }
        self.take(n_zeros);
        self.take(1);
        let n_low = n_zeros + parameter;
        let low = self.key(n_low, empty)?;
        Some(low.plus_power(n_low)?.minus_power(parameter))
    }
}
