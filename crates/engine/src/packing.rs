//! State vectors as few 32-bit words, derived from the signature. Knows nothing of where the words
//! are kept.

use quadrille_model::{GroupId, Signature, SlotId, Value};

use crate::order::{slot_order, touched_by_any};

/// How a state vector is packed into words, and how a successor is packed from its source.
#[derive(Clone, Debug)]
pub struct Packing {
    n_slots: usize,
    n_words: usize,
    /// In order of slots.
    parts: Vec<Part>,
    /// The parts of each group's written slots, one group after the other.
    written: Vec<Part>,
    /// Where each group's parts start in `written`; one entry more than there are groups.
    offsets: Vec<u32>,
}

/// Where some bits of a slot live. A slot has one part, or two if it straddles words; a slot of
/// a domain with a single value still has one, of no bits, so that wrong values are noticed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    slot: u32,
    pub word: u32,
    /// Bits of the value below this part.
    pub skip: u8,
    /// Where the part starts in its word.
    pub shift: u8,
    /// As many ones as the part has bits.
    pub mask: u32,
    /// Bits that no value of the slot may have.
    pub forbidden: Value,
}

impl Part {
    #[inline]
    fn put(self, value: Value, words: &mut [u32]) {
        let word = &mut words[self.word as usize];
        *word = *word & !(self.mask << self.shift) | (value >> self.skip & self.mask) << self.shift;
    }

    #[inline]
    fn take(self, words: &[u32]) -> Value {
        (words[self.word as usize] >> self.shift & self.mask) << self.skip
    }
}

impl Packing {
    /// The packing of a model's states; its groups say what a successor may change.
    pub fn new(signature: &Signature) -> Self {
        let bits: Vec<u32> = signature.slots.iter().map(|slot| slot.domain.bits()).collect();
        let n_words = (signature.packed_bits().div_ceil(u32::BITS) as usize).max(1);
        let parts = match n_words {
            0..=2 => place_whole(&bits, n_words),
            _ => place_in_pairs(signature, &bits, n_words),
        };
        let parts = parts.unwrap_or_else(|| place_straddling(&bits));
        Self::of_parts(signature, n_words, parts)
    }

    /// A packing whose pairs of words, the last one first, make a number: states that differ only in
    /// slots that the same groups touch lie close together, and the slots that no group touches have the
    /// lowest bits, the last of them the lowest of all. No slot straddles pairs.
    pub(crate) fn sorted(signature: &Signature) -> Self {
        let (mut parts, mut at) = (Vec::new(), 0);
        let mut order = slot_order(signature);
        let is_touched = touched_by_any(signature);
        order.sort_by_key(|slot| match is_touched[slot.index()] {
            true => None,
            false => Some(slot.index()),
        });
        for slot in order.into_iter().rev() {
            let bits = signature.slot(slot).domain.bits();
            if at % u64::BITS + bits > u64::BITS {
                at = at.next_multiple_of(u64::BITS);
            }
            place(slot.index(), bits, at, &mut parts);
            at += bits;
        }
        parts.sort_by_key(|part| (part.slot, part.skip));
        let n_pairs = at.div_ceil(u64::BITS).max(1);
        Self::of_parts(signature, 2 * n_pairs as usize, parts)
    }

    fn of_parts(signature: &Signature, n_words: usize, parts: Vec<Part>) -> Self {
        let mut written = Vec::new();
        let mut offsets = vec![0];
        for group in &signature.groups {
            for slot in group.may_write() {
                written.extend_from_slice(parts_of(&parts, slot));
            }
            offsets.push(u32::try_from(written.len()).expect("fewer than 2^32 written slots"));
        }
        Self { n_slots: signature.n_slots(), n_words, parts, written, offsets }
    }

    /// Words of every packed state: as few as [`Signature::packed_bits`] needs, but at least one.
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// Length of every state vector.
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// How many bits of the words, from the lowest of the first word on, may be set.
    pub(crate) fn highest_bit(&self) -> u32 {
        let end =
            |part: &Part| part.word * u32::BITS + u32::from(part.shift) + part.mask.count_ones();
        self.parts.iter().map(end).max().unwrap_or(0)
    }

    /// Where the bits of a slot live.
    pub(crate) fn parts_of(&self, slot: SlotId) -> &[Part] {
        parts_of(&self.parts, slot)
    }

    /// Packs a state and appends it.
    pub fn pack(&self, state: &[Value], words: &mut Vec<u32>) {
        assert_eq!(state.len(), self.n_slots, "a bug in the model: a state of the wrong length");
        let start = words.len();
        words.resize(start + self.n_words, 0);
        put_all(&self.parts, state, &mut words[start..]);
    }

