//! The states that were met: a run per level, and runs of several levels, so that there are never many to
//! look into. Sizes of merged runs grow like a geometric series (O'Neil et al., *The log-structured
//! merge-tree*, 1996); runs that are large beside all others are left as they are.

use std::ops::Range;

use super::folder::Trouble;
use super::key::Key;
use super::run::Run;

/// Runs up to which nothing is merged; and with which something is, whatever the sizes.
const FEW: usize = if cfg!(test) { 3 } else { 24 };
const MANY: usize = 2 * FEW;
/// Sizes below this are taken for this.
const SMALL: u64 = 1 << 10;

/// All states that were met, by level.
pub(super) struct Visited<K> {
    /// A run per level. Empty where it was dropped.
    pub levels: Vec<Run<K>>,
    /// States of each level.
    pub sizes: Vec<u64>,
    parts: Vec<Part<K>>,
    /// Whether runs of levels are kept when they are merged.
    keeps_levels: bool,
    pub n: u64,
}

/// States of some levels that follow each other.
pub(super) struct Part<K> {
    pub levels: Range<usize>,
    /// Their run, if it is not that of the one level.
    pub merged: Option<Run<K>>,
}

impl<K: Key> Visited<K> {
    pub fn new(keeps_levels: bool) -> Self {
        Self { levels: Vec::new(), sizes: Vec::new(), parts: Vec::new(), keeps_levels, n: 0 }
    }

    /// Adds the states of the next level.
    pub fn add(&mut self, level: Run<K>) {
        let number = self.levels.len();
        self.n += level.n;
        self.sizes.push(level.n);
        self.levels.push(level);
        self.parts.push(Part { levels: number..number + 1, merged: None });
    }

    /// Puts a run in the place of the parts that hold its levels. Says which run is not needed then.
    pub fn replace(&mut self, levels: Range<usize>, run: Run<K>) -> Vec<Run<K>> {
        let is_in =
            |part: &Part<K>| levels.start <= part.levels.start && part.levels.end <= levels.end;
        let Some(first) = self.parts.iter().position(is_in) else { return Vec::new() };
        let behind = first + self.parts[first..].iter().take_while(|part| is_in(part)).count();
        let new = Part { levels: levels.clone(), merged: Some(run) };
        let old = self.parts.splice(first..behind, [new]);
        let unused = old.filter_map(|part| part.merged).collect();
        if !self.keeps_levels {
            self.levels[levels].iter_mut().for_each(|level| *level = Run::empty());
        }
        unused
    }

    /// The run of a part.
    pub fn run(&self, part: usize) -> &Run<K> {
        let part = &self.parts[part];
        part.merged.as_ref().unwrap_or(&self.levels[part.levels.start])
    }

    /// Runs of several levels, with the levels.
    pub fn merged(&self) -> impl Iterator<Item = (&Run<K>, Range<usize>)> {
        self.parts.iter().filter_map(|part| Some((part.merged.as_ref()?, part.levels.clone())))
    }

    /// Whether the run of a level is there.
    pub fn has_level(&self, level: usize) -> bool {
        self.levels[level].n == self.sizes[level]
    }

    /// Two neighbouring parts that are to be merged, and the levels they hold.
    pub fn to_merge(&self) -> Option<(usize, Range<usize>)> {
        if self.parts.len() <= FEW {
            return None;
        }
        let size = |part: usize| self.run(part).n.max(SMALL);
        let alike = |&first: &usize| {
            let (one, other) = (size(first), size(first + 1));
            one.max(other) <= 2 * one.min(other)
        };
        let pairs = || 0..self.parts.len() - 1;
        let total = |first: &usize| size(*first) + size(*first + 1);
        let best = pairs().filter(alike).min_by_key(total);
        let any = || (self.parts.len() > MANY).then(|| pairs().min_by_key(total)).flatten();
        let first = best.or_else(any)?;
        // The newest of those that are open level by level stays: it is expanded next.
        let levels = self.parts[first].levels.start..self.parts[first + 1].levels.end;
        (levels.end < self.levels.len()).then_some((first, levels))
    }

    /// Takes the states that were met out of sorted candidates between `low` and `high`.
    pub fn subtract(
        &self,
        (low, high): (Option<&K>, Option<&K>),
        candidates: &mut Vec<K>,
        scratch: &mut Scratch<K>,
    ) -> Result<(), Trouble> {
        for part in (0..self.parts.len()).rev() {
            if candidates.is_empty() {
                break;
            }
            subtract(self.run(part), (low, high), candidates, scratch)?;
        }
        Ok(())
    }

    /// Bytes in memory.
    pub fn memory(&self) -> usize {
        let merged: usize = self.merged().map(|(run, _)| run.memory()).sum();
        merged + self.levels.iter().map(Run::memory).sum::<usize>()
    }

    /// Bytes of coded states, wherever they are.
    pub fn coded(&self) -> u64 {
        let merged: u64 = self.merged().map(|(run, _)| run.coded()).sum();
        merged + self.levels.iter().map(Run::coded).sum::<u64>()
    }
}

/// What taking out uses again.
pub(super) struct Scratch<K> {
    pub keys: Vec<K>,
    kept: Vec<K>,
}

impl<K> Default for Scratch<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), kept: Vec::new() }
    }
}

/// Takes the keys of a run out of sorted candidates; blocks in which there can be none are not read.
fn subtract<K: Key>(
    run: &Run<K>,
    (low, high): (Option<&K>, Option<&K>),
    candidates: &mut Vec<K>,
    scratch: &mut Scratch<K>,
) -> Result<(), Trouble> {
    let blocks = run.overlapping(low, high);
    let is_dense = candidates.len() > blocks.len();
    let (mut reader, mut rest) = (run.reader(), &candidates[..]);
    scratch.kept.clear();
    for position in blocks.clone() {
        let n_before = rest.partition_point(|key| *key < run.blocks[position].first);
        let (before, from) = rest.split_at(n_before);
        scratch.kept.extend_from_slice(before);
        let n_within = match run.blocks.get(position + 1) {
            Some(next) => from.partition_point(|key| *key < next.first),
            None => from.len(),
        };
        let (within, behind) = from.split_at(n_within);
        if !within.is_empty() {
            let last = if is_dense { blocks.end } else { position + 1 };
            reader.read(position, last, &mut scratch.keys)?;
            keep_others(within, &scratch.keys, &mut scratch.kept);
        }
        rest = behind;
    }
    scratch.kept.extend_from_slice(rest);
    std::mem::swap(candidates, &mut scratch.kept);
    Ok(())
}

/// Appends the keys that are not among others; both are sorted.
fn keep_others<K: Key>(keys: &[K], others: &[K], kept: &mut Vec<K>) {
    if keys.len() * 16 < others.len() {
        kept.extend(keys.iter().filter(|key| others.binary_search(key).is_err()).cloned());
        return;
    }
    let (mut here, mut there) = (0, 0);
    while here < keys.len() && there < others.len() {
        let (key, other) = (&keys[here], &others[there]);
        if key < other {
            kept.push(key.clone());
        }
        let (moves_key, moves_other) = (key <= other, other <= key);
        here += usize::from(moves_key);
        there += usize::from(moves_other);
    }
    kept.extend_from_slice(&keys[here..]);
}
