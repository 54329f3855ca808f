//! What tasks know of each other: vector clocks in the manner of `FastTrack` (Flanagan & Freund, PLDI
//! 2009) over the synchronises-with of C11. An acquire load takes over what the release store that it
//! reads from knew; a relaxed access passes on nothing but through fences. Which store a load reads
//! from, it is told: the last one (`races.rs`), or the one that was chosen (`weak.rs`).
//!
//! Where an object's exact rule is not known here (condition variables, barriers, `Once`), every
//! operation on it synchronises.

use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

use crate::operation::{Access, Action, Kind, ObjectId, Operation};

/// How much of the past is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// By task: how many of its operations.
    operations: Vec<u64>,
    /// By location: the rank of a store; those of lower ranks are overwritten. Only with weak memory.
    stores: Vec<u64>,
}

fn join(mine: &mut Vec<u64>, theirs: &[u64]) {
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), 0);
    }
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = (*mine).max(*theirs);
    }
}

impl Clock {
    pub(crate) fn join(&mut self, other: &Clock) {
        join(&mut self.operations, &other.operations);
        join(&mut self.stores, &other.stores);
    }

    /// The same of stores only.
    pub(crate) fn join_stores(&mut self, other: &Clock) {
        join(&mut self.stores, &other.stores);
    }

    fn tick(&mut self, task: usize) {
        if self.operations.len() <= task {
            self.operations.resize(task + 1, 0);
        }
        self.operations[task] += 1;
    }

    fn knows(&self, access: Past) -> bool {
        self.operations.get(access.task).is_some_and(|&known| known >= access.number)
    }

    /// The rank of the latest store to a location that is known.
    pub(crate) fn rank(&self, location: usize) -> u64 {
        self.stores.get(location).copied().unwrap_or(0)
    }

    pub(crate) fn learn(&mut self, location: usize, rank: u64) {
        if self.stores.len() <= location {
            self.stores.resize(location + 1, 0);
        }
        self.stores[location] = self.stores[location].max(rank);
    }
}

/// What a task knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    pub(crate) now: Clock,
    /// What relaxed loads read and an acquire fence will take over.
    awaiting_fence: Clock,
    /// What the last release fence publishes with later relaxed stores.
    fenced: Clock,
}

impl Knowledge {
    /// Reads from a store that published `released`.
    pub(crate) fn read(&mut self, order: Ordering, released: &Clock) {
        let into = if acquires(order) { &mut self.now } else { &mut self.awaiting_fence };
        into.join(released);
    }

    /// What a store publishes.
    pub(crate) const fn published(&self, order: Ordering) -> &Clock {
        if releases(order) { &self.now } else { &self.fenced }
    }

    /// A fence; one that is sequentially consistent exchanges what is known of stores with `all`.
    pub(crate) fn fence(&mut self, order: Ordering, all: Option<&mut Clock>) {
        if acquires(order) {
            let awaiting = std::mem::take(&mut self.awaiting_fence);
            self.now.join(&awaiting);
        }
        if let Some(all) = all.filter(|_| order == Ordering::SeqCst) {
            self.now.join_stores(all);
            all.join_stores(&self.now);
        }
        if releases(order) {
            self.fenced = self.now.clone();
        }
    }
}

const fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

const fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

/// An access of a cell that is over.
#[derive(Clone, Copy, Debug)]
struct Past {
    task: usize,
    /// The task's clock when it happened.
    number: u64,
    /// Its place in the trace.
    index: usize,
}

/// What synchronising objects and cells remember.
#[derive(Clone, Debug, Default)]
struct Shared {
    /// What a task that acquires takes over.
    released: Clock,
    /// The same of those who held it together: for who takes it alone.
    unshared: Clock,
    /// What each message of a queue brings, and how many were taken.
    pushes: Vec<Clock>,
    n_pops: usize,
    write: Option<Past>,
    /// The last read of each task since the last write.
    reads: Vec<Past>,
}

