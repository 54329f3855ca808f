//! A breadth-first walk that remembers only which states it met: eight bytes each, without numbers,
//! parents or edges. It serves as long as nothing is found. Where a visitor finds something, the
//! walk that knows the way to each state is made instead, and comes upon the same state first.
//!
//! Only for models whose steps are [masks](crate::steps) on a single word of 64 bits.

use std::ops::ControlFlow;

use quadrille_model::{ActionId, Bound, Counts, Explorer, GroupId, Model, Problem, Value};

use crate::bits::Bits;
use crate::explore::Visitor;
use crate::keys::KeySet;
use crate::limits::{Progress, Watch};
use crate::packing::Packing;
use crate::steps::{PackedSteps, WordSteps, pairs};

/// States whose successors are looked up together: enough for their cache misses to overlap.
const SLICE: usize = 32;

/// What a [`Visitor`] sees of a walk that keeps nothing.
#[derive(Clone, Copy, Debug)]
pub enum Sight<'a> {
    /// A state that was met for the first time, where a visitor [needs](Visitor::needs_states) them.
    State(&'a [Value]),
    /// A state without successor in which the system may not end.
    Deadlock,
    /// An edge of a group that had none before.
    Step(GroupId, ActionId),
}

/// What a walk that keeps nothing came to.
pub(crate) struct Swept {
    pub counts: Counts,
    pub bound: Option<Bound>,
}

/// Why a sweep ended before everything was seen.
enum Ended {
    Bound(Bound),
    /// A visitor found something, or something could not be computed.
    Found,
}

impl From<Bound> for Ended {
    fn from(bound: Bound) -> Self {
        Ended::Bound(bound)
    }
}

impl From<Box<Problem>> for Ended {
    fn from(_: Box<Problem>) -> Self {
        Ended::Found
    }
}

/// Walks through a model; `None` if that cannot be done so, or is not enough.
pub(crate) fn sweep(
    model: &dyn Model,
    visitors: &mut [&mut dyn Visitor],
    watch: &mut Watch<'_>,
) -> Option<Swept> {
    let signature = model.signature();
    // One key less than there are numbers: the set marks its free entries.
    if signature.packed_bits() >= u64::BITS || !visitors.iter().all(|visitor| visitor.can_sweep()) {
        return None;
    }
    let packing = Packing::new(signature);
    let mut sweep = Sweep {
        steps: WordSteps::new(&PackedSteps::new(signature, &packing)?, packing.n_words())?,
        n_open: signature.groups.len(),
        values: vec![0; packing.n_slots()],
        packing,
        explorer: model.explorer(),
        visitors,
        keys: KeySet::new(),
        level: Vec::new(),
        next: Vec::new(),
        batch: Vec::new(),
        occurred: Bits::none(signature.groups.len()),
        counts: Counts { depth: Some(0), ..Counts::default() },
    };
    let bound = match sweep.walk(watch) {
        Ok(()) => None,
        Err(Ended::Bound(bound)) => Some(bound),
        Err(Ended::Found) => return None,
    };
    sweep.counts.states = sweep.keys.len() as u64;
    sweep.counts.bytes = sweep.bytes();
    Some(Swept { counts: sweep.counts, bound })
}

struct Sweep<'a, 'v> {
    steps: WordSteps,
    packing: Packing,
    explorer: Box<dyn Explorer + 'a>,
    visitors: &'a mut [&'v mut dyn Visitor],
    keys: KeySet,
    /// The states of the current depth and those of the next one that were met so far.
    level: Vec<u64>,
    next: Vec<u64>,
    /// Scratch: successors of a slice, a state vector.
    batch: Vec<u64>,
    values: Vec<Value>,
    /// Groups that made a step, and how many made none.
    occurred: Bits,
    n_open: usize,
    counts: Counts,
}

impl Sweep<'_, '_> {
    fn walk(&mut self, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let Self { explorer, packing, batch, .. } = self;
        let mut words = Vec::new();
        explorer.each_initial(|state| {
            words.clear();
            packing.pack(state, &mut words);
            batch.extend(pairs(&words));
        })?;
        self.absorb()?;
        while !self.next.is_empty() {
            self.level.clear();
            std::mem::swap(&mut self.level, &mut self.next);
            let mut start = 0;
            while start < self.level.len() {
                let end = self.level.len().min(start + SLICE);
                self.expand(start..end)?;
                self.absorb()?;
                start = end;
                for _ in 0..SLICE {
                    watch.check(self.keys.len(), || Progress {
                        states: self.keys.len() as u64,
                        transitions: self.counts.transitions,
                        depth: self.counts.depth,
                        frontier: (self.level.len() - start + self.next.len()) as u64,
                        bytes: self.bytes(),
                    })?;
                }
            }
            if !self.next.is_empty() {
                self.counts.depth = self.counts.depth.map(|depth| depth + 1);
            }
        }
        Ok(())
    }

    /// Computes the successors of a slice of the level.
    fn expand(&mut self, slice: std::ops::Range<usize>) -> Result<(), Ended> {
        let mut n_targets = 0;
        self.batch.resize(slice.len() * self.steps.most + 1, 0);
        for position in slice {
            let source = self.level[position];
            let n_own = self.steps.expand(source, &mut self.batch[n_targets..]);
            if n_own == 0 && !self.may_end(source)? {
                self.counts.deadlocks += 1;
                self.show(Sight::Deadlock)?;
            }
            if self.n_open > 0 {
                self.occur(source)?;
            }
            n_targets += n_own;
        }
        self.batch.truncate(n_targets);
        self.counts.transitions += n_targets as u64;
        Ok(())
    }

    /// Shows steps of groups that had none before.
    fn occur(&mut self, source: u64) -> Result<(), Ended> {
        let mut first = Vec::new();
        self.steps.each(source, |group, action| {
            if self.occurred.insert(group.index()) {
                first.push((group, action));
            }
        });
        self.n_open -= first.len();
        first.into_iter().try_for_each(|(group, action)| self.show(Sight::Step(group, action)))
    }

    /// Adds the successors to the states that were met, and shows the new ones.
    fn absorb(&mut self) -> Result<(), Ended> {
        let (before, next) = (self.next.len(), &mut self.next);
        self.keys.absorb(&self.batch, |key| next.push(key));
        self.batch.clear();
        if self.visitors.iter().any(|visitor| visitor.needs_states()) {
            for position in before..self.next.len() {
                self.unpack(self.next[position]);
                let values = std::mem::take(&mut self.values);
                let shown = self.show(Sight::State(&values));
                self.values = values;
                shown?;
            }
        }
        Ok(())
    }

    fn may_end(&mut self, state: u64) -> Result<bool, Ended> {
        self.unpack(state);
        Ok(self.explorer.may_end(&self.values)?)
    }

    fn unpack(&mut self, state: u64) {
        self.packing.unpack(&[state as u32, (state >> 32) as u32], &mut self.values);
    }

    fn show(&mut self, sight: Sight<'_>) -> Result<(), Ended> {
        let mut all = self.visitors.iter_mut();
        match all.try_for_each(|visitor| visitor.swept(sight)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(_) => Err(Ended::Found),
        }
    }

    fn bytes(&self) -> u64 {
        let lists = self.level.capacity() + self.next.capacity() + self.batch.capacity();
        let own: usize = self.visitors.iter().map(|visitor| visitor.bytes()).sum();
        (self.keys.bytes() + lists * size_of::<u64>() + own) as u64
    }
}

#[cfg(test)]
mod tests;
