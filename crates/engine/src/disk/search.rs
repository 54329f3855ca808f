//! The search level by level: expand, sort, take out what was met, write down.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use quadrille_model::{ActionId, Bound, Counts};

use super::candidates::{CHUNK, Candidates};
use super::checkpoint::{Disk, growing};
use super::expand::{Look, Seen, Worker};
use super::folder::Trouble;
use super::key::Key;
use super::run::Run;
use super::states::States;
use super::visited::{Visited, merge};
use crate::bits::Bits;
use crate::limits::{Progress, Watch};
use crate::safety::Property;
use crate::workers::Workers;
use crate::{Error, Stopped};

/// Blocks that a worker expands at a time; where steps are not masks, and may take long, the parts of a
/// block that it expands at a time.
pub(super) const SLICE: usize = 8;
pub(super) const PARTS: usize = 32;

impl From<Trouble> for Stopped {
    fn from(trouble: Trouble) -> Self {
        Stopped::Failed(Error::Store(Box::new(trouble)))
    }
}

/// A search level by level.
pub(super) struct Search<'m, K> {
    pub states: States<'m>,
    pub visited: Visited<K>,
    pub disk: Option<Disk>,
    pub counts: Counts,
    /// What refutes a property: its number, the depth, and the state.
    pub found: Vec<(usize, u64, K)>,
    pub is_complete: bool,
    pub workers: Workers,
    /// Bytes that candidates may take before they are written down.
    pub room: usize,
    /// Whether states are limited: there may be more than numbers of 32 bits.
    pub limits_states: bool,
}

impl<'m, K: Key> Search<'m, K> {
    /// Goes on until everything was met, or every property was refuted.
    pub fn run(
        &mut self,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        let ended = self.walk(properties, watch);
        // After an error, nothing is kept that was not looked at to its end.
        if matches!(ended, Ok(()) | Err(Stopped::Bound(_))) {
            self.commit(true)?;
        }
        ended
    }

