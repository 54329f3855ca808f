//! States of at most 64 bits: a state is its own number, permuted.

use quadrille_model::{ActionId, GroupId, Signature};

use super::slice::Form;
use crate::bits::Bits;
use crate::keys::{Coding, KeySet, Quotient, Shard};
use crate::packing::Packing;
use crate::steps::{self, WordSteps, pairs};

/// The steps of a model on states of one pair of words.
pub(super) struct Word {
    quotient: Quotient,
    steps: WordSteps,
    /// Steps of groups that may not have occurred yet.
    open: Option<WordSteps>,
    n_words: usize,
    /// Whether memory is worth time.
    is_frugal: bool,
}

impl Word {
    /// `None` if states are larger, or steps are not masks on one pair of words.
    pub(super) fn new(signature: &Signature, packing: &Packing, is_frugal: bool) -> Option<Self> {
        let steps = WordSteps::new(signature, packing)?;
        let n_words = packing.n_words();
        let quotient = Quotient::new(packing.highest_bit()).sharded();
        Some(Self { quotient, steps, open: None, n_words, is_frugal })
    }
}

impl Coding for Word {
    fn quotient(&self) -> Quotient {
        self.quotient
    }

    #[inline]
    fn scatter(&self, _: &Quotient, code: u64) -> u64 {
        code
    }

    fn gather(&self, _: &Quotient, bits: u64) -> u64 {
        bits
    }
}

impl Form for Word {
    type Met = KeySet;
    type Batch = Vec<u64>;
    type Routed = Vec<u64>;
    /// The successors of a state.
    type Scratch = Vec<u64>;

    fn share(&self) -> usize {
        if self.is_frugal { 96 } else { 16 }
    }

    fn begin(&self) -> KeySet {
        KeySet::new(self, self.is_frugal)
    }

    fn scratch(&self) -> Vec<u64> {
        vec![0; self.steps.most + 1]
    }

    fn enter(&self, words: &[u32], batch: &mut Vec<u64>) -> bool {
        batch.extend(pairs(words).next().map(|state| self.quotient.permuted(state)));
        true
    }

    fn words(&self, _: &KeySet, code: u64, words: &mut Vec<u32>) {
        let state = self.quotient.restored(code);
        words.extend(steps::words(&[state]).take(self.n_words));
    }

    fn batch_words(&self, batch: &Vec<u64>, position: usize, words: &mut Vec<u32>) {
        let state = self.quotient.restored(batch[position]);
        words.extend(steps::words(&[state]).take(self.n_words));
    }

    #[inline]
    fn expand(
        &self,
        _: &KeySet,
        targets: &mut Vec<u64>,
        code: u64,
        batch: &mut Vec<u64>,
        step: impl FnMut(GroupId, ActionId),
    ) -> Option<usize> {
        let state = self.quotient.restored(code);
        let n_targets = self.steps.expand(state, targets);
        let others = targets[..n_targets].iter().filter(|&&target| target != state);
        batch.extend(others.map(|&target| self.quotient.permuted(target)));
        if let Some(open) = &self.open {
            open.each(state, step);
        }
        Some(n_targets)
    }

    #[inline]
    fn route(&self, batch: &mut Vec<u64>, routed: &mut [Vec<u64>]) {
        for code in batch.drain(..) {
            routed[self.quotient.shard(code)].push(code);
        }
    }

    fn absorb_few(&self, met: &mut KeySet, batch: &Vec<u64>, fresh: &mut Vec<u64>) {
        met.absorb(self, batch, |&code| (self.quotient.shard(code), code), fresh);
    }

    fn absorb<'l>(
        &self,
        shard: &mut Shard,
        lists: impl Iterator<Item = (&'l Vec<u64>, &'l Vec<u64>)>,
        fresh: &mut Vec<u64>,
    ) {
        shard.absorb(self, lists.map(|(_, list)| &list[..]), fresh);
    }

    fn occur(&mut self, occurred: Option<&Bits>) {
        self.open = occurred.map(|groups| self.steps.without(groups));
    }
}
