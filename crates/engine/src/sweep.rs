//! A breadth-first walk that remembers only which states it met: a few bytes each, without numbers,
//! parents or edges. It serves as long as nothing is found. Where a visitor finds something, the
//! walk that knows the way to each state is made instead, and comes upon the same state first.
//!
//! Only for models whose steps are [masks](crate::steps). What a state is kept as depends on its size:
//! [`Word`], or where memory is limited, [`Tree`].

mod nodes;
mod slice;
mod tree;
mod word;

use std::ops::ControlFlow;

use quadrille_model::{ActionId, Bound, Counts, GroupId, Model, Problem, Value};

use crate::bits::Bits;
use crate::explore::Visitor;
use crate::keys::{KeySet, SHARDS};
use crate::limits::{Progress, Watch};
use crate::packing::Packing;
use crate::steps::PackedSteps;
use crate::workers::Workers;
use slice::{Form, Own, Slice};
use tree::Tree;
use word::Word;

/// States whose successors are looked up together: enough for their cache misses to overlap.
const FEW: usize = 32;
/// A level of at least so many states is expanded in rounds. That pays on one thread, too: what lies
/// in one shard is looked up together, and a shard fits a cache longer than the whole set.
const LEAST_WIDE: usize = if cfg!(test) { 16 } else { 1 << 12 };
/// States of a slice, which one worker expands.
const SLICE: usize = 1 << 9;
/// A round has no fewer states than this …
const LEAST_ROUND: usize = 1 << 12;
/// … and is otherwise so large that its successors are to all states that were met as one is to this: more
/// would take memory, with fewer each line of a shard is fetched more often.
const SHARE: usize = 16;

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
    if !visitors.iter().all(|visitor| visitor.can_sweep()) {
        return None;
    }
    let signature = model.signature();
    let packing = Packing::new(signature);
    match Word::new(signature, &packing) {
        Some(word) => sweep_by(word, model, &packing, visitors, workers, watch),
        // A walk that numbers wide states takes several times the memory, and less time.
        None if !watch.limits_memory() => None,
        None => {
            let steps = PackedSteps::new(signature, &packing)?;
            let tree = Tree::new(steps, &packing)?;
            sweep_by(tree, model, &packing, visitors, workers, watch)
        }
    }
}

