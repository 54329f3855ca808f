//! Expansions of many states in a row, computed by several workers and taken one by one, in order:
//! whatever is numbered, shown or counted is as if one worker had expanded state after state.
//!
//! Workers expand slices of the states and sort the successors by hash. For every part of the hashes,
//! a worker looks the successors up, in order, and finds where those that are new were met first. They
//! get their numbers when the expansions are taken, and are entered in the store's table afterwards.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering};

use quadrille_model::{ActionId, Bound, Explorer, GroupId, Halt, Model, StateId, Value};

use super::{Edge, PIECE, Space};
use crate::limits::Watch;
use crate::packing::Packing;
use crate::steps::{self, PackedSteps, pairs};
use crate::store::{REGIONS, Store, hash, region};
use crate::workers::Workers;

/// Successors of a round, about: enough to be worth starting threads, few enough for a cache.
const ROUND: usize = 1 << 16;
/// Slices per worker: what one of them takes longer, others make up for.
const SLICES: usize = 4;
/// The longest slice: a watch looks up as often without workers.
const LONGEST_SLICE: usize = 1 << 10;
/// A slice with more successors ends early.
const FULL_SLICE: usize = 1 << 16;
/// Marks the place of a successor that was not met before, behind all numbers of states.
const FRESH: u32 = u32::MAX - (1 << 24);

/// Expansions that were computed and not taken yet, and room for the next ones.
#[derive(Default)]
pub(crate) struct Round {
    /// The states whose expansions are here.
    states: Range<u32>,
    slices: Vec<Slice>,
    /// By successor, its number; or that of the place where it was first met, from [`FRESH`] on.
    targets: Vec<AtomicU32>,
    shards: Vec<Shard>,
    /// The slice of the next state, and its place there.
    at: (usize, usize),
    /// Whether there may be states to enter in the table.
    is_open: bool,
    /// Expand states one by one up to this one, and for how long after the next failure.
    patience: (u32, u32),
}

/// The expansions of some states in a row.
#[derive(Default)]
struct Slice {
    states: Range<u32>,
    /// Per state that was expanded, where its edges end, and whether it is a deadlock.
    ends: Vec<(u32, bool)>,
    labels: Vec<(GroupId, ActionId)>,
    words: Vec<u32>,
    hashes: Vec<u64>,
    /// By region of the hash, places of successors.
    routed: Vec<Vec<u32>>,
    /// How many successors the slices before have.
    base: u32,
}

/// What a worker finds out about the successors of a region.
#[derive(Default)]
struct Shard {
    /// Those that are new, with slice and place where they were first met.
    fresh: Vec<(u64, u32, u32)>,
    /// Open addressing over `fresh`: 0 is free, otherwise a position plus one.
    table: Vec<u32>,
}

/// What workers read of a space.
#[derive(Clone, Copy)]
struct View<'a> {
    model: &'a dyn Model,
    packing: &'a Packing,
    steps: Option<&'a PackedSteps>,
    store: &'a Store,
}

/// What a worker has for itself.
struct Own<'a> {
    explorer: Box<dyn Explorer + 'a>,
    source: Vec<Value>,
    pairs: Vec<u64>,
    target: Vec<u64>,
}

impl Round {
    /// Whether the expansion of a state is here.
    #[inline]
    pub(crate) fn holds(&self, state: u32) -> bool {
        self.states.contains(&state)
    }

    /// Computes expansions from a state on, of which there are `n_waiting`. There may be none: what
    /// cannot be expanded here is left to [`Space::expand_within`], which knows what to do about it.
    pub(crate) fn compute(
        &mut self,
        space: &Space<'_>,
        first: u32,
        n_waiting: usize,
        per_state: usize,
        workers: Workers,
        watch: &mut Watch<'_>,
    ) -> Result<(), Bound> {
        debug_assert!(self.states.is_empty(), "a round that was not taken");
        if first < self.patience.0 || space.no_start.is_some() {
            return Ok(());
        }
        let view = View {
            model: space.model,
            packing: &space.packing,
            steps: space.steps.as_ref(),
            store: &space.store,
        };
        let n_states = n_waiting.min(ROUND / per_state.max(1)).max(1);
        self.expand(view, first, n_states, workers, watch)?;
        self.resolve(view, workers);
        self.is_open = true;
        let n_expanded: usize = self.slices.iter().map(|slice| slice.ends.len()).sum();
        self.states = first..first + n_expanded as u32;
        self.at = (0, 0);
        if n_expanded < n_states {
            let pause = self.patience.1.clamp(16, 1 << 16);
            self.patience = (self.states.end + pause, pause * 2);
        } else {
            self.patience.1 = 0;
        }
        Ok(())
    }

