//! Some states of a sweep, expanded: what a worker does by itself, and what it leaves.

use quadrille_model::{ActionId, Explorer, GroupId, Model, Problem, Value};

use super::FEW;
use crate::bits::Bits;
use crate::keys::{SHARDS, Sharded};
use crate::packing::Packing;

/// Successors in a row.
pub(super) trait Bunch: Default + Send + Sync {
    fn clear(&mut self);

    fn len(&self) -> usize;

    /// Bytes allocated.
    fn bytes(&self) -> usize;
}

impl<T: Send + Sync> Bunch for Vec<T> {
    fn clear(&mut self) {
        self.clear();
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

/// What a state is kept as, and how it is expanded. A state that was met has a number, its code.
pub(super) trait Form: Sync {
    /// The states that were met.
    type Met: Sharded;
    /// The successors of a few states.
    type Batch: Bunch;
    /// Successors that belong to one shard.
    type Routed: Bunch;
    /// What a worker has for itself.
    type Scratch;

    /// A round is so large that its successors are to all states that were met as one is to this: more
    /// would take memory, with fewer each line of a shard is fetched more often.
    fn share(&self) -> usize;

    /// Bytes of a successor in a batch.
    fn successor_bytes(&self) -> usize {
        size_of::<u64>()
    }

    /// No states.
    fn begin(&self) -> Self::Met;

    fn scratch(&self) -> Self::Scratch;

    /// Adds the state with these packed words to a batch, if there is room.
    fn enter(&self, words: &[u32], batch: &mut Self::Batch) -> bool;

    /// The packed words of a state.
    fn words(&self, met: &Self::Met, code: u64, words: &mut Vec<u32>);

    /// The packed words of a state in a batch.
    fn batch_words(&self, batch: &Self::Batch, position: usize, words: &mut Vec<u32>);

    /// Appends the successors of a state other than itself, in the order of groups, and says how many
    /// there are with itself. Shows the steps of groups that may not have [occurred](Form::occur) yet.
    /// `None` if there was no room for all successors.
    fn expand(
        &self,
        met: &Self::Met,
        scratch: &mut Self::Scratch,
        code: u64,
        batch: &mut Self::Batch,
        step: impl FnMut(GroupId, ActionId),
    ) -> Option<usize>;

    /// Sorts what is new in a batch by shards.
    fn route(&self, batch: &mut Self::Batch, routed: &mut [Self::Routed]);

    /// Adds a batch, and appends the codes of the states that are new, in order.
    fn absorb_few(&self, met: &mut Self::Met, batch: &Self::Batch, fresh: &mut Vec<u64>);

    /// Adds states of a shard, list after list, each with the batch it is of, and appends the codes of
    /// those that are new.
    fn absorb<'l>(
        &self,
        shard: &mut <Self::Met as Sharded>::Shard,
        lists: impl Iterator<Item = (&'l Self::Batch, &'l Self::Routed)>,
        fresh: &mut Vec<u64>,
    ) where
        Self::Batch: 'l,
        Self::Routed: 'l;

    /// Says which groups have occurred; `None` if that is not asked for any more.
    fn occur(&mut self, occurred: Option<&Bits>);

    /// Makes room, unless it is told to stop.
    fn grow(&mut self, goes_on: &mut dyn FnMut() -> bool) {
        let _ = goes_on;
    }

    /// Bytes allocated beside the states that were met.
    fn bytes(&self) -> usize {
        0
    }
}

/// What a worker has for itself.
pub(super) struct Own<'a, F: Form> {
    pub explorer: Box<dyn Explorer + 'a>,
    packing: &'a Packing,
    pub values: Vec<Value>,
    words: Vec<u32>,
    scratch: F::Scratch,
    /// Groups whose steps were noted already.
    noted: Bits,
}

impl<'a, F: Form> Own<'a, F> {
    pub(super) fn new(form: &F, model: &'a dyn Model, packing: &'a Packing) -> Self {
        Self {
            explorer: model.explorer(),
            packing,
            values: vec![0; packing.n_slots()],
            words: Vec::new(),
            scratch: form.scratch(),
            noted: Bits::none(model.signature().groups.len()),
        }
    }

