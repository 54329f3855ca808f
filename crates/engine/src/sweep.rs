//! A breadth-first walk that remembers only which states it met: a few bytes each, without numbers,
//! parents or edges. It serves as long as nothing is found. Where a visitor finds something, the
//! walk that knows the way to each state is made instead, and comes upon the same state first.
//!
//! Only for models whose steps are [masks](crate::steps). What a state is kept as depends on its size:
//! [`Word`]; [`Wide`], or where memory is limited, [`Tree`].

mod frontier;
mod nodes;
mod sift;
mod slice;
mod tree;
mod wide;
mod word;

use std::ops::ControlFlow;

use quadrille_model::{ActionId, Bound, Counts, GroupId, Model, Problem, Value};

use crate::bits::Bits;
use crate::explore::Visitor;
use crate::keys::Sharded;
use crate::limits::{Progress, Watch};
use crate::packing::Packing;
use crate::steps::PackedSteps;
use crate::workers::Workers;
use frontier::Frontier;
use sift::sifted;
pub use sift::{Sift, SiftTest};
use slice::{Form, Own, Slice};
use tree::Tree;
use wide::Wide;
use word::Word;

/// States whose successors are looked up together: enough for their cache misses to overlap.
const FEW: usize = 32;
/// A level of at least so many states is expanded in rounds. That pays on one thread, too: what lies
/// in one shard is looked up together, and a shard fits a cache longer than the whole set.
const LEAST_WIDE: usize = if cfg!(test) { 16 } else { 1 << 12 };
/// States of a slice, which one worker expands, at most and at least, and how many slices there should be.
const SLICE: usize = 1 << 9;
const LEAST_SLICE: usize = 1 << 3;
const LEAST_SLICES: usize = 1 << 4;
/// A round has no fewer states than this (half of it, where states are large), and otherwise follows from
/// [`Form::share`] …
const LEAST_ROUND: usize = 1 << 12;
/// … unless its successors are larger than this, and than one part in so many of all states.
const LEAST_ROOM: usize = 1 << 22;
const ROOM_SHARE: usize = 1 << 3;
/// A large successor, in bytes.
const LARGE: usize = 1 << 5;
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
    let is_frugal = watch.limits_memory();
    if let Some(word) = Word::new(signature, &packing, is_frugal) {
        return sweep_by(word, model, &packing, visitors, workers, watch);
    }
    let steps = PackedSteps::new(signature, &packing)?;
    // States as they are take less time, and trees less memory.
    if is_frugal && Tree::suits(&packing) {
        let tree = Tree::new(steps, &packing);
        return sweep_by(tree, model, &packing, visitors, workers, watch);
    }
    sweep_by(Wide::new(steps, &packing)?, model, &packing, visitors, workers, watch)
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
        met: form.begin(),
        form,
        model,
        packing,
        workers,
        visitors,
        next: Frontier::new(),
        slice: Slice::default(),
        slices: Vec::new(),
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
    sweep.counts.states = sweep.met.len() as u64;
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
    met: F::Met,
    /// The states of the next depth that were met so far.
    next: Frontier,
    /// Scratch: what was found about a few states, and about many.
    slice: Slice<F>,
    slices: Vec<Slice<F>>,
    /// Groups that made a step, how many made none, and how many that were when the form was told.
    occurred: Bits,
    n_open: usize,
    n_told: usize,
    n_expanded: usize,
    counts: Counts,
}

impl<F: Form> Sweep<'_, '_, F> {
    fn walk(&mut self, watch: &mut Watch<'_>) -> Result<(), Ended> {
        self.begin(watch)?;
        let mut level = Frontier::new();
        while self.next.len() > 0 {
            // Where memory is worth time, lists grow anew.
            level.clear(if watch.limits_memory() { 0 } else { self.next.len() });
            std::mem::swap(&mut level, &mut self.next);
            if level.len() < LEAST_WIDE {
                level.gather();
                self.narrow(&level, watch)?;
            } else {
                self.wide(&mut level, watch)?;
            }
            if self.next.len() > 0 {
                self.counts.depth = self.counts.depth.map(|depth| depth + 1);
            }
        }
        Ok(())
    }

    /// Meets the initial states.
    fn begin(&mut self, watch: &mut Watch<'_>) -> Result<(), Ended> {
        self.tell();
        let (mut all, n_words, packing) = (Vec::new(), self.packing.n_words(), self.packing);
        self.own.explorer.each_initial(|state| packing.pack(state, &mut all))?;
        for words in all.chunks_exact(n_words) {
            while !self.form.enter(words, &mut self.slice.batch) {
                self.grow(watch)?;
            }
        }
        self.absorb()
    }

