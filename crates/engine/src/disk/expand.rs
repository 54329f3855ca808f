//! A worker of a level: it expands slices, collects successors, and notes what is looked for.

use std::sync::{Mutex, PoisonError};

use quadrille_model::{ActionId, Problem};

use super::candidates::{Candidates, Collector};
use super::folder::Trouble;
use super::key::Key;
use super::run::Run;
use super::states::{Own, States};
use crate::bits::Bits;
use crate::steps::WordSteps;

/// What the expansion of a level showed beside the successors.
#[derive(Default)]
pub(super) struct Seen<K> {
    pub n_targets: u64,
    pub n_deadlocks: u64,
    pub deadlock: Option<K>,
    pub actions: Bits,
    pub problem: Option<(usize, Box<Problem>)>,
    pub trouble: Option<Trouble>,
}

impl<K: Key> Seen<K> {
    fn add(&mut self, other: Self) {
        self.n_targets += other.n_targets;
        self.n_deadlocks += other.n_deadlocks;
        let both = [self.deadlock.take(), other.deadlock];
        self.deadlock = both.into_iter().flatten().min();
        for action in other.actions.iter() {
            self.actions.insert_growing(action, action + 1);
        }
        let both = [self.problem.take(), other.problem];
        self.problem = both.into_iter().flatten().min_by_key(|(slice, _)| *slice);
        self.trouble = self.trouble.take().or(other.trouble);
    }
}

/// What is looked for while a level is expanded.
pub(super) struct Look {
    pub deadlock: bool,
    /// Whether actions are noted, and the masks of those that count where steps are masks.
    pub actions: bool,
    pub masks: Option<WordSteps>,
}

/// A worker that expands slices of a level.
pub(super) struct Worker<'a, 'm, K: Key> {
    states: &'a States<'m>,
    own: Own<'m>,
    look: &'a Look,
    collector: Collector<K>,
    sink: &'a Candidates<K>,
    /// Bytes that all candidates may take.
    room: usize,
    seen: Seen<K>,
    all: &'a Mutex<Seen<K>>,
    keys: Vec<K>,
}

impl<'a, 'm, K: Key> Worker<'a, 'm, K> {
    pub fn new(
        states: &'a States<'m>,
        look: &'a Look,
        (sink, room): (&'a Candidates<K>, usize),
        all: &'a Mutex<Seen<K>>,
    ) -> Self {
        let (own, collector, seen) = (states.own(), Collector::default(), Seen::default());
        Self { states, own, look, collector, sink, room, seen, all, keys: Vec::new() }
    }

    /// Expands some blocks, or of each the part with a number of so many. Says how many states those
    /// were.
    pub fn slice(
        &mut self,
        run: &Run<K>,
        number: usize,
        blocks: std::ops::Range<usize>,
        (part, n_parts): (usize, usize),
    ) -> usize {
        let mut n_expanded = 0;
        if self.seen.problem.is_some() || self.seen.trouble.is_some() {
            return 0;
        }
        let mut reader = run.reader();
        for position in blocks.clone() {
            if let Err(trouble) = reader.read(position, blocks.end, &mut self.keys) {
                self.seen.trouble = Some(trouble);
                break;
            }
            let n = self.keys.len();
            self.keys.truncate(n * (part + 1) / n_parts);
            self.keys.drain(..n * part / n_parts);
            n_expanded += self.keys.len();
            let Self { states, own, look, collector, seen, keys, .. } = self;
            let expanded =
                states_of_block(states, own, look, keys, seen, |key| collector.push(key));
            if let Err(problem) = expanded {
                self.seen.problem = Some((number, problem));
                break;
            }
            self.collector.hand_over(self.sink, self.room, false);
        }
        n_expanded
    }
}

/// Expands states: shows what follows on them, and notes what is looked for.
pub(super) fn states_of_block<'m, K: Key>(
    states: &States<'m>,
    own: &mut Own<'m>,
    look: &Look,
    keys: &[K],
    seen: &mut Seen<K>,
    mut see: impl FnMut(K),
) -> Result<(), Box<Problem>> {
    let notes = |actions: &mut Bits, action: ActionId| {
        actions.insert_growing(action.index(), action.index() + 1);
    };
    for key in keys {
        let n_targets = match (&look.masks, look.actions) {
            (None, true) => {
                let mut n_targets = 0;
                states.each_edge(own, key, |_, action, target| {
                    n_targets += 1;
                    notes(&mut seen.actions, action);
                    see(target);
                })?;
                n_targets
            }
            (masks, _) => {
                if let Some(masks) = masks {
                    masks.each(key.low(), |_, action| notes(&mut seen.actions, action));
                }
                states.expand(own, key, &mut see)?
            }
        };
        seen.n_targets += n_targets as u64;
        if n_targets == 0 && !states.may_end(own, key)? {
            seen.n_deadlocks += 1;
            if look.deadlock && seen.deadlock.as_ref().is_none_or(|least| key < least) {
                seen.deadlock = Some(key.clone());
            }
        }
    }
    Ok(())
}

/// What a worker saw is added to what all saw, when it has nothing left to do.
impl<K: Key> Drop for Worker<'_, '_, K> {
    fn drop(&mut self) {
        self.collector.hand_over(self.sink, self.room, true);
        let seen = std::mem::take(&mut self.seen);
        self.all.lock().unwrap_or_else(PoisonError::into_inner).add(seen);
    }
}
