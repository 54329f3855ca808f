//! States of at most 64 bits: a state is its own number, permuted.

use quadrille_model::{ActionId, GroupId, Signature};

use super::slice::Form;
use crate::bits::Bits;
use crate::keys::{Coding, Quotient};
use crate::packing::Packing;
use crate::steps::{WordSteps, pairs};

/// The steps of a model on states of one pair of words.
pub(super) struct Word {
    quotient: Quotient,
    steps: WordSteps,
    /// Steps of groups that may not have occurred yet.
    open: Option<WordSteps>,
    n_words: usize,
}

impl Word {
    /// `None` if states are larger, or steps are not masks on one pair of words.
    pub(super) fn new(signature: &Signature, packing: &Packing) -> Option<Self> {
        let steps = WordSteps::new(signature, packing)?;
        let n_words = packing.n_words();
        let quotient = Quotient::new(packing.highest_bit()).sharded();
        Some(Self { quotient, steps, open: None, n_words })
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
    type Met = u64;
    /// The successors of a state.
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        vec![0; self.steps.most + 1]
    }

    fn code(&self, met: u64) -> u64 {
        met
    }

    #[inline]
    fn shard(&self, met: u64) -> usize {
        self.quotient.shard(met)
    }

    fn enter(&self, words: &[u32]) -> Option<u64> {
        pairs(words).next().map(|state| self.quotient.permuted(state))
    }

    fn words(&self, code: u64, words: &mut Vec<u32>) {
        let state = self.quotient.restored(code);
        words.extend([state as u32, (state >> u32::BITS) as u32].into_iter().take(self.n_words));
    }

    #[inline]
    fn expand(
        &self,
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

    fn occur(&mut self, occurred: Option<&Bits>) {
        self.open = occurred.map(|groups| self.steps.without(groups));
    }
}
