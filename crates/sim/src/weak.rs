//! Weak memory, as C11 has it: which store an atomic load reads, and where in the modification order a
//! store goes, are decisions. Knows nothing of scheduling.
//!
//! The stores of a location are kept in their modification order. A task knows one of them as
//! overwriting those before it, and reads that one or any later one; its own store may come anywhere
//! after it, but not between an update and what that update read. Views pass from task to task with
//! what synchronises (`knowledge.rs`), as in "A promising semantics for relaxed-memory concurrency"
//! (Kang et al., POPL 2017) without its promises, which is RC11 (Lahav et al., PLDI 2017) for programs
//! without load buffering. Sequentially consistent stores and fences tell one view that all
//! sequentially consistent operations after them must not read behind.
//!
//! Not modelled: a load that reads what is stored only after it (load buffering); an order of
//! sequentially consistent operations against a relaxed load's reading. Both need that a store is seen
//! before it is executed.

use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

use crate::knowledge::{Clock, Common};
use crate::operation::{Action, Kind, ObjectId, Operation, TaskId};
use crate::races::is_tracked;

/// A store to a location.
#[derive(Clone, Debug)]
struct Store {
    /// Where in the modification order; room is left for others between two of them.
    rank: u64,
    value: u64,
    /// Whether it belongs to an update, and so directly behind the store before it.
    is_update: bool,
    /// What an acquire load that reads it takes over.
    released: Clock,
}

/// The stores to an atomic, in modification order; the first one was there before.
#[derive(Clone, Debug)]
struct Location(Vec<Store>);

/// The distance of stores that nothing was put between: enough for 40 halvings.
const GAP: u64 = 1 << 40;

impl Location {
    fn append(&mut self, value: u64) -> u64 {
        let rank = self.0.last().map_or(0, |last| last.rank) + GAP;
        self.0.push(Store { rank, value, is_update: false, released: Clock::default() });
        rank
    }

    /// Whether a store can go directly behind another one.
    fn has_room_behind(&self, index: usize) -> bool {
        let rank = self.0[index].rank;
        self.0.get(index + 1).is_none_or(|next| !next.is_update && next.rank - rank > 1)
    }

    fn insert_behind(&mut self, index: usize, value: u64, is_update: bool, released: Clock) -> u64 {
        let before = self.0[index].rank;
        let rank = self.0.get(index + 1).map_or(before + GAP, |next| before.midpoint(next.rank));
        self.0.insert(index + 1, Store { rank, value, is_update, released });
        rank
    }
}

/// What an update found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Updated {
    pub(crate) before: u64,
    /// Whether the value it wrote is the last one of the modification order.
    pub(crate) is_last: bool,
    /// Whether it read the last store.
    pub(crate) read_last: bool,
}

/// A choice below a bound.
pub(crate) type Draw<'a> = &'a mut dyn FnMut(u32) -> u32;

/// The memory of an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weak {
    pub(crate) common: Common,
    numbers: FxHashMap<ObjectId, usize>,
    locations: Vec<Location>,
    /// What sequentially consistent operations so far make all later ones know.
    ordered: Clock,
}

impl Weak {
    /// An operation is performed; atomic accesses follow by `load`, `store` and `update`.
    pub(crate) fn step(&mut self, index: usize, operation: &Operation, kind: Kind) {
        self.common.begin(operation);
        match operation.action {
            Action::Fence(order) => {
                self.common.of(operation.task.index()).fence(order, Some(&mut self.ordered));
            }
            Action::Load(_) | Action::Store(_) | Action::Update(_) => {}
            action if is_tracked(action) => self.common.access(index, operation),
            _ => self.common.synchronise(operation, kind),
        }
    }

    /// The location of an atomic that holds `held`. What was put there other than by a store, while
    /// one task had it for itself, is known to all.
    fn location(&mut self, object: ObjectId, held: u64) -> usize {
        let number = *self.numbers.entry(object).or_insert(self.locations.len());
        if number == self.locations.len() {
            self.locations.push(Location(Vec::new()));
        }
        let location = &mut self.locations[number];
        if location.0.last().is_none_or(|last| last.value != held) {
            let rank = location.append(held);
            self.common.all().for_each(|task| task.now.learn(number, rank));
        }
        number
    }