fn sweep_by<F: Form>(
    form: F,
    model: &dyn Model,
    packing: &Packing,
    visitors: &mut [&mut dyn Visitor],
    workers: Workers,
    watch: &mut Watch<'_>,
) -> Option<Swept> {
    let n_groups = model.signature().groups.len();
    let sees_steps = visitors.iter().any(|visitor| visitor.needs_steps());
    let mut sweep = Sweep {
        own: Own::new(&form, model, packing),
        keys: KeySet::new(&form),
        form,
        model,
        packing,
        workers,
        visitors,
        next: Frontier::new(),
        slice: Slice::default(),
        slices: Vec::new(),
        few: Vec::new(),
        occurred: Bits::none(n_groups),
        n_open: if sees_steps { n_groups } else { 0 },
        n_told: usize::MAX,
        n_expanded: 0,
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

struct Sweep<'a, 'v, F: Form> {
    form: F,
    model: &'a dyn Model,
    packing: &'a Packing,
    workers: Workers,
    own: Own<'a, F>,
    visitors: &'a mut [&'v mut dyn Visitor],
    keys: KeySet,
    /// The states of the next depth that were met so far.
    next: Frontier,
    /// Scratch: what was found about a few states, and about many.
    slice: Slice<F>,
    slices: Vec<Slice<F>>,
    few: Vec<(usize, u64)>,
    /// Groups that made a step, how many made none, and how many that were when the form was told.
    occurred: Bits,
    n_open: usize,
    n_told: usize,
    n_expanded: usize,
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

    /// Forgets the states; no more room is kept than for so many.
    fn clear(&mut self, likely: usize) {
        self.few.clear();
        self.few.shrink_to(likely);
        self.n_many = 0;
        for list in &mut self.many {
            list.clear();
            list.shrink_to(likely / SHARDS);
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

impl<F: Form> Sweep<'_, '_, F> {
    fn walk(&mut self, watch: &mut Watch<'_>) -> Result<(), Ended> {
        self.begin()?;
        let mut level = Frontier::new();
        while self.next.len() > 0 {
            level.clear(self.next.len());
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

    /// Meets the initial states.
    fn begin(&mut self) -> Result<(), Ended> {
        self.tell();
        let (mut all, n_words, packing) = (Vec::new(), self.packing.n_words(), self.packing);
        self.own.explorer.each_initial(|state| packing.pack(state, &mut all))?;
        for words in all.chunks_exact(n_words) {
            let met = loop {
                match self.form.enter(words) {
                    Some(met) => break met,
                    None => self.form.grow(),
                }
            };
            self.slice.batch.push(met);
        }
        self.absorb()
    }

    /// Expands a level a few states at a time.
    fn narrow(&mut self, level: &Frontier, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let mut n_left = level.len();
        for states in level.few.chunks(FEW) {
            self.slice.begin();
            while !self.slice.expand(&self.form, &mut self.own, states)? {
                self.form.grow();
                self.slice.begin();
            }
            let slice = std::mem::take(&mut self.slice);
            let shown = self.count(&slice);
            self.slice = slice;
            shown?;
            self.absorb()?;
            n_left -= states.len();
            self.n_expanded += states.len();
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
            let per_state = self.counts.transitions as usize / self.n_expanded.max(1) + 1;
            let most = (self.keys.len() / (SHARE * per_state)).max(LEAST_ROUND);
            let (mut round, mut n_round) = (Vec::new(), 0);
            while n_round < most
                && let Some(piece) = pieces.next()
            {
                n_round += piece.len();
                round.push(piece);
            }
            self.round(&round)?;
            n_left -= n_round;
            self.n_expanded += n_round;
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

    fn route_and_absorb(&mut self, round: &[&[u64]], slices: &mut [Slice<F>]) -> Result<(), Ended> {
        slices.iter_mut().for_each(Slice::begin);
        while slices.iter().any(|slice| !slice.is_done) {
            let (form, model, packing) = (&self.form, self.model, self.packing);
            self.workers.share(
                slices.iter_mut().zip(round).filter(|(slice, _)| !slice.is_done),
                || Own::new(form, model, packing),
                |own, (slice, states)| slice.route(form, own, states),
                || true,
            );
            if slices.iter().any(|slice| !slice.is_done) {
                self.form.grow();
            }
        }
        for slice in &mut *slices {
            if let Some(problem) = slice.problem.take() {
                return Err(problem.into());
            }
            self.count(slice)?;
        }
        let before: Vec<usize> = self.next.many.iter().map(Vec::len).collect();
        let (slices, form) = (&*slices, &self.form);
        self.workers.share(
            self.keys.shards().iter_mut().zip(&mut self.next.many).enumerate(),
            || (),
            |(), (number, (shard, next))| {
                shard.absorb(form, slices.iter().map(|slice| &slice.routed[number][..]), next);
            },
            || true,
        );
        self.keys.recount();
        self.next.recount();
        self.show_states(&before)
    }

    /// Counts what was found, and shows deadlocks and steps of groups that had none before.
    fn count(&mut self, slice: &Slice<F>) -> Result<(), Ended> {
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
        if !slice.first.is_empty() {
            self.tell();
        }
        Ok(())
    }

    /// Tells the form which groups occurred, once these are much more than it knows of.
    fn tell(&mut self) {
        if self.n_open <= self.n_told / 2 {
            self.n_told = self.n_open;
            self.form.occur((self.n_open > 0).then_some(&self.occurred));
        }
    }

    /// Adds the successors of a few states to those that were met, and shows the new ones.
    fn absorb(&mut self) -> Result<(), Ended> {
        let before = self.next.few.len();
        let sharded = |&met: &F::Met| (self.form.shard(met), self.form.code(met));
        self.few.clear();
        self.few.extend(self.slice.batch.iter().map(sharded));
        self.keys.absorb(&self.form, &self.few, &mut self.next.few);
        if self.sees_states() {
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
        self.own.unpack(&self.form, state);
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
        (self.keys.bytes() + self.form.bytes() + lists + slices + self.slice.bytes() + own) as u64
    }
}

#[cfg(test)]
mod tests;
