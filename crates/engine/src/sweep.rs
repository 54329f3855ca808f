//! A breadth-first walk that remembers only which states it met: eight bytes each, without numbers,
//! parents or edges. It serves as long as nothing is found. Where a visitor finds something, the
//! walk that knows the way to each state is made instead, and comes upon the same state first.
//!
//! Only for models whose steps are [masks](crate::steps) on a single word of 64 bits.

use std::ops::ControlFlow;

use quadrille_model::{ActionId, Bound, Counts, Explorer, GroupId, Model, Problem, Value};

use crate::bits::Bits;
use crate::explore::Visitor;
use crate::keys::{KeySet, SHARDS, shard_of};
use crate::limits::{Progress, Watch};
use crate::packing::Packing;
use crate::steps::{PackedSteps, WordSteps, pairs};
use crate::workers::Workers;

/// States whose successors are looked up together: enough for their cache misses to overlap.
const FEW: usize = 32;
/// A level of at least so many states is expanded in rounds. That pays on one thread, too: what lies
/// in one shard is looked up together, and a shard fits a cache longer than the whole set.
const LEAST_WIDE: usize = if cfg!(test) { 16 } else { 1 << 12 };
/// States of a slice, which one worker expands.
const SLICE: usize = 1 << 9;
/// States of a round.
const ROUND: usize = 1 << 14;

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
    workers: Workers,
    watch: &mut Watch<'_>,
) -> Option<Swept> {
    let signature = model.signature();
    // One key less than there are numbers: the set marks its free entries.
    if signature.packed_bits() >= u64::BITS || !visitors.iter().all(|visitor| visitor.can_sweep()) {
        return None;
    }
    let packing = Packing::new(signature);
    let steps = WordSteps::new(&PackedSteps::new(signature, &packing)?, packing.n_words())?;
    let mut sweep = Sweep {
        view: View { model, steps: &steps, packing: &packing },
        workers,
        own: Own::new(model, &packing),
        visitors,
        keys: KeySet::new(),
        next: Frontier::new(),
        slice: Slice::default(),
        slices: Vec::new(),
        occurred: Bits::none(signature.groups.len()),
        n_open: signature.groups.len(),
        counts: Counts { depth: Some(0), ..Counts::default() },
    };
    let bound = match sweep.walk(watch) {
        Ok(()) => None,
        Err(Ended::Bound(bound)) => Some(bound),
        Err(Ended::Found) => return None,
    };
    sweep.counts.states = sweep.keys.len() as u64;
    sweep.counts.bytes = sweep.bytes().max(watch.peak());
    Some(Swept { counts: sweep.counts, bound })
}

struct Sweep<'a, 'v> {
    view: View<'a>,
    workers: Workers,
    own: Own<'a>,
    visitors: &'a mut [&'v mut dyn Visitor],
    keys: KeySet,
    /// The states of the next depth that were met so far.
    next: Frontier,
    /// Scratch: what was found about a few states, and about many.
    slice: Slice,
    slices: Vec<Slice>,
    /// Groups that made a step, and how many made none.
    occurred: Bits,
    n_open: usize,
    counts: Counts,
}

/// States of one depth: those that were met from a few states at a time, and by shard, those that were
/// met from many.
struct Frontier {
    few: Vec<u64>,
    many: Vec<Vec<u64>>,
    n_many: usize,
}

impl Frontier {
    fn new() -> Self {
        Self { few: Vec::new(), many: vec![Vec::new(); SHARDS], n_many: 0 }
    }

    fn len(&self) -> usize {
        self.few.len() + self.n_many
    }

    fn recount(&mut self) {
        self.n_many = self.many.iter().map(Vec::len).sum();
    }

    fn clear(&mut self) {
        self.few.clear();
        if std::mem::take(&mut self.n_many) > 0 {
            self.many.iter_mut().for_each(Vec::clear);
        }
    }

    /// Makes one list of few states.
    fn gather(&mut self) {
        if std::mem::take(&mut self.n_many) > 0 {
            self.many.iter_mut().for_each(|list| self.few.append(list));
        }
    }

    fn bytes(&self) -> usize {
        let many: usize = self.many.iter().map(Vec::capacity).sum();
        (self.few.capacity() + many) * size_of::<u64>()
    }
}

/// What all workers read.
#[derive(Clone, Copy)]
struct View<'a> {
    model: &'a dyn Model,
    steps: &'a WordSteps,
    packing: &'a Packing,
}

/// What a worker has for itself.
struct Own<'a> {
    explorer: Box<dyn Explorer + 'a>,
    values: Vec<Value>,
}

