//! Gaps as symbols of a prefix code that is made for each block: gaps that occur often are a symbol each, of
//! all others the length is one, and the bits below the highest follow (Huffman 1952; canonical, so that
//! lengths of codes say everything: Schwartz and Kallick 1964). States of queues and counters have few
//! different gaps, which no code of lengths notices.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::code::{LOADED, Reader, Writer};
use super::key::Key;

/// Fewer gaps are not worth a code of their own.
const LEAST: usize = if cfg!(test) { 8 } else { 128 };
/// Bits of the longest code.
const LONGEST: u32 = 11;
/// Bits of the numbers of symbols, and the most of each kind.
const NUMBER: u32 = 9;
const MOST: usize = (1 << NUMBER) - 1;
/// Bits of the length of a code.
const OF_CODE: u32 = 4;
/// Bits of the length of a gap.
const OF_GAP: u32 = 16;
/// Bits of the number of a place in which a gap is counted.
const PLACES: u32 = 11;

/// How many bits there are below the highest of so many.
fn below(length: u32) -> u32 {
    length.saturating_sub(1)
}

/// A code for the gaps of a block.
pub(super) struct Book<K> {
    /// Gaps that are symbols, ascending, and lengths that are.
    values: Vec<K>,
    classes: Vec<u32>,
    /// Per symbol, values before classes, the length of its code.
    lengths: Vec<u32>,
    codes: Vec<u64>,
    /// Bits that a length of a gap takes here.
    width: u32,
    /// Per place, the first gap that was counted there; and the symbol that it is, if it is one.
    places: Vec<Option<(u32, u32)>>,
    /// Per length of a gap, its symbol.
    of_class: Vec<usize>,
    n_bits: u64,
}

/// No symbol.
const NONE: u32 = u32::MAX;

#[inline]
fn place<K: Key>(gap: &K) -> usize {
    (gap.scattered() >> (u64::BITS - PLACES)) as usize
}