    fn walk(&mut self, properties: &[Property<'_>], watch: &mut Watch<'_>) -> Result<(), Stopped> {
        if self.visited.sizes.is_empty() {
            self.begin(properties, watch)?;
        }
        let look = self.look(properties);
        while !self.is_complete && !self.is_settled(properties) {
            let depth = self.visited.sizes.len() as u64 - 1;
            self.descend(depth, properties, &look, watch)?;
        }
        Ok(())
    }

    /// Whether every property is refuted; without any, never.
    pub fn is_settled(&self, properties: &[Property<'_>]) -> bool {
        !properties.is_empty() && self.found.len() == properties.len()
    }

    pub fn is_open(&self, number: usize) -> bool {
        self.found.iter().all(|(found, ..)| *found != number)
    }

    fn begin(&mut self, properties: &[Property<'_>], watch: &mut Watch<'_>) -> Result<(), Stopped> {
        let (mut own, mut first) = (self.states.own(), Vec::new());
        self.states.each_initial(&mut own, |key| first.push(key))?;
        first.sort();
        first.dedup();
        let candidates = Candidates::default();
        candidates.add(first);
        let level = self.absorb(candidates, watch)?;
        self.meet(level, 0, properties, watch)?;
        self.counts.depth = Some(0);
        self.is_complete = self.visited.n == 0;
        self.commit(false)
    }

    pub fn look(&self, properties: &[Property<'_>]) -> Look {
        let signature = self.states.model.signature();
        let is_wanted = |action: ActionId| {
            let mut never = properties.iter().filter_map(|property| match property {
                Property::Never(is_wanted) => Some(is_wanted),
                _ => None,
            });
            never.any(|is_wanted| is_wanted(action))
        };
        let group_counts = |group: usize| {
            let actions = signature.groups[group].actions.as_deref();
            actions.is_none_or(|actions| actions.iter().any(|&action| is_wanted(action)))
        };
        let actions = properties.iter().any(|it| matches!(it, Property::Never(_)));
        let groups = || Bits::filter(signature.groups.len(), group_counts);
        let masks = if actions { self.states.steps_of(&groups()) } else { None };
        let deadlock = properties.iter().any(|it| matches!(it, Property::DeadlockFree));
        Look { deadlock, actions, masks }
    }

    /// Expands the deepest level, and adds the next one.
    fn descend(
        &mut self,
        depth: u64,
        properties: &[Property<'_>],
        look: &Look,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        let mut candidates = Candidates::default();
        let seen = self.expand(depth as usize, look, &mut candidates, watch)?;
        let found = self.refuted(&seen, depth, properties)?;
        self.counts.transitions += seen.n_targets;
        self.counts.deadlocks += seen.n_deadlocks;
        let n_found = self.found.len();
        self.found.extend(found);
        let level = match self.is_settled(properties) {
            // Nothing more is asked; what follows was not looked at.
            true => return Ok(()),
            false => self.absorb(candidates, watch),
        };
        let level = level.inspect_err(|_| {
            // The level is expanded again, if the search goes on.
            self.counts.transitions -= seen.n_targets;
            self.counts.deadlocks -= seen.n_deadlocks;
            self.found.truncate(n_found);
        })?;
        if level.n == 0 {
            self.is_complete = true;
            return Ok(());
        }
        self.meet(level, depth + 1, properties, watch)?;
        self.counts.depth = Some(depth + 1);
        self.merge_parts(watch)?;
        self.commit(false)
    }

    /// What the expansion of the deepest level refutes.
    pub fn refuted(
        &self,
        seen: &Seen<K>,
        depth: u64,
        properties: &[Property<'_>],
    ) -> Result<Vec<(usize, u64, K)>, Stopped> {
        let mut found = Vec::new();
        for (number, property) in properties.iter().enumerate().filter(|(it, _)| self.is_open(*it))
        {
            let state = match property {
                Property::DeadlockFree => seen.deadlock.clone(),
                Property::Never(is_wanted) => {
                    let mut actions = seen.actions.iter().map(ActionId::from_usize);
                    match actions.any(is_wanted) {
                        true => self.first_edge(&**is_wanted)?,
                        false => None,
                    }
                }
                Property::Always(_) => None,
            };
            found.extend(state.map(|state| (number, depth, state)));
        }
        Ok(found)
    }

    /// Adds a level and asks the invariants about its states.
    fn meet(
        &mut self,
        level: Run<K>,
        depth: u64,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        let found = self.broken(&level, depth, properties, watch);
        self.visited.add(level);
        self.counts.states = self.visited.n;
        self.found.extend(found?);
        Ok(())
    }

    /// The first state of a level that breaks each invariant.
    pub fn broken(
        &self,
        level: &Run<K>,
        depth: u64,
        properties: &[Property<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<(usize, u64, K)>, Stopped> {
        let is_asked = |(number, property): &(usize, &Property<'_>)| {
            matches!(property, Property::Always(_)) && self.is_open(*number)
        };
        let mut open: Vec<_> = properties.iter().enumerate().filter(is_asked).collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let (mut own, mut found, mut problem) = (self.states.own(), Vec::new(), None);
        level.each_block(|keys| {
            // A level is looked at to its end: these states are not asked again.
            let _ = watch.wait();
            for key in keys {
                if open.is_empty() || problem.is_some() {
                    break;
                }
                let values = self.states.values(&mut own, key);
                open.retain(|(number, property)| match property {
                    Property::Always(holds) => match holds(values) {
                        Ok(true) => true,
                        Ok(false) => {
                            found.push((*number, depth, key.clone()));
                            false
                        }
                        Err(trouble) => {
                            problem = Some(trouble);
                            false
                        }
                    },
                    _ => false,
                });
            }
            Ok(())
        })?;
        problem.map_or(Ok(found), |problem| Err(problem.into()))
    }

    /// Expands a level; what is known of its edges but the successors.
    fn expand(
        &mut self,
        level: usize,
        look: &Look,
        candidates: &mut Candidates<K>,
        watch: &mut Watch<'_>,
    ) -> Result<Seen<K>, Stopped> {
        let n_blocks = self.visited.last().map_or(0, |run| run.blocks.len());
        let (n_each, n_parts) = if self.states.are_masks() { (SLICE, 1) } else { (1, PARTS) };
        let n_slices = n_blocks.div_ceil(n_each) * n_parts;
        let next = AtomicUsize::new(0);
        let all: Mutex<Seen<K>> = Mutex::default();
        let mut bound = None;
        let (n_done, mut n_told) = (AtomicUsize::new(0), 0);
        while next.load(Ordering::Relaxed) < n_slices && bound.is_none() {
            let Some(run) = self.visited.last() else { break };
            let (states, room) = (&self.states, self.room);
            let sink = &*candidates;
            let buffers = self.workers.number() * 3 * CHUNK.min(room / 8);
            let held = self.visited.memory() + states.dictionary().bytes() + buffers;
            let workers = if n_slices > 1 { self.workers } else { Workers::default() };
            // Every worker takes slices until all are taken or there is no more room.
            let slices = std::iter::from_fn(|| {
                let is_full = sink.n() * size_of::<K>() > room;
                let number = if is_full { n_slices } else { next.fetch_add(1, Ordering::Relaxed) };
                (number < n_slices).then_some(number)
            });
            let (n_states, transitions) = (self.visited.n, self.counts.transitions);
            let n_limited = if self.limits_states { n_states as usize } else { 0 };
            workers.share(
                slices,
                || Worker::new(states, look, (sink, room), &all),
                |worker, number| {
                    let start = number / n_parts * n_each;
                    let blocks = start..(start + n_each).min(n_blocks);
                    let n = worker.slice(run, number, blocks, (number % n_parts, n_parts));
                    n_done.fetch_add(n, Ordering::Relaxed);
                },
                || {
                    let done = n_done.load(Ordering::Relaxed);
                    let progress = || Progress {
                        states: n_states,
                        transitions,
                        depth: Some(level as u64),
                        frontier: run.n - (done as u64).min(run.n),
                        bytes: (held + sink.memory()) as u64,
                    };
                    let checked = watch.check_after(done - n_told, n_limited, progress);
                    n_told = done;
                    bound = bound.or(checked.err());
                    bound.is_none()
                },
            );
            if let Some(bound) = bound {
                return Err(bound.into());
            }
            if next.load(Ordering::Relaxed) < n_slices {
                let some = std::mem::take(candidates);
                candidates.spilled = self.spill(some)?;
            }
        }
        let seen = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (seen.trouble, seen.problem) {
            (Some(trouble), _) => Err(trouble.into()),
            (None, Some((_, problem))) => Err(problem.into()),
            (None, None) => Ok(Seen { trouble: None, problem: None, ..seen }),
        }
    }

    /// Writes candidates down as one run beside those that were written before, or together with them
    /// where these are many.
    pub fn spill(&mut self, mut candidates: Candidates<K>) -> Result<Vec<Run<K>>, Stopped> {
        let mut kept = std::mem::take(&mut candidates.spilled);
        if kept.len() >= 8 {
            candidates.spilled = std::mem::take(&mut kept);
        }
        let name = self.disk.as_mut().map(Disk::spill_name).unwrap_or_default();
        let mut all = growing(self.disk.as_ref(), name);
        candidates.merge(None, self.workers, || true, |run| all.add(run))?;
        kept.push(all.end_scratch());
        Ok(kept)
    }

    /// The candidates that were not met, as a run.
    pub fn absorb(
        &mut self,
        mut candidates: Candidates<K>,
        watch: &mut Watch<'_>,
    ) -> Result<Run<K>, Stopped> {
        let mut bound: Option<Bound> = None;
        let held = self.visited.memory() + candidates.memory();
        let level = self.visited.sizes.len();
        let name = self.disk.as_mut().map(Disk::name).unwrap_or_default();
        let mut all = growing(self.disk.as_ref(), name);
        let n_before = self.visited.n;
        let n_limited = if self.limits_states { n_before as usize } else { 0 };
        let counts = self.counts;
        let go_on = || {
            let progress = || Progress {
                states: n_before,
                transitions: counts.transitions,
                depth: counts.depth,
                frontier: 0,
                bytes: held as u64,
            };
            let checked = watch.check_after(1 << 10, n_limited, progress);
            bound = bound.or(checked.err());
            bound.is_none()
        };
        candidates.merge(Some(&self.visited), self.workers, go_on, |run| all.add(run))?;
        self.sweep_spills();
        if let Some(bound) = bound {
            return Err(bound.into());
        }
        let n_limbs = self.disk.as_ref().map_or(1, |disk| disk.manifest.n_limbs);
        let (run, entry) = all.end(level..level + 1, n_limbs)?;
        if let (Some(disk), Some(entry)) = (&mut self.disk, entry) {
            disk.note(entry);
        }
        Ok(run)
    }

    fn sweep_spills(&self) {
        if let Some(disk) = &self.disk {
            disk.remove_spills();
        }
    }

    /// Merges runs of levels where these are many.
    pub fn merge_parts(&mut self, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        while let Some(first) = self.visited.to_merge() {
            let name = self.disk.as_mut().map(Disk::name).unwrap_or_default();
            let mut all = growing(self.disk.as_ref(), name);
            let [one, other] = [&self.visited.parts[first], &self.visited.parts[first + 1]];
            let between = || {
                // What is half merged is of no use: it only tells that it gets on.
                let _ = watch.wait();
            };
            merge([one, other], self.workers, between, |run| all.add(run))?;
            let n_limbs = self.disk.as_ref().map_or(1, |disk| disk.manifest.n_limbs);
            let (run, entry) = all.end(one.levels.start..other.levels.end, n_limbs)?;
            self.visited.replace(first, run);
            if let (Some(disk), Some(entry)) = (&mut self.disk, entry) {
                disk.note(entry);
            }
        }
        Ok(())
    }

    pub fn commit(&mut self, now: bool) -> Result<(), Stopped> {
        let Some(disk) = &mut self.disk else { return Ok(()) };
        let mut dictionary = self.states.dictionary();
        let how = (self.is_complete, now);
        disk.commit(&mut self.visited, &mut dictionary, &self.counts, &self.found, how)?;
        Ok(())
    }

    /// The first state of the deepest level with an edge of a wanted action.
    fn first_edge(&self, is_wanted: &dyn Fn(ActionId) -> bool) -> Result<Option<K>, Stopped> {
        let (mut own, mut first, mut problem) = (self.states.own(), None, None);
        let Some(level) = self.visited.last() else { return Ok(None) };
        level.each_block(|keys| {
            for key in keys {
                if first.is_some() || problem.is_some() {
                    break;
                }
                let mut is_it = false;
                let look = |_, action, _: K| is_it |= is_wanted(action);
                problem = self.states.each_edge(&mut own, key, look).err();
                first = is_it.then(|| key.clone());
            }
            Ok(())
        })?;
        match problem {
            Some(problem) => Err(problem.into()),
            None => Ok(first),
        }
    }
}

/// Bytes that candidates may take, of those that are allowed in all.
pub(super) fn memory_room(limit: Option<u64>, is_on_disk: bool) -> usize {
    let whole = limit.unwrap_or(if is_on_disk { 1 << 30 } else { 2 << 30 });
    (whole / 4) as usize
}