    /// Packs a successor and appends it, given its packed source and the group that made the
    /// step: only slots that the group writes are looked at.
    #[inline]
    pub fn pack_successor(
        &self,
        source: &[u32],
        group: GroupId,
        state: &[Value],
        words: &mut Vec<u32>,
    ) {
        let start = words.len();
        words.extend_from_slice(source);
        let (from, to) = (self.offsets[group.index()], self.offsets[group.index() + 1]);
        put_all(&self.written[from as usize..to as usize], state, &mut words[start..]);
    }

    /// Whether these words are a state, packed.
    pub(crate) fn holds(&self, words: &[u32], state: &[Value]) -> bool {
        let mut packed = Vec::with_capacity(self.n_words);
        self.pack(state, &mut packed);
        packed == words
    }

    /// Unpacks a whole state into a vector of the right length.
    #[inline]
    pub fn unpack(&self, words: &[u32], state: &mut [Value]) {
        state.fill(0);
        for part in &self.parts {
            state[part.slot as usize] |= part.take(words);
        }
    }
}

/// The parts of a slot, of parts in order of slots.
fn parts_of(parts: &[Part], slot: SlotId) -> &[Part] {
    let first = parts.partition_point(|part| part.slot < slot.number());
    let behind = parts.partition_point(|part| part.slot <= slot.number());
    &parts[first..behind]
}

#[inline]
fn put_all(parts: &[Part], state: &[Value], words: &mut [u32]) {
    let mut wrong = 0;
    for part in parts {
        let value = state[part.slot as usize];
        wrong |= value & part.forbidden;
        part.put(value, words);
    }
    assert!(wrong == 0, "a bug in the model: a value outside its slot's domain in {state:?}");
}

fn ones(bits: u32) -> u32 {
    u32::MAX.checked_shr(u32::BITS - bits).unwrap_or(0)
}

/// First fit, largest first: every slot in one word. `None` if that takes more words than needed.
fn place_whole(bits: &[u32], n_words: usize) -> Option<Vec<Part>> {
    let mut order: Vec<usize> = (0..bits.len()).collect();
    order.sort_by_key(|&slot| std::cmp::Reverse(bits[slot]));
    let mut used = vec![0; n_words];
    let mut parts = Vec::with_capacity(bits.len());
    for slot in order {
        let word = used.iter().position(|used| used + bits[slot] <= u32::BITS)?;
        parts.push(Part {
            slot: slot as u32,
            word: word as u32,
            skip: 0,
            // A full word takes another slot of no bits; its shift must stay below 32.
            shift: (used[word] % u32::BITS) as u8,
            mask: ones(bits[slot]),
            forbidden: !ones(bits[slot]),
        });
        used[word] += bits[slot];
    }
    parts.sort_by_key(|part| part.slot);
    Some(parts)
}

/// First fit: every slot in one pair of words, beside slots that steps change together with it. `None` if
/// that takes more words than needed.
fn place_in_pairs(signature: &Signature, bits: &[u32], n_words: usize) -> Option<Vec<Part>> {
    let related: Vec<usize> = slot_order(signature).into_iter().map(SlotId::index).collect();
    let mut largest_first = related.clone();
    largest_first.sort_by_key(|&slot| std::cmp::Reverse(bits[slot]));
    [related, largest_first].iter().find_map(|order| {
        let mut used = vec![0; n_words.div_ceil(2)];
        let mut parts = Vec::with_capacity(bits.len());
        for &slot in order {
            let room = |pair: usize| u32::BITS * (n_words - 2 * pair).min(2) as u32;
            let pair = (0..used.len()).find(|&pair| used[pair] + bits[slot] <= room(pair))?;
            place(slot, bits[slot], pair as u32 * u64::BITS + used[pair], &mut parts);
            used[pair] += bits[slot];
        }
        parts.sort_by_key(|part| (part.slot, part.skip));
        Some(parts)
    })
}

/// One slot after the other, without a gap.
fn place_straddling(bits: &[u32]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(bits.len());
    let mut at = 0;
    for (slot, &bits) in bits.iter().enumerate() {
        place(slot, bits, at, &mut parts);
        at += bits;
    }
    parts
}

/// Places a slot from a bit on.
fn place(slot: usize, bits: u32, mut at: u32, parts: &mut Vec<Part>) {
    let (mut skip, mut left) = (0, bits);
    loop {
        // A slot of no bits behind a full last word must not name a word that is not there.
        let position = if left == 0 { 0 } else { at };
        let shift = position % u32::BITS;
        let taken = left.min(u32::BITS - shift);
        parts.push(Part {
            slot: slot as u32,
            word: position / u32::BITS,
            skip: skip as u8,
            shift: shift as u8,
            mask: ones(taken),
            forbidden: !ones(bits),
        });
        at += taken;
        skip += taken;
        left -= taken;
        if left == 0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests;