    /// Fills the slices, and forgets those behind one that was not finished.
    fn expand(
        &mut self,
        view: View<'_>,
        first: u32,
        n_states: usize,
        workers: Workers,
        watch: &mut Watch<'_>,
    ) -> Result<(), Bound> {
        let length = n_states.div_ceil(workers.number() * SLICES).min(LONGEST_SLICE);
        self.slices.resize_with(n_states.div_ceil(length), Slice::default);
        for (position, slice) in self.slices.iter_mut().enumerate() {
            let range = position * length..n_states.min((position + 1) * length);
            slice.states = first + range.start as u32..first + range.end as u32;
        }
        let begin = || Own {
            explorer: view.model.explorer(),
            source: vec![0; view.packing.n_slots()],
            pairs: Vec::new(),
            target: Vec::new(),
        };
        let mut bound = None;
        workers.share(
            self.slices.iter_mut(),
            begin,
            |own, slice| slice.expand(view, own),
            || {
                bound = watch.wait().err();
                bound.is_none()
            },
        );
        if let Some(bound) = bound {
            return Err(bound);
        }
        let unfinished = self.slices.iter().position(|slice| slice.ends.len() < slice.states.len());
        if let Some(unfinished) = unfinished {
            self.slices.truncate(unfinished + 1);
        }
        let mut base = 0;
        for slice in &mut self.slices {
            slice.base = base;
            base += slice.labels.len() as u32;
        }
        assert!(base < u32::MAX - FRESH, "more successors than a round can hold");
        self.targets.resize_with(base as usize, AtomicU32::default);
        Ok(())
    }

    /// Looks all successors up.
    fn resolve(&mut self, view: View<'_>, workers: Workers) {
        self.shards.resize_with(REGIONS, Shard::default);
        let (slices, targets) = (&self.slices[..], &self.targets[..]);
        let shards = self.shards.iter_mut().enumerate();
        let work = |(): &mut (), (region, shard): (usize, &mut Shard)| {
            shard.resolve(view.store, region, slices, targets);
        };
        workers.share(shards, || (), work, || true);
    }
}

impl Slice {
    fn expand(&mut self, view: View<'_>, own: &mut Own<'_>) {
        self.ends.clear();
        self.labels.clear();
        self.words.clear();
        for state in self.states.clone() {
            let n_before = self.labels.len();
            let source_words = view.store.get(StateId::new(state));
            let Some(deadlock) = self.successors(view, own, source_words) else {
                self.labels.truncate(n_before);
                break;
            };
            self.ends.push((self.labels.len() as u32, deadlock));
            if self.labels.len() > FULL_SLICE {
                break;
            }
        }
        let n_words = view.packing.n_words();
        self.words.truncate(self.labels.len() * n_words);
        self.hashes.clear();
        self.hashes.extend(self.words.chunks_exact(n_words).map(hash));
        self.routed.resize_with(REGIONS, Vec::new);
        self.routed.iter_mut().for_each(Vec::clear);
        for (place, &hash) in self.hashes.iter().enumerate() {
            self.routed[region(hash)].push(place as u32);
        }
    }

    /// Appends the successors of a state and says whether it is a deadlock; `None` if there are very
    /// many or something goes wrong.
    fn successors(&mut self, view: View<'_>, own: &mut Own<'_>, source: &[u32]) -> Option<bool> {
        let View { packing, steps, .. } = view;
        let Self { labels, words, .. } = self;
        let n_before = labels.len();
        match steps {
            Some(steps) => {
                let Own { pairs: source_pairs, target, .. } = own;
                source_pairs.clear();
                source_pairs.extend(pairs(source));
                steps.each(source_pairs, |step| {
                    target.clone_from(source_pairs);
                    steps.apply(step, target, |_| ());
                    words.extend(steps::words(target).take(source.len()));
                    labels.push((step.group, step.action));
                });
            }
            None => {
                packing.unpack(source, &mut own.source);
                let mut sink = |group: GroupId, action: ActionId, next: &[Value]| {
                    if labels.len() - n_before == PIECE {
                        return ControlFlow::Break(Halt::Enough);
                    }
                    packing.pack_successor(source, group, next, words);
                    debug_assert!(
                        packing.holds(&words[words.len() - packing.n_words()..], next),
                        "a bug in the model: {group:?} changes a slot that it does not declare",
                    );
                    labels.push((group, action));
                    ControlFlow::Continue(())
                };
                if own.explorer.expand(&own.source, &mut sink).is_break() {
                    return None;
                }
            }
        }
        if labels.len() > n_before {
            return Some(false);
        }
        packing.unpack(source, &mut own.source);
        own.explorer.may_end(&own.source).ok().map(|may_end| !may_end)
    }