    /// The vector of a state.
    pub(super) fn unpack(&mut self, form: &F, met: &F::Met, code: u64) {
        self.words.clear();
        form.words(met, code, &mut self.words);
        self.packing.unpack(&self.words, &mut self.values);
    }

    /// Whether the model's own successors of a state are so many, and those but itself are these, from
    /// a position of a batch on.
    fn agrees(
        &mut self,
        form: &F,
        (met, code): (&F::Met, u64),
        n_own: usize,
        (batch, start): (&F::Batch, usize),
    ) -> bool {
        self.unpack(form, met, code);
        let Self { explorer, values, words, packing, .. } = self;
        let (mut position, mut n_left, mut same) = (start, n_own, true);
        let settled = explorer.each_successor(values, |_, _, next| {
            n_left = n_left.wrapping_sub(1);
            if next != values {
                words.clear();
                if position < batch.len() {
                    form.batch_words(batch, position, words);
                }
                position += 1;
                same &= !words.is_empty() && packing.holds(words, next);
            }
        });
        settled.is_ok() && same && n_left == 0 && position == batch.len()
    }
}

/// What was found about some states that were expanded.
pub(super) struct Slice<F: Form> {
    /// The successors of a few, in order; or of all, where they are routed by position.
    pub batch: F::Batch,
    /// The successors of all, by shard.
    pub routed: Vec<F::Routed>,
    pub n_targets: usize,
    pub n_deadlocks: u64,
    /// Groups that made a step here and none before, with their action.
    pub first: Vec<(GroupId, ActionId)>,
    pub problem: Option<Box<Problem>>,
    /// Whether all was found.
    pub is_done: bool,
}

impl<F: Form> Default for Slice<F> {
    fn default() -> Self {
        Self {
            batch: F::Batch::default(),
            routed: Vec::new(),
            n_targets: 0,
            n_deadlocks: 0,
            first: Vec::new(),
            problem: None,
            is_done: false,
        }
    }
}

impl<F: Form> Slice<F> {
    pub(super) fn begin(&mut self) {
        (self.n_targets, self.n_deadlocks, self.is_done) = (0, 0, false);
        self.first.clear();
        self.batch.clear();
    }

    /// Adds the successors of a few states to `batch`. Says whether there was room.
    pub(super) fn expand(
        &mut self,
        (form, met): (&F, &F::Met),
        own: &mut Own<'_, F>,
        states: &[u64],
    ) -> Result<bool, Box<Problem>> {
        for &code in states {
            let n_before = self.batch.len();
            let (first, noted) = (&mut self.first, &mut own.noted);
            let note = |group: GroupId, action| {
                if noted.insert(group.index()) {
                    first.push((group, action));
                }
            };
            let expanded = form.expand(met, &mut own.scratch, code, &mut self.batch, note);
            let Some(n_own) = expanded else {
                // What was noted is noted again.
                self.first.drain(..).for_each(|(group, _)| own.noted.remove(group.index()));
                return Ok(false);
            };
            debug_assert!(
                own.agrees(form, (met, code), n_own, (&self.batch, n_before)),
                "a bug in the model: what it declares of its groups is not what they do",
            );
            self.n_targets += n_own;
            if n_own == 0 {
                own.unpack(form, met, code);
                self.n_deadlocks += u64::from(!own.explorer.may_end(&own.values)?);
            }
        }
        Ok(true)
    }

    /// Routes the successors of many states to their shards.
    pub(super) fn route(
        &mut self,
        (form, met): (&F, &F::Met),
        own: &mut Own<'_, F>,
        states: &[u64],
    ) {
        self.begin();
        self.routed.resize_with(SHARDS, F::Routed::default);
        self.routed.iter_mut().for_each(F::Routed::clear);
        for few in states.chunks(FEW) {
            match self.expand((form, met), own, few) {
                Ok(true) => {}
                Ok(false) => return,
                Err(problem) => {
                    self.problem = Some(problem);
                    break;
                }
            }
            form.route(&mut self.batch, &mut self.routed);
        }
        self.is_done = true;
    }

    pub(super) fn bytes(&self) -> usize {
        self.batch.bytes() + self.routed.iter().map(F::Routed::bytes).sum::<usize>()
    }
}