/// Two accesses of a cell that nothing orders, by their places in the trace.
pub(crate) type DataRace = (usize, usize);

/// What all tasks know at a moment of an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Common {
    tasks: Vec<Knowledge>,
    objects: FxHashMap<ObjectId, Shared>,
    /// What the task of an operation knew after it, for those that it is the cause of.
    causes: FxHashMap<u32, Clock>,
    /// The first data race.
    pub(crate) race: Option<DataRace>,
}

impl Common {
    pub(crate) fn of(&mut self, task: usize) -> &mut Knowledge {
        if self.tasks.len() <= task {
            self.tasks.resize_with(task + 1, Knowledge::default);
        }
        &mut self.tasks[task]
    }

    pub(crate) fn all(&mut self) -> impl Iterator<Item = &mut Knowledge> {
        self.tasks.iter_mut()
    }

    /// An operation, counted from 1, is over and the cause of others.
    pub(crate) fn note_cause(&mut self, operation: u32, task: usize) {
        let now = self.of(task).now.clone();
        self.causes.insert(operation, now);
    }

    /// An operation of a task begins: it comes after what it waited for.
    pub(crate) fn begin(&mut self, operation: &Operation) {
        let task = operation.task.index();
        let cause = self.causes.get(&operation.cause).cloned();
        let me = self.of(task);
        me.now.tick(task);
        if let Some(cause) = cause {
            me.now.join(&cause);
        }
    }

    /// An access of a tracked cell: after whatever it must come after?
    pub(crate) fn access(&mut self, index: usize, operation: &Operation) {
        let task = operation.task.index();
        let number = self.of(task).now.operations[task];
        let past = Past { task, number, index };
        let cell = self.objects.entry(operation.object).or_default();
        let is_write = operation.action == Action::WriteCell;
        let reads = cell.reads.iter().filter(|_| is_write);
        let now = &self.tasks[task].now;
        let unknown = cell.write.iter().chain(reads).find(|access| !now.knows(**access));
        if let Some(earlier) = unknown {
            self.race.get_or_insert((earlier.index, index));
        }
        if is_write {
            cell.reads.clear();
            cell.write = Some(past);
        } else {
            cell.reads.retain(|read| read.task != task);
            cell.reads.push(past);
        }
    }

    /// Passes knowledge from an object to the task and back. Loads read the last store.
    pub(crate) fn synchronise(&mut self, operation: &Operation, kind: Kind) {
        self.of(operation.task.index());
        let me = &mut self.tasks[operation.task.index()];
        let shared = self.objects.entry(operation.object).or_default();
        match (operation.action, operation.access) {
            (Action::Fence(order), _) => me.fence(order, None),
            (Action::Load(order), _) => me.read(order, &shared.released),
            (Action::Store(order), _) => shared.released.clone_from(me.published(order)),
            (Action::Update(order), _) => {
                me.read(order, &shared.released);
                // What was published before stays so: a release sequence goes on.
                shared.released.join(me.published(order));
            }
            (_, Access::None | Access::Resume) => {}
            (_, Access::Acquire) => {
                me.now.join(&shared.released);
                me.now.join(&shared.unshared);
            }
            (_, Access::Share) => me.now.join(&shared.released),
            (_, Access::Release | Access::Leave | Access::Signal) => shared.released.join(&me.now),
            (_, Access::Unshare) => shared.unshared.join(&me.now),
            (_, Access::Push) => shared.pushes.push(me.now.clone()),
            (_, Access::Pop) => {
                me.now.join(shared.pushes.get(shared.n_pops).unwrap_or(&shared.released));
                shared.n_pops += 1;
            }
            // That tasks are numbered and time passes orders nothing.
            _ if matches!(kind, Kind::Tasks | Kind::Clock) => {}
            (_, access) => {
                me.now.join(&shared.released);
                me.now.join(&shared.unshared);
                shared.pushes.iter().for_each(|push| me.now.join(push));
                if access.changes() {
                    shared.released.join(&me.now);
                }
            }
        }
    }
}