impl<'a> Own<'a> {
    fn new(model: &'a dyn Model, packing: &Packing) -> Self {
        Self { explorer: model.explorer(), values: vec![0; packing.n_slots()] }
    }

    /// The vector of a state.
    fn unpack(&mut self, packing: &Packing, state: u64) {
        packing.unpack(&[state as u32, (state >> 32) as u32], &mut self.values);
    }
}

/// What was found about some states that were expanded.
#[derive(Default)]
struct Slice {
    /// The successors of a few, in order.
    batch: Vec<u64>,
    /// The successors of all, by shard.
    routed: Vec<Vec<u64>>,
    n_targets: usize,
    n_deadlocks: u64,
    /// Groups that made a step here and none before, with their action.
    first: Vec<(GroupId, ActionId)>,
    problem: Option<Box<Problem>>,
}

impl Slice {
    fn begin(&mut self) {
        (self.n_targets, self.n_deadlocks) = (0, 0);
        self.first.clear();
    }

    /// Leaves the successors of a few states in `batch`. Steps of groups that have not occurred are
    /// noted; where all have, there is no set of those.
    fn expand(
        &mut self,
        view: View<'_>,
        own: &mut Own<'_>,
        states: &[u64],
        occurred: Option<&Bits>,
    ) -> Result<(), Box<Problem>> {
        let mut n_targets = 0;
        self.batch.resize(states.len() * view.steps.most + 1, 0);
        for &source in states {
            let n_own = view.steps.expand(source, &mut self.batch[n_targets..]);
            if n_own == 0 {
                own.unpack(view.packing, source);
                self.n_deadlocks += u64::from(!own.explorer.may_end(&own.values)?);
            }
            if let Some(occurred) = occurred {
                view.steps.each(source, |group, action| {
                    let is_new = !occurred.contains(group.index());
                    if is_new && !self.first.iter().any(|(known, _)| *known == group) {
                        self.first.push((group, action));
                    }
                });
            }
            n_targets += n_own;
        }
        self.batch.truncate(n_targets);
        self.n_targets += n_targets;
        Ok(())
    }

    /// Routes the successors of many states to their shards.
    fn route(
        &mut self,
        view: View<'_>,
        own: &mut Own<'_>,
        states: &[u64],
        occurred: Option<&Bits>,
    ) {
        self.begin();
        self.routed.resize_with(SHARDS, Vec::new);
        self.routed.iter_mut().for_each(Vec::clear);
        for few in states.chunks(FEW) {
            if let Err(problem) = self.expand(view, own, few, occurred) {
                self.problem = Some(problem);
                return;
            }
            for &target in &self.batch {
                self.routed[shard_of(target)].push(target);
            }
        }
    }

    fn bytes(&self) -> usize {
        let routed: usize = self.routed.iter().map(Vec::capacity).sum();
        (self.batch.capacity() + routed) * size_of::<u64>()
    }
}

impl Sweep<'_, '_> {
    fn walk(&mut self, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let Self { own, view, slice, .. } = self;
        let mut words = Vec::new();
        own.explorer.each_initial(|state| {
            words.clear();
            view.packing.pack(state, &mut words);
            slice.batch.extend(pairs(&words));
        })?;
        self.absorb()?;
        let mut level = Frontier::new();
        while self.next.len() > 0 {
            level.clear();
            std::mem::swap(&mut level, &mut self.next);
            if level.len() < LEAST_WIDE {
                level.gather();
                self.narrow(&level, watch)?;
            } else {
                self.wide(&level, watch)?;
            }
            if self.next.len() > 0 {
                self.counts.depth = self.counts.depth.map(|depth| depth + 1);
            }
        }
        Ok(())
    }

    /// Expands a level a few states at a time.
    fn narrow(&mut self, level: &Frontier, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let mut n_left = level.len();
        for states in level.few.chunks(FEW) {
            self.slice.begin();
            let occurred = (self.n_open > 0).then_some(&self.occurred);
            self.slice.expand(self.view, &mut self.own, states, occurred)?;
            let slice = std::mem::take(&mut self.slice);
            let shown = self.count(&slice);
            self.slice = slice;
            shown?;
            self.absorb()?;
            n_left -= states.len();
            self.check(states.len(), (level, n_left), watch)?;
        }
        Ok(())
    }

    /// Expands a level in rounds, shared out among the workers: first they route the successors of
    /// slices to the shards, then each shard takes in what was routed to it.
    fn wide(&mut self, level: &Frontier, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let mut n_left = level.len();
        let lists = std::iter::once(&level.few).chain(&level.many);
        let mut pieces = lists.flat_map(|states| states.chunks(SLICE)).peekable();
        while pieces.peek().is_some() {
            let (mut round, mut n_round) = (Vec::new(), 0);
            while n_round < ROUND
                && let Some(piece) = pieces.next()
            {
                n_round += piece.len();
                round.push(piece);
            }
            self.round(&round)?;
            n_left -= n_round;
            self.check(n_round, (level, n_left), watch)?;
        }
        Ok(())
    }