impl<K: Key> Book<K> {
    /// A code for gaps; `None` where they are few.
    pub fn new(gaps: &[K]) -> Option<Self> {
        if gaps.len() < LEAST {
            return None;
        }
        // A gap that comes to a taken place is not counted: the frequent ones mostly are first.
        let mut places: Vec<Option<(u32, u32)>> = vec![None; 1 << PLACES];
        let mut counts = vec![0_u32; 1 << PLACES];
        let mut of_length: Vec<u64> = Vec::new();
        let mut count = |length: u32, n: u64| {
            if length as usize >= of_length.len() {
                of_length.resize(length as usize + 1, 0);
            }
            of_length[length as usize] += n;
        };
        for (number, gap) in gaps.iter().enumerate() {
            let at = place(gap);
            let (first, _) = *places[at].get_or_insert((number as u32, NONE));
            match gaps[first as usize] == *gap {
                true => counts[at] += 1,
                false => count(gap.length(), 1),
            }
        }
        let longest = gaps.iter().map(Key::length).max().unwrap_or(0);
        let width = (u32::BITS - longest.leading_zeros()).max(1);
        let mut frequent: Vec<(u32, usize)> = Vec::new();
        for (at, &n) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let Some((first, _)) = places[at] else { continue };
            let length = gaps[first as usize].length();
            // What it takes to say which gap it is, and what each time spares.
            let told = u64::from(2 * (width + length + OF_CODE));
            match u64::from(n) * u64::from(below(length)) > told {
                true => frequent.push((n, at)),
                false => count(length, n.into()),
            }
        }
        frequent.sort_unstable_by_key(|&(n, at)| (Reverse(n), at));
        for &(n, at) in frequent.iter().skip(MOST) {
            if let Some((first, _)) = places[at] {
                count(gaps[first as usize].length(), n.into());
            }
        }
        frequent.truncate(MOST);
        let gap_at = |places: &[Option<(u32, u32)>], at: usize| {
            places[at].map_or(0, |(first, _)| first as usize)
        };
        frequent.sort_unstable_by(|one, other| {
            gaps[gap_at(&places, one.1)].cmp(&gaps[gap_at(&places, other.1)])
        });
        let present = (0..).zip(&of_length).filter(|(_, n)| **n > 0);
        let (classes, of_classes): (Vec<u32>, Vec<u64>) = present.map(|(it, &n)| (it, n)).unzip();
        if classes.len() > MOST {
            return None;
        }
        let counted = frequent.iter().map(|&(n, _)| u64::from(n)).chain(of_classes);
        let counted: Vec<u64> = counted.collect();
        let lengths = code_lengths(&counted);
        let mut values = Vec::with_capacity(frequent.len());
        for (symbol, &(_, at)) in frequent.iter().enumerate() {
            values.push(gaps[gap_at(&places, at)].clone());
            if let Some((_, own)) = &mut places[at] {
                *own = symbol as u32;
            }
        }
        let mut of_class = vec![0; of_length.len()];
        for (number, &class) in classes.iter().enumerate() {
            of_class[class as usize] = values.len() + number;
        }
        let codes = canonical(&lengths)?;
        let mut book = Self { values, classes, lengths, codes, width, places, of_class, n_bits: 0 };
        book.n_bits = book.table_bits() + book.gap_bits(&counted);
        Some(book)
    }

    /// Bits that everything takes.
    pub fn n_bits(&self) -> u64 {
        self.n_bits
    }

    fn table_bits(&self) -> u64 {
        let mut n_bits = u64::from(OF_GAP + 2 * NUMBER);
        let mut last: Option<&K> = None;
        for value in &self.values {
            let step = last.map_or_else(|| value.clone(), |last| value.gap(last));
            n_bits += u64::from(self.width + step.length() + OF_CODE);
            last = Some(value);
        }
        n_bits + self.classes.len() as u64 * u64::from(self.width + OF_CODE)
    }

    fn gap_bits(&self, counted: &[u64]) -> u64 {
        let bits = |(symbol, n): (usize, &u64)| {
            let class = symbol.checked_sub(self.values.len());
            let below = class.map_or(0, |class| below(self.classes[class]));
            n * u64::from(self.lengths[symbol] + below)
        };
        counted.iter().enumerate().map(bits).sum()
    }

    /// Writes the code and the gaps that it was made for.
    pub fn write(&self, gaps: &[K], writer: &mut Writer<'_>) {
        writer.put(self.width.into(), OF_GAP);
        writer.put(self.values.len() as u64, NUMBER);
        writer.put(self.classes.len() as u64, NUMBER);
        let mut last: Option<&K> = None;
        for (symbol, value) in self.values.iter().enumerate() {
            let step = last.map_or_else(|| value.clone(), |last| value.gap(last));
            writer.put(step.length().into(), self.width);
            writer.put_key(&step, step.length());
            writer.put(self.lengths[symbol].into(), OF_CODE);
            last = Some(value);
        }
        for (number, &class) in self.classes.iter().enumerate() {
            writer.put(class.into(), self.width);
            writer.put(self.lengths[self.values.len() + number].into(), OF_CODE);
        }
        for gap in gaps {
            let known = match self.places[place(gap)] {
                Some((_, symbol)) if symbol != NONE && self.values[symbol as usize] == *gap => {
                    Some(symbol as usize)
                }
                _ => None,
            };
            let length = gap.length();
            let symbol = known.unwrap_or_else(|| self.of_class[length as usize]);
            writer.put(self.codes[symbol], self.lengths[symbol]);
            if known.is_none() {
                writer.put_key(gap, below(length));
            }
        }
    }
}

/// What reads a block that a [`Book`] wrote.
pub(super) struct Index<K> {
    values: Vec<K>,
    classes: Vec<u32>,
    /// By the next bits, the symbol and how many bits it takes.
    table: Vec<(u16, u16)>,
    mask: u64,
}

/// A gap of one limb, or a longer one.
pub(super) enum Gap<'i, K> {
    Known(&'i K),
    Short(u64),
    Long(K),
}

impl<K: Key> Index<K> {
    /// Reads a code; `None` if that is none.
    pub fn read(reader: &mut Reader<'_>, like: &K) -> Option<Self> {
        let width = reader.take(OF_GAP) as u32;
        let [n_values, n_classes] = [reader.take(NUMBER), reader.take(NUMBER)];
        if width > u32::BITS {
            return None;
        }
        let (mut values, mut classes) = (Vec::<K>::new(), Vec::new());
        let mut lengths = Vec::with_capacity((n_values + n_classes) as usize);
        for _ in 0..n_values {
            let length = reader.take(width) as u32;
            let step = reader.key(length, like)?;
            values.push(values.last().map_or_else(|| step.clone(), |last| last.after(&step)));
            lengths.push(reader.take(OF_CODE) as u32);
        }
        for _ in 0..n_classes {
            classes.push(reader.take(width) as u32);
            lengths.push(reader.take(OF_CODE) as u32);
        }
        let codes = canonical(&lengths)?;
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let mut table = vec![(0, 0); 1 << longest];
        for (symbol, (&code, &length)) in codes.iter().zip(&lengths).enumerate() {
            let step = 1 << length;
            for place in (code as usize..table.len()).step_by(step) {
                table[place] = (symbol as u16, length as u16);
            }
        }
        Some(Self { values, classes, table, mask: (1 << longest) - 1 })
    }