    /// The stores that are not overwritten as far as a task knows: from this index on.
    fn first_visible(&mut self, task: TaskId, location: usize, order: Ordering) -> usize {
        let mut rank = self.common.of(task.index()).now.rank(location);
        if order == Ordering::SeqCst {
            rank = rank.max(self.ordered.rank(location));
        }
        self.locations[location].0.partition_point(|store| store.rank < rank)
    }

    fn read(&mut self, task: TaskId, location: usize, index: usize, order: Ordering) -> u64 {
        let Store { rank, value, released, .. } = &self.locations[location].0[index];
        let me = self.common.of(task.index());
        me.read(order, released);
        me.now.learn(location, *rank);
        *value
    }

    fn wrote(&mut self, task: TaskId, location: usize, rank: u64, order: Ordering) {
        self.common.of(task.index()).now.learn(location, rank);
        if order == Ordering::SeqCst {
            self.ordered.learn(location, rank);
        }
    }

    /// Reads; the value, and whether that is of the last store.
    pub(crate) fn load(
        &mut self,
        task: TaskId,
        (object, held): (ObjectId, u64),
        order: Ordering,
        draw: Draw<'_>,
    ) -> (u64, bool) {
        let location = self.location(object, held);
        let last = self.locations[location].0.len() - 1;
        let choices = last + 1 - self.first_visible(task, location, order);
        let back = choose(choices, draw);
        (self.read(task, location, last - back, order), back == 0)
    }

    /// Writes; whether that is the last store of the modification order.
    pub(crate) fn store(
        &mut self,
        task: TaskId,
        (object, held): (ObjectId, u64),
        value: u64,
        order: Ordering,
        draw: Draw<'_>,
    ) -> bool {
        let location = self.location(object, held);
        let first = self.first_visible(task, location, order);
        let stores = &self.locations[location];
        let last = stores.0.len() - 1;
        let places = (first..=last).rev().filter(|&index| stores.has_room_behind(index));
        let places: Vec<usize> = places.collect();
        let behind = places[choose(places.len(), draw)];
        let released = self.common.of(task.index()).published(order).clone();
        let rank = self.locations[location].insert_behind(behind, value, false, released);
        self.wrote(task, location, rank, order);
        behind == last
    }

    /// Reads, and writes what `next` makes of the value directly behind what was read, unless it
    /// makes nothing of it: then it was a load of order `failure`.
    pub(crate) fn update(
        &mut self,
        task: TaskId,
        (object, held): (ObjectId, u64),
        (success, failure): (Ordering, Ordering),
        next: &dyn Fn(u64) -> Option<u64>,
        draw: Draw<'_>,
    ) -> Updated {
        let location = self.location(object, held);
        let first = self.first_visible(task, location, success);
        let first_failing = self.first_visible(task, location, failure);
        let stores = &self.locations[location];
        let last = stores.0.len() - 1;
        let is_possible = |&index: &usize| match next(stores.0[index].value) {
            Some(_) => index >= first && stores.has_room_behind(index),
            None => index >= first_failing,
        };
        let places = (first.min(first_failing)..=last).rev().filter(is_possible);
        let places: Vec<usize> = places.collect();
        let read = places[choose(places.len(), draw)];
        let after = next(stores.0[read].value);
        let order = if after.is_some() { success } else { failure };
        // A release sequence goes on.
        let mut released = stores.0[read].released.clone();
        let before = self.read(task, location, read, order);
        let Some(after) = after else {
            return Updated { before, is_last: false, read_last: read == last };
        };
        released.join(self.common.of(task.index()).published(order));
        let rank = self.locations[location].insert_behind(read, after, true, released);
        self.wrote(task, location, rank, order);
        Updated { before, is_last: read == last, read_last: read == last }
    }
}

fn choose(choices: usize, draw: Draw<'_>) -> usize {
    if choices > 1 { draw(choices as u32) as usize } else { 0 }
}
