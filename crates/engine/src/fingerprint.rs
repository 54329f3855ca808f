//! Numbers that stand for states where the states themselves are not kept. Two states may have the
//! same one, with a probability of one in 2^64. Knows nothing of models.

pub(crate) use quadrille_graph::mixed;

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