    fn round(&mut self, round: &[&[u64]]) -> Result<(), Ended> {
        let mut slices = std::mem::take(&mut self.slices);
        slices.resize_with(slices.len().max(round.len()), Slice::default);
        let result = self.route_and_absorb(round, &mut slices[..round.len()]);
        self.slices = slices;
        result
    }

    fn route_and_absorb(&mut self, round: &[&[u64]], slices: &mut [Slice]) -> Result<(), Ended> {
        let view = self.view;
        let occurred = (self.n_open > 0).then_some(&self.occurred);
        self.workers.share(
            slices.iter_mut().zip(round),
            || Own::new(view.model, view.packing),
            |own, (slice, states)| slice.route(view, own, states, occurred),
            || true,
        );
        for slice in &mut *slices {
            if let Some(problem) = slice.problem.take() {
                return Err(problem.into());
            }
            self.count(slice)?;
        }
        let before: Vec<usize> = self.next.many.iter().map(Vec::len).collect();
        let slices = &*slices;
        self.workers.share(
            self.keys.shards().iter_mut().zip(&mut self.next.many).enumerate(),
            || (),
            |(), (number, (shard, next))| {
                slices.iter().for_each(|slice| shard.absorb(&slice.routed[number], next));
            },
            || true,
        );
        self.keys.recount();
        self.next.recount();
        self.show_states(&before)
    }

    /// Counts what was found, and shows deadlocks and steps of groups that had none before.
    fn count(&mut self, slice: &Slice) -> Result<(), Ended> {
        self.counts.transitions += slice.n_targets as u64;
        self.counts.deadlocks += slice.n_deadlocks;
        if slice.n_deadlocks > 0 {
            self.show(Sight::Deadlock)?;
        }
        for &(group, action) in &slice.first {
            if self.occurred.insert(group.index()) {
                self.n_open -= 1;
                self.show(Sight::Step(group, action))?;
            }
        }
        Ok(())
    }

    /// Adds the successors of a few states to those that were met, and shows the new ones.
    fn absorb(&mut self) -> Result<(), Ended> {
        let sees = self.sees_states();
        let (before, next) = (self.next.few.len(), &mut self.next.few);
        self.keys.absorb(&self.slice.batch, |key| next.push(key));
        if sees {
            for position in before..self.next.few.len() {
                self.show_state(self.next.few[position])?;
            }
        }
        Ok(())
    }

    fn sees_states(&self) -> bool {
        self.visitors.iter().any(|visitor| visitor.needs_states())
    }

    /// Shows the states that were met since the lists of shards were this long.
    fn show_states(&mut self, before: &[usize]) -> Result<(), Ended> {
        for (shard, &start) in before.iter().enumerate() {
            if !self.sees_states() {
                break;
            }
            for position in start..self.next.many[shard].len() {
                self.show_state(self.next.many[shard][position])?;
            }
        }
        Ok(())
    }

    fn show_state(&mut self, state: u64) -> Result<(), Ended> {
        self.own.unpack(self.view.packing, state);
        let values = std::mem::take(&mut self.own.values);
        let shown = self.show(Sight::State(&values));
        self.own.values = values;
        shown
    }

    fn show(&mut self, sight: Sight<'_>) -> Result<(), Ended> {
        let mut all = self.visitors.iter_mut();
        match all.try_for_each(|visitor| visitor.swept(sight)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(_) => Err(Ended::Found),
        }
    }

    /// Asks the watch after some expansions.
    fn check(
        &mut self,
        n_expanded: usize,
        (level, n_left): (&Frontier, usize),
        watch: &mut Watch<'_>,
    ) -> Result<(), Ended> {
        let progress = || Progress {
            states: self.keys.len() as u64,
            transitions: self.counts.transitions,
            depth: self.counts.depth,
            frontier: (n_left + self.next.len()) as u64,
            bytes: self.bytes() + level.bytes() as u64,
        };
        watch.check_after(n_expanded, self.keys.len(), progress)?;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let slices: usize = self.slices.iter().map(Slice::bytes).sum();
        let lists = self.next.bytes();
        let own: usize = self.visitors.iter().map(|visitor| visitor.bytes()).sum();
        (self.keys.bytes() + lists + slices + self.slice.bytes() + own) as u64
    }
}

#[cfg(test)]
mod tests;