    /// The next gap.
    #[inline(always)]
    pub fn gap(&self, reader: &mut Reader<'_>, like: &K) -> Option<Gap<'_, K>> {
        let word = reader.peek();
        let (symbol, n_bits) = self.table[(word & self.mask) as usize];
        if n_bits == 0 {
            return None;
        }
        if let Some(value) = self.values.get(symbol as usize) {
            reader.at += n_bits as usize;
            return Some(Gap::Known(value));
        }
        let length = *self.classes.get(symbol as usize - self.values.len())?;
        let (n_bits, below) = (u32::from(n_bits), below(length));
        if n_bits + below <= LOADED {
            reader.at += (n_bits + below) as usize;
            let top = u64::from(length > 0) << below;
            return Some(Gap::Short(top | word >> n_bits & ((1 << below) - 1)));
        }
        reader.at += n_bits as usize;
        long(reader, below, like).map(Gap::Long)
    }
}

/// A gap whose bits below the highest follow.
#[cold]
fn long<K: Key>(reader: &mut Reader<'_>, below: u32, like: &K) -> Option<K> {
    let mut gap = reader.key(below, like)?;
    gap.set_bits(below, 1);
    Some(gap)
}

/// Lengths of the codes of symbols that occur so often: Huffman's, none longer than [`LONGEST`].
fn code_lengths(counted: &[u64]) -> Vec<u32> {
    let n = counted.len();
    if n < 2 {
        return vec![1; n];
    }
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> =
        counted.iter().enumerate().map(|(symbol, &n)| Reverse((n, symbol))).collect();
    let mut parents = vec![0; 2 * n - 1];
    for parent in n..2 * n - 1 {
        let mut sum = 0;
        for _ in 0..2 {
            if let Some(Reverse((weight, child))) = heap.pop() {
                parents[child] = parent;
                sum += weight;
            }
        }
        heap.push(Reverse((sum, parent)));
    }
    let mut depths = vec![0_u32; 2 * n - 1];
    for node in (0..2 * n - 2).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    let mut lengths: Vec<u32> = depths[..n].iter().map(|&depth| depth.min(LONGEST)).collect();
    // What was cut makes the codes too many: others give way, the rarest first, and take back what is left.
    let whole = 1_u64 << LONGEST;
    let share = |length: u32| whole >> length;
    let mut taken: u64 = lengths.iter().map(|&length| share(length)).sum();
    let mut rarest: Vec<usize> = (0..n).collect();
    rarest.sort_unstable_by_key(|&symbol| (counted[symbol], symbol));
    while taken > whole {
        for &symbol in &rarest {
            if taken > whole && lengths[symbol] < LONGEST {
                taken -= share(lengths[symbol]) - share(lengths[symbol] + 1);
                lengths[symbol] += 1;
            }
        }
    }
    for &symbol in rarest.iter().rev() {
        while lengths[symbol] > 1 && taken + share(lengths[symbol]) <= whole {
            taken += share(lengths[symbol]);
            lengths[symbol] -= 1;
        }
    }
    lengths
}

/// The codes of symbols by their lengths, their first bit the lowest; `None` if there are none of these
/// lengths.
fn canonical(lengths: &[u32]) -> Option<Vec<u64>> {
    let mut n_of_length = [0_u64; LONGEST as usize + 1];
    for &length in lengths {
        *n_of_length.get_mut(length as usize).filter(|_| length > 0)? += 1;
    }
    let (mut next, mut code) = ([0_u64; LONGEST as usize + 1], 0);
    for length in 1..=LONGEST as usize {
        code = (code + n_of_length[length - 1]) << 1;
        next[length] = code;
        if code + n_of_length[length] > 1 << length {
            return None;
        }
    }
    let codes = lengths.iter().map(|&length| {
        let code = next[length as usize];
        next[length as usize] += 1;
        code.reverse_bits() >> (u64::BITS - length)
    });
    Some(codes.collect())
}