    /// Expands a level a few states at a time.
    fn narrow(&mut self, level: &Frontier, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let mut n_left = level.len();
        for states in level.few.chunks(FEW) {
            self.slice.begin();
            while !self.slice.expand((&self.form, &self.met), &mut self.own, states)? {
                self.grow(watch)?;
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
    fn wide(&mut self, level: &mut Frontier, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let mut n_left = level.len();
        let (mut list, mut start) = (0, 0);
        while n_left > 0 {
            let per_state = self.counts.transitions as usize / self.n_expanded.max(1) + 1;
            let room = (self.met.bytes() / ROOM_SHARE).max(LEAST_ROOM) / per_state;
            let least =
                if self.form.successor_bytes() < LARGE { LEAST_ROUND } else { LEAST_ROUND / 2 };
            let most = (self.met.len() / (self.form.share() * per_state)).max(least);
            let most = most.min(room / self.form.successor_bytes()).max(FEW);
            let slice = (most / LEAST_SLICES).clamp(LEAST_SLICE, SLICE);
            let (mut round, mut n_round) = (Vec::new(), 0);
            while n_round < most.min(n_left) {
                let states = level.list(list);
                let end = states.len().min(start + slice);
                if start < end {
                    round.push(&states[start..end]);
                    n_round += end - start;
                    start = end;
                } else {
                    (list, start) = (list + 1, 0);
                }
            }
            self.round(&round, watch)?;
            if watch.limits_memory() {
                level.give_back(list);
                self.next.trim();
            }
            n_left -= n_round;
            self.n_expanded += n_round;
            self.check(n_round, (level, n_left), watch)?;
        }
        Ok(())
    }

    fn round(&mut self, round: &[&[u64]], watch: &mut Watch<'_>) -> Result<(), Ended> {
        let mut slices = std::mem::take(&mut self.slices);
        slices.resize_with(slices.len().max(round.len()), Slice::default);
        let result = self.route_and_absorb(round, &mut slices[..round.len()], watch);
        self.slices = slices;
        result
    }

    fn route_and_absorb(
        &mut self,
        round: &[&[u64]],
        slices: &mut [Slice<F>],
        watch: &mut Watch<'_>,
    ) -> Result<(), Ended> {
        let mut bound = None;
        slices.iter_mut().for_each(Slice::begin);
        while slices.iter().any(|slice| !slice.is_done) {
            let (form, met, model, packing) = (&self.form, &self.met, self.model, self.packing);
            self.workers.share(
                slices.iter_mut().zip(round).filter(|(slice, _)| !slice.is_done),
                || Own::new(form, model, packing),
                |own, (slice, states)| slice.route((form, met), own, states),
                || goes_on(watch, &mut bound),
            );
            if let Some(bound) = bound {
                return Err(bound.into());
            }
            if slices.iter().any(|slice| !slice.is_done && slice.problem.is_none()) {
                self.grow(watch)?;
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
            self.met.shards().iter_mut().zip(&mut self.next.many).enumerate(),
            || (),
            |(), (number, (shard, next))| {
                let lists = slices.iter().map(|slice| (&slice.batch, &slice.routed[number]));
                form.absorb(shard, lists, next);
            },
            || goes_on(watch, &mut bound),
        );
        self.met.recount();
        self.next.recount();
        match bound {
            Some(bound) => Err(bound.into()),
            None => self.show_states(&before, watch),
        }
    }

    /// Makes room, which may take a while.
    fn grow(&mut self, watch: &mut Watch<'_>) -> Result<(), Ended> {
        let mut bound = None;
        self.form.grow(&mut || goes_on(watch, &mut bound));
        bound.map_or(Ok(()), |bound| Err(bound.into()))
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
        self.form.absorb_few(&mut self.met, &self.slice.batch, &mut self.next.few);
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

    /// Shows the states that were met since the lists of shards were this long; those that have to be
    /// seen, where workers can tell.
    fn show_states(&mut self, before: &[usize], watch: &mut Watch<'_>) -> Result<(), Ended> {
        if !self.sees_states() {
            return Ok(());
        }
        let mut wanted = if self.workers.number() > 1 { self.sift(before, watch)? } else { None };
        for (shard, &start) in before.iter().enumerate() {
            let (list, start) = match &mut wanted {
                Some(wanted) => (std::mem::take(&mut wanted[shard]), 0),
                None => (std::mem::take(&mut self.next.many[shard]), start),
            };
            let shown = list[start..].iter().try_for_each(|&state| self.show_state(state));
            if wanted.is_none() {
                self.next.many[shard] = list;
            }
            shown?;
        }
        Ok(())
    }

    /// The states behind these that visitors have to see; `None` if some visitor cannot tell.
    fn sift(
        &self,
        before: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<Vec<u64>>>, Ended> {
        let visitors = self.visitors.iter().filter(|visitor| visitor.needs_states());
        let Some(sifts) = visitors.map(|visitor| visitor.sift()).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let fresh = self.next.many.iter().zip(before);
        let lists: Vec<&[u64]> = fresh.map(|(list, &start)| &list[start..]).collect();
        let (states, mut bound) = ((&self.form, &self.met, self.packing), None);
        let wanted = sifted(states, &sifts, &lists, self.workers, || goes_on(watch, &mut bound));
        bound.map_or(Ok(Some(wanted)), |bound| Err(bound.into()))
    }

    fn show_state(&mut self, state: u64) -> Result<(), Ended> {
        self.own.unpack(&self.form, &self.met, state);
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
            states: self.met.len() as u64,
            transitions: self.counts.transitions,
            depth: self.counts.depth,
            frontier: (n_left + self.next.len()) as u64,
            bytes: self.bytes() + level.bytes() as u64,
        };
        watch.check_after(n_expanded, self.met.len(), progress)?;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let slices: usize = self.slices.iter().map(Slice::bytes).sum();
        let lists = self.next.bytes();
        let own: usize = self.visitors.iter().map(|visitor| visitor.bytes()).sum();
        (self.met.bytes() + self.form.bytes() + lists + slices + self.slice.bytes() + own) as u64
    }
}

/// Whether the watch lets workers go on; else the bound says why not.
fn goes_on(watch: &mut Watch<'_>, bound: &mut Option<Bound>) -> bool {
    *bound = bound.or_else(|| watch.wait().err());
    bound.is_none()
}

#[cfg(test)]
mod tests;
