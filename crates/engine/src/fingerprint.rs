//! Numbers that stand for states where the states themselves are not kept. Two states may have the
//! same one, with a probability of one in 2^64. Knows nothing of models.

/// The fingerprint of a state vector, or of its packed words; another seed gives an independent one.
#[inline]
pub(crate) fn fingerprint(words: &[u32], seed: u64) -> u64 {
    let mut hash = mixed(seed);
    for pair in words.chunks(2) {
        let word = u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        hash = mixed(hash ^ word);
    }
    mixed(hash ^ words.len() as u64)
}

/// A permutation of 64 bits in which every bit of the input changes half of the output (the last
/// steps of SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
#[inline]
pub(crate) fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
