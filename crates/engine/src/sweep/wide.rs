//! States of more than 64 bits as they are: packed, in as many stores as there are shards. A state is
//! known by the number of its shard and its number there, which follow from its content and from the
//! order of the search, whichever worker expands it.

use quadrille_model::{ActionId, GroupId, StateId};

use super::slice::{Bunch, Form};
use crate::bits::Bits;
use crate::keys::{SHARDS, Sharded};
use crate::packing::Packing;
use crate::steps::{PackedSteps, pairs};
use crate::store::{MAX_STATES, Store, hash};

/// States of more words are numbered one by one: the successors of a few would take much memory.
const MOST_WORDS: usize = 64;

/// The steps of a model on states of several pairs of words.
pub(super) struct Wide {
    steps: PackedSteps,
    n_words: usize,
    /// Groups that occurred, as long as that is asked for.
    occurred: Option<Bits>,
}

/// A set of states.
pub(super) struct States {
    shards: Vec<Shard>,
    length: usize,
}

/// The states of a set whose hashes end alike.
pub(super) struct Shard {
    number: usize,
    store: Store,
}

/// States with their hashes.
#[derive(Default)]
pub(super) struct Hashed {
    words: Vec<u32>,
    hashes: Vec<u64>,
    /// How many were sorted by shards.
    n_routed: usize,
}

/// A state and a successor, in pairs of words.
#[derive(Default)]
pub(super) struct Scratch {
    source: Vec<u64>,
    target: Vec<u64>,
}

impl Wide {
    /// `None` if states are too large.
    pub(super) fn new(steps: PackedSteps, packing: &Packing) -> Option<Self> {
        let n_words = packing.n_words();
        (n_words <= MOST_WORDS).then_some(Self { steps, n_words, occurred: None })
    }
}

/// The shard of a hash: by bits that a store looks at last.
#[inline]
fn shard_of(hash: u64) -> usize {
    hash as usize % SHARDS
}

/// Writes pairs of words as words.
#[inline]
fn unpair(pairs: &[u64], words: &mut [u32]) {
    for (words, &pair) in words.chunks_mut(2).zip(pairs) {
        words[0] = pair as u32;
        if let Some(high) = words.get_mut(1) {
            *high = (pair >> u32::BITS) as u32;
        }
    }
}

impl States {
    fn get(&self, code: u64) -> &[u32] {
        self.shards[(code >> u32::BITS) as usize].store.get(StateId::new(code as u32))
    }
}

impl Shard {
    /// Adds a state, and appends its code if it is new.
    #[inline]
    fn absorb(&mut self, words: &[u32], hash: u64, fresh: &mut Vec<u64>) {
        let n_states = self.store.len();
        let state = self.store.intern_one(words, hash, MAX_STATES);
        if let Some(new) = state.filter(|state| state.index() == n_states) {
            fresh.push((self.number as u64) << u32::BITS | u64::from(new.number()));
        }
    }
}

impl Sharded for States {
    type Shard = Shard;

    fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        let each = |shard: &Shard| shard.store.bytes() + size_of::<Shard>();
        self.shards.iter().map(each).sum()
    }

    fn shards(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    fn recount(&mut self) {
        self.length = self.shards.iter().map(|shard| shard.store.len()).sum();
    }
}

impl Bunch for Hashed {
    fn clear(&mut self) {
        self.words.clear();
        self.hashes.clear();
        self.n_routed = 0;
    }

    fn len(&self) -> usize {
        self.hashes.len()
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>() + self.hashes.capacity() * size_of::<u64>()
    }
}

impl Form for Wide {
    type Met = States;
    type Batch = Hashed;
    /// Positions in a batch.
    type Routed = Vec<u32>;
    type Scratch = Scratch;

    /// Successors are kept as they are: a round is small.
    fn share(&self) -> usize {
        48
    }

    fn successor_bytes(&self) -> usize {
        // Its words, its hash, and its position.
        (self.n_words + 1) * size_of::<u32>() + size_of::<u64>()
    }

    fn begin(&self) -> States {
        let shard = |number| Shard { number, store: Store::small(self.n_words) };
        States { shards: (0..SHARDS).map(shard).collect(), length: 0 }
    }

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn enter(&self, words: &[u32], batch: &mut Hashed) -> bool {
        batch.words.extend_from_slice(words);
        batch.hashes.push(hash(words));
        true
    }

    fn words(&self, met: &States, code: u64, out: &mut Vec<u32>) {
        out.extend_from_slice(met.get(code));
    }

    fn batch_words(&self, batch: &Hashed, position: usize, out: &mut Vec<u32>) {
        out.extend_from_slice(&batch.words[position * self.n_words..][..self.n_words]);
    }

    #[inline]
    fn expand(
        &self,
        met: &States,
        scratch: &mut Scratch,
        code: u64,
        batch: &mut Hashed,
        mut see: impl FnMut(GroupId, ActionId),
    ) -> Option<usize> {
        let Scratch { source, target } = scratch;
        source.clear();
        source.extend(pairs(met.get(code)));
        target.resize(source.len(), 0);
        let mut n_targets = 0;
        self.steps.each(source, |step| {
            n_targets += 1;
            target.copy_from_slice(source);
            self.steps.apply(step, target, |_| ());
            // Few pairs: a call that compares them would take longer.
            if target.iter().zip(&*source).any(|(after, before)| after != before) {
                let start = batch.words.len();
                batch.words.resize(start + self.n_words, 0);
                unpair(target, &mut batch.words[start..]);
                batch.hashes.push(hash(&batch.words[start..]));
            }
            if self.occurred.as_ref().is_some_and(|known| !known.contains(step.group.index())) {
                see(step.group, step.action);
            }
        });
        Some(n_targets)
    }

    fn route(&self, batch: &mut Hashed, routed: &mut [Vec<u32>]) {
        for (position, &hash) in batch.hashes.iter().enumerate().skip(batch.n_routed) {
            routed[shard_of(hash)].push(position as u32);
        }
        batch.n_routed = batch.hashes.len();
    }

    fn absorb_few(&self, met: &mut States, batch: &Hashed, fresh: &mut Vec<u64>) {
        let before = fresh.len();
        for &hash in &batch.hashes {
            met.shards[shard_of(hash)].store.touch(std::iter::once(hash));
        }
        for (words, &hash) in batch.words.chunks_exact(self.n_words).zip(&batch.hashes) {
            met.shards[shard_of(hash)].absorb(words, hash, fresh);
        }
        met.length += fresh.len() - before;
    }

    fn absorb<'l>(
        &self,
        shard: &mut Shard,
        lists: impl Iterator<Item = (&'l Hashed, &'l Vec<u32>)>,
        fresh: &mut Vec<u64>,
    ) {
        for (batch, positions) in lists {
            shard.store.touch(positions.iter().map(|&position| batch.hashes[position as usize]));
            for position in positions.iter().map(|&position| position as usize) {
                let words = &batch.words[position * self.n_words..][..self.n_words];
                shard.absorb(words, batch.hashes[position], fresh);
            }
        }
    }

    fn occur(&mut self, occurred: Option<&Bits>) {
        self.occurred = occurred.cloned();
    }
}
