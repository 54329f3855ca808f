//! Ranking by counting. Does not know who counts the keys.

use super::problem::{ITERATIONS, Key};

/// What IS finds out.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// Per iteration, the ranks of the probed keys.
    pub probed: Vec<[usize; 5]>,
    /// The keys as they were ranked last.
    parts: Vec<Part>,
    /// Per key value, how many of those keys are at most that.
    ends: Vec<u32>,
}

/// Keys of one worker and how often each value occurs among them. Travels between master and worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    keys: Vec<Key>,
    counts: Vec<u32>,
}

impl Part {
    pub(super) fn new(keys: Vec<Key>, key_bound: usize) -> Self {
        Self { keys, counts: vec![0; key_bound] }
    }

    /// Counts the keys anew.
    pub(super) fn count(&mut self) {
        self.counts.fill(0);
        for key in &self.keys {
            self.counts[*key as usize] += 1;
        }
    }
}

impl Answer {
    /// Puts every key where its last rank says, and counts places that are empty or out of order.
    pub(super) fn misplaced(&self) -> usize {
        let mut ends = self.ends.clone();
        let len = self.parts.iter().map(|part| part.keys.len()).sum();
        let mut sorted: Vec<Option<Key>> = vec![None; len];
        for key in self.parts.iter().flat_map(|part| &part.keys) {
            let end = &mut ends[*key as usize];
            *end -= 1;
            sorted[*end as usize] = Some(*key);
        }
        let empty = sorted.iter().filter(|key| key.is_none()).count();
        empty + sorted.windows(2).filter(|pair| pair[0] > pair[1]).count()
    }
}

/// Ranks the keys of all parts, ten times, with two keys changed each time.
pub(super) fn solve<E>(
    mut parts: Vec<Part>,
    key_bound: usize,
    probes: &[usize; 5],
    mut count: impl FnMut(&mut Vec<Part>) -> Result<(), E>,
) -> Result<Answer, E> {
    let mut probed = Vec::with_capacity(ITERATIONS);
    let mut ends = vec![0_u32; key_bound];
    for iteration in 1..=ITERATIONS {
        *key_at(&mut parts, iteration) = iteration as Key;
        *key_at(&mut parts, iteration + ITERATIONS) = (key_bound - iteration) as Key;
        count(&mut parts)?;
        accumulate(&parts, &mut ends);
        // The rank of a key is the number of smaller ones.
        probed.push(probes.map(|probe| match *key_at(&mut parts, probe) as usize {
            0 => 0,
            key => ends[key - 1] as usize,
        }));
    }
    Ok(Answer { probed, parts, ends })
}

fn key_at(parts: &mut [Part], mut place: usize) -> &mut Key {
    let mut index = 0;
    while place >= parts[index].keys.len() {
        place -= parts[index].keys.len();
        index += 1;
    }
    &mut parts[index].keys[place]
}

/// Per key value, how many keys are at most that.
fn accumulate(parts: &[Part], ends: &mut [u32]) {
    ends.fill(0);
    for part in parts {
        for (end, count) in ends.iter_mut().zip(&part.counts) {
            *end += count;
        }
    }
    let mut total = 0;
    for end in ends {
        total += *end;
        *end = total;
    }
}
