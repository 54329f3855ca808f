//! Some states of a sweep, expanded: what a worker does by itself, and what it leaves.

use quadrille_model::{ActionId, Explorer, GroupId, Model, Problem, Value};

use super::FEW;
use crate::bits::Bits;
use crate::keys::{Coding, SHARDS};
use crate::packing::Packing;

/// What a state is kept as, and how it is expanded.
pub(super) trait Form: Coding {
    /// A state that was met.
    type Met: Copy + Send + Sync;
    /// What a worker has for itself.
    type Scratch;

    /// The number of a state.
    fn code(&self, met: Self::Met) -> u64;

    /// The shard of a state.
    fn shard(&self, met: Self::Met) -> usize;

    fn scratch(&self) -> Self::Scratch;

    /// The state with these packed words; `None` if there is no room.
    fn enter(&self, words: &[u32]) -> Option<Self::Met>;

    /// The packed words of a state.
    fn words(&self, code: u64, words: &mut Vec<u32>);

    /// Appends the successors of a state other than itself, in the order of groups, and says how many
    /// there are with itself. Shows the steps of groups that may not have [occurred](Form::occur) yet.
    /// `None` if there was no room for all successors.
    fn expand(
        &self,
        scratch: &mut Self::Scratch,
        code: u64,
        batch: &mut Vec<Self::Met>,
        step: impl FnMut(GroupId, ActionId),
    ) -> Option<usize>;

    /// Says which groups have occurred; `None` if that is not asked for any more.
    fn occur(&mut self, occurred: Option<&Bits>);

    /// Makes room.
    fn grow(&mut self) {}

    /// Bytes allocated beside the set of states.
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
    pub(super) fn unpack(&mut self, form: &F, code: u64) {
        self.words.clear();
        form.words(code, &mut self.words);
        self.packing.unpack(&self.words, &mut self.values);
    }

    /// Whether the model's own successors of a state are so many, and those but itself are these.
    fn agrees(&mut self, form: &F, code: u64, n_own: usize, batch: &[F::Met]) -> bool {
        self.unpack(form, code);
        let Self { explorer, values, words, packing, .. } = self;
        let (mut found, mut n_left, mut same) = (batch.iter(), n_own, true);
        let settled = explorer.each_successor(values, |_, _, next| {
            n_left = n_left.wrapping_sub(1);
            if next != values {
                words.clear();
                found.next().into_iter().for_each(|&met| form.words(form.code(met), words));
                same &= !words.is_empty() && packing.holds(words, next);
            }
        });
        settled.is_ok() && same && n_left == 0 && found.next().is_none()
    }
}

/// What was found about some states that were expanded.
pub(super) struct Slice<F: Form> {
    /// The successors of a few, in order.
    pub batch: Vec<F::Met>,
    /// The successors of all, by shard.
    pub routed: Vec<Vec<u64>>,
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
            batch: Vec::new(),
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
    }

    /// Leaves the successors of a few states in `batch`. Says whether there was room.
    pub(super) fn expand(
        &mut self,
        form: &F,
        own: &mut Own<'_, F>,
        states: &[u64],
    ) -> Result<bool, Box<Problem>> {
        self.batch.clear();
        for &code in states {
            let n_before = self.batch.len();
            let (first, noted) = (&mut self.first, &mut own.noted);
            let expanded = form.expand(&mut own.scratch, code, &mut self.batch, |group, action| {
                if noted.insert(group.index()) {
                    first.push((group, action));
                }
            });
            let Some(n_own) = expanded else {
                // What was noted is noted again.
                self.first.drain(..).for_each(|(group, _)| own.noted.remove(group.index()));
                return Ok(false);
            };
            debug_assert!(
                own.agrees(form, code, n_own, &self.batch[n_before..]),
                "a bug in the model: what it declares of its groups is not what they do",
            );
            self.n_targets += n_own;
            if n_own == 0 {
                own.unpack(form, code);
                self.n_deadlocks += u64::from(!own.explorer.may_end(&own.values)?);
            }
        }
        Ok(true)
    }

    /// Routes the successors of many states to their shards.
    pub(super) fn route(&mut self, form: &F, own: &mut Own<'_, F>, states: &[u64]) {
        self.begin();
        self.routed.resize_with(SHARDS, Vec::new);
        self.routed.iter_mut().for_each(Vec::clear);
        for few in states.chunks(FEW) {
            match self.expand(form, own, few) {
                Ok(true) => {}
                Ok(false) => return,
                Err(problem) => {
                    self.problem = Some(problem);
                    break;
                }
            }
            for &target in &self.batch {
                self.routed[form.shard(target)].push(form.code(target));
            }
        }
        self.is_done = true;
    }

    pub(super) fn bytes(&self) -> usize {
        let routed: usize = self.routed.iter().map(Vec::capacity).sum();
        self.batch.capacity() * size_of::<F::Met>() + routed * size_of::<u64>()
    }
}
