//! The states that were met, in a few runs of levels that follow each other. What is merged says of each
//! state to which level it belongs. Sizes grow like a geometric series (O'Neil et al., *The log-structured
//! merge-tree*, 1996), so that a state is not merged often.

use std::ops::Range;

use super::folder::Trouble;
use super::key::Key;
use super::run::{Run, Writing};
use crate::workers::Workers;

/// Runs up to which nothing is merged; and with which something is, whatever the sizes.
const FEW: usize = if cfg!(test) { 2 } else { 6 };
const MANY: usize = 2 * FEW;
/// Sizes below this are taken for this.
const SMALL: u64 = 1 << 10;
/// Blocks of both runs that are merged together.
const RANGE: usize = if cfg!(test) { 2 } else { 64 };

/// All states that were met.
pub(super) struct Visited<K> {
    /// States of each level.
    pub sizes: Vec<u64>,
    pub parts: Vec<Part<K>>,
    pub n: u64,
}

/// States of some levels that follow each other.
pub(super) struct Part<K> {
    pub levels: Range<usize>,
    pub run: Run<K>,
}

impl<K: Key> Visited<K> {
    pub fn new() -> Self {
        Self { sizes: Vec::new(), parts: Vec::new(), n: 0 }
    }

    /// Adds the states of the next level.
    pub fn add(&mut self, level: Run<K>) {
        let number = self.sizes.len();
        self.n += level.n;
        self.sizes.push(level.n);
        self.parts.push(Part { levels: number..number + 1, run: level });
    }

    /// The deepest level.
    pub fn last(&self) -> Option<&Run<K>> {
        self.parts.last().map(|part| &part.run)
    }

    /// The parts that hold states of a level.
    pub fn with_level(&self, level: usize) -> impl Iterator<Item = &Part<K>> {
        self.parts.iter().filter(move |part| part.levels.contains(&level))
    }

    /// The first of two neighbouring parts that are to be merged. The deepest level is none of them: it
    /// is expanded next.
    pub fn to_merge(&self) -> Option<usize> {
        if self.parts.len() <= FEW + 1 {
            return None;
        }
        let size = |part: usize| self.parts[part].run.n.max(SMALL);
        let alike = |&first: &usize| {
            let (one, other) = (size(first), size(first + 1));
            one.max(other) <= 2 * one.min(other)
        };
        let pairs = || 0..self.parts.len() - 2;
        let total = |first: &usize| size(*first) + size(*first + 1);
        let best = pairs().filter(alike).min_by_key(total);
        let any = || (self.parts.len() > MANY).then(|| pairs().min_by_key(total)).flatten();
        best.or_else(any)
    }

    /// Puts a run in the place of two parts.
    pub fn replace(&mut self, first: usize, run: Run<K>) {
        let levels = self.parts[first].levels.start..self.parts[first + 1].levels.end;
        drop(self.parts.splice(first..first + 2, [Part { levels, run }]));
    }

    /// Takes the states that were met out of sorted candidates between `low` and `high`.
    pub fn subtract(
        &self,
        (low, high): (Option<&K>, Option<&K>),
        candidates: &mut Vec<K>,
        scratch: &mut Scratch<K>,
    ) -> Result<(), Trouble> {
        for part in self.parts.iter().rev() {
            if candidates.is_empty() {
                break;
            }
            subtract(&part.run, (low, high), candidates, scratch)?;
        }
        Ok(())
    }

    /// Bytes in memory.
    pub fn memory(&self) -> usize {
        self.parts.iter().map(|part| part.run.memory()).sum()
    }

    /// Bytes of coded states, wherever they are.
    pub fn coded(&self) -> u64 {
        self.parts.iter().map(|part| part.run.coded()).sum()
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
        if rest.is_empty() {
            break;
        }
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

/// Merges two parts, whose states differ, and hands over the pieces in order.
pub(super) fn merge<K: Key>(
    parts: [&Part<K>; 2],
    workers: Workers,
    mut between: impl FnMut(),
    mut take: impl FnMut(Run<K>) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let firsts = parts.iter().flat_map(|part| &part.run.blocks).map(|block| block.first.clone());
    let mut firsts: Vec<K> = firsts.collect();
    firsts.sort();
    let borders: Vec<K> = firsts.into_iter().skip(RANGE).step_by(RANGE).collect();
    let ranges: Vec<_> = (0..=borders.len())
        .map(|number| (number.checked_sub(1).map(|it| &borders[it]), borders.get(number)))
        .collect();
    workers.in_order(
        &ranges,
        || (Tagged::default(), Tagged::default()),
        |(one, other), &range| {
            one.read(parts[0], range)?;
            other.read(parts[1], range)?;
            Ok(one.merged(other))
        },
        || {
            between();
            true
        },
        |merged: Result<Run<K>, Trouble>| take(merged?),
    )
}

/// States with their levels.
struct Tagged<K> {
    keys: Vec<K>,
    tags: Vec<u32>,
    block: Vec<K>,
    of_block: Vec<u32>,
}

impl<K> Default for Tagged<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), tags: Vec::new(), block: Vec::new(), of_block: Vec::new() }
    }
}

impl<K: Key> Tagged<K> {
    fn read(
        &mut self,
        part: &Part<K>,
        (low, high): (Option<&K>, Option<&K>),
    ) -> Result<(), Trouble> {
        self.keys.clear();
        self.tags.clear();
        let blocks = part.run.overlapping(low, high);
        let mut reader = part.run.reader();
        for position in blocks.clone() {
            reader.read_tagged(position, blocks.end, &mut self.block, Some(&mut self.of_block))?;
            if self.of_block.is_empty() {
                self.of_block.resize(self.block.len(), part.levels.start as u32);
            }
            let start = low.map_or(0, |low| self.block.partition_point(|key| key < low));
            let end =
                high.map_or(self.block.len(), |high| self.block.partition_point(|key| key < high));
            self.keys.extend_from_slice(&self.block[start..end]);
            self.tags.extend_from_slice(&self.of_block[start..end]);
        }
        Ok(())
    }

    fn merged(&self, other: &Self) -> Run<K> {
        let mut writing = Writing::default();
        let (mut here, mut there) = (0, 0);
        loop {
            let takes_own = match (self.keys.get(here), other.keys.get(there)) {
                (Some(key), Some(other)) => key < other,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            if takes_own {
                writing.push_tagged(self.keys[here].clone(), self.tags[here]);
            } else {
                writing.push_tagged(other.keys[there].clone(), other.tags[there]);
            }
            here += usize::from(takes_own);
            there += usize::from(!takes_own);
        }
        writing.end()
    }
}