    fn target(&self, place: u32, n_words: usize) -> &[u32] {
        &self.words[place as usize * n_words..][..n_words]
    }
}

impl Shard {
    fn resolve(&mut self, store: &Store, region: usize, slices: &[Slice], targets: &[AtomicU32]) {
        let n_routed: usize = slices.iter().map(|slice| slice.routed[region].len()).sum();
        self.fresh.clear();
        self.table.clear();
        self.table.resize((n_routed * 2).next_power_of_two(), 0);
        for (position, slice) in slices.iter().enumerate() {
            let routed = &slice.routed[region];
            store.touch(routed.iter().map(|&place| slice.hashes[place as usize]));
            for &place in routed {
                let hash = slice.hashes[place as usize];
                let words = slice.target(place, store.n_words());
                let found = match store.probe(hash, words) {
                    Ok(known) => known.number(),
                    Err(_) => self.first(hash, (position as u32, place), slices, words),
                };
                targets[(slice.base + place) as usize].store(found, Ordering::Relaxed);
            }
        }
    }

    /// Where a new state was met first.
    fn first(&mut self, hash: u64, here: (u32, u32), slices: &[Slice], words: &[u32]) -> u32 {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while let Some(known) = (self.table[at] as usize).checked_sub(1) {
            let (other, slice, place) = self.fresh[known];
            let slice = &slices[slice as usize];
            if other == hash && slice.target(place, words.len()) == words {
                return FRESH + slice.base + place;
            }
            at = (at + 1) & mask;
        }
        self.fresh.push((hash, here.0, here.1));
        self.table[at] = self.fresh.len() as u32;
        FRESH + slices[here.0 as usize].base + here.1
    }
}

impl Space<'_> {
    /// Takes the next expansion of a round: its edges are those of the state expanded last, and its
    /// targets have numbers. Says whether the state is a deadlock.
    pub(crate) fn adopt(&mut self, round: &mut Round, most_states: u64) -> Result<bool, Bound> {
        let (position, place) = round.at;
        let slice = &round.slices[position];
        let start = place.checked_sub(1).map_or(0, |before| slice.ends[before].0);
        let (end, deadlock) = slice.ends[place];
        round.at =
            if place + 1 == slice.ends.len() { (position + 1, 0) } else { (position, place + 1) };
        round.states.start += 1;
        self.edges.clear();
        for &(group, action) in &slice.labels[start as usize..end as usize] {
            self.edges.push(Edge { group, action, to: StateId::new(0) });
        }
        for (place, edge) in (start..end).zip(&mut self.edges) {
            let here = (slice.base + place) as usize;
            let mut to = *round.targets[here].get_mut();
            if to >= FRESH {
                let first = (to - FRESH) as usize;
                if first != here {
                    to = *round.targets[first].get_mut();
                } else if self.store.len() as u64 >= most_states {
                    return Err(Bound::States(most_states));
                } else {
                    let words = slice.target(place, self.packing.n_words());
                    to = self.store.append(words, slice.hashes[place as usize]).number();
                    *round.targets[first].get_mut() = to;
                }
            }
            edge.to = StateId::new(to);
        }
        Ok(deadlock)
    }

    /// Enters the states that expansions of a round led to in the table, and forgets the others.
    #[inline]
    pub(crate) fn settle(&mut self, round: &mut Round, workers: Workers) {
        if std::mem::take(&mut round.is_open) {
            self.enter(round, workers);
        }
    }

    fn enter(&mut self, round: &mut Round, workers: Workers) {
        let Round { slices, targets, shards, .. } = round;
        let numbered = shards.iter_mut().map(|shard| {
            let all = shard.fresh.drain(..).map(|(hash, slice, place)| {
                let here = (slices[slice as usize].base + place) as usize;
                (hash, *targets[here].get_mut())
            });
            all.filter(|&(_, number)| number < FRESH).collect()
        });
        let numbered: Vec<Vec<(u64, u32)>> = numbered.collect();
        self.store.enter(workers, &numbered);
        round.states = 0..0;
    }
}

#[cfg(test)]
mod tests;
