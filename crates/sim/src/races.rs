//! Data races on tracked cells: two accesses of different tasks, one of them a write, that no
//! synchronisation orders. Vector clocks in the manner of `FastTrack` (Flanagan & Freund, PLDI 2009)
//! over the synchronises-with of C11: an acquire load takes over what the release store that it reads
//! from knew; a relaxed access passes on nothing but through fences. So a missing release or acquire
//! is found although the scheduler itself is sequentially consistent.
//!
//! Where an object's exact rule is not known here (condition variables, barriers, `Once`), every
//! operation on it synchronises: a race may be missed, none is invented.

use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

use crate::operation::{Access, Action, Kind, ObjectId, Operation};

/// How many operations of each task are known to be over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clock(Vec<u32>);

impl Clock {
    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    fn tick(&mut self, task: usize) {
        if self.0.len() <= task {
            self.0.resize(task + 1, 0);
        }
        self.0[task] += 1;
    }

    fn knows(&self, access: Past) -> bool {
        self.0.get(access.task).is_some_and(|&known| known >= access.number)
    }
}

/// What a task knows.
#[derive(Clone, Debug, Default)]
struct Knowledge {
    now: Clock,
    /// What relaxed loads read and an acquire fence will take over.
    awaiting_fence: Clock,
    /// What the last release fence publishes with later relaxed stores.
    fenced: Clock,
}

/// An access of a cell that is over.
#[derive(Clone, Copy, Debug)]
struct Past {
    task: usize,
    /// The task's clock when it happened.
    number: u32,
    /// Its place in the trace.
    index: usize,
}

/// What synchronising objects and cells remember.
#[derive(Clone, Debug, Default)]
struct Memory {
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

/// The first data race of an execution.
pub(crate) fn find(trace: &[Operation], kind: impl Fn(ObjectId) -> Kind) -> Option<DataRace> {
    let is_tracked = |o: &Operation| matches!(o.action, Action::ReadCell | Action::WriteCell);
    if !trace.iter().any(is_tracked) {
        return None;
    }
    let mut tasks: Vec<Knowledge> = Vec::new();
    let mut objects: FxHashMap<ObjectId, Memory> = FxHashMap::default();
    // What each operation's task knew after it, for those that it was the cause of.
    let mut after: Vec<Clock> = Vec::with_capacity(trace.len());
    for (index, operation) in trace.iter().enumerate() {
        let task = operation.task.index();
        if tasks.len() <= task {
            tasks.resize_with(task + 1, Knowledge::default);
        }
        let me = &mut tasks[task];
        me.now.tick(task);
        if let Some(cause) = (operation.cause as usize).checked_sub(1) {
            me.now.join(&after[cause]);
        }
        let memory = objects.entry(operation.object).or_default();
        if is_tracked(operation) {
            let number = me.now.0[task];
            let race = access(memory, me, Past { task, number, index }, operation.action);
            if race.is_some() {
                return race;
            }
        } else {
            synchronise(memory, me, operation, kind(operation.object));
        }
        after.push(me.now.clone());
    }
    None
}

/// An access of a cell: after whatever it must come after?
fn access(memory: &mut Memory, me: &Knowledge, past: Past, action: Action) -> Option<DataRace> {
    let is_write = action == Action::WriteCell;
    let reads = memory.reads.iter().filter(|_| is_write);
    let unknown = memory.write.iter().chain(reads).find(|access| !me.now.knows(**access));
    if let Some(earlier) = unknown {
        return Some((earlier.index, past.index));
    }
    if is_write {
        memory.reads.clear();
        memory.write = Some(past);
    } else {
        memory.reads.retain(|read| read.task != past.task);
        memory.reads.push(past);
    }
    None
}

const fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

const fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

/// Passes knowledge from the object to the task and back.
fn synchronise(memory: &mut Memory, me: &mut Knowledge, operation: &Operation, kind: Kind) {
    match (operation.action, operation.access) {
        (Action::Fence(order), _) => {
            if acquires(order) {
                let awaiting = std::mem::take(&mut me.awaiting_fence);
                me.now.join(&awaiting);
            }
            if releases(order) {
                me.fenced = me.now.clone();
            }
        }
        (Action::Load(order), _) => load(memory, me, order),
        (Action::Store(order), _) => {
            memory.released = if releases(order) { me.now.clone() } else { me.fenced.clone() };
        }
        (Action::Update(order), _) => {
            load(memory, me, order);
            // What was published before stays so: a release sequence goes on.
            memory.released.join(if releases(order) { &me.now } else { &me.fenced });
        }
        (_, Access::None | Access::Resume) => {}
        (_, Access::Acquire) => {
            me.now.join(&memory.released);
            me.now.join(&memory.unshared);
        }
        (_, Access::Share) => me.now.join(&memory.released),
        (_, Access::Release | Access::Leave) => memory.released.join(&me.now),
        (_, Access::Unshare) => memory.unshared.join(&me.now),
        (_, Access::Push) => memory.pushes.push(me.now.clone()),
        (_, Access::Pop) => {
            match memory.pushes.get(memory.n_pops) {
                Some(push) => me.now.join(push),
                None => me.now.join(&memory.released),
            }
            memory.n_pops += 1;
        }
        // That tasks are numbered and time passes orders nothing.
        (_, Access::Read | Access::Write) if matches!(kind, Kind::Tasks | Kind::Clock) => {}
        (_, access @ (Access::Read | Access::Write)) => {
            me.now.join(&memory.released);
            me.now.join(&memory.unshared);
            memory.pushes.iter().for_each(|push| me.now.join(push));
            if access == Access::Write {
                memory.released.join(&me.now);
            }
        }
    }
}

fn load(memory: &Memory, me: &mut Knowledge, order: Ordering) {
    if acquires(order) {
        me.now.join(&memory.released);
    } else {
        me.awaiting_fence.join(&memory.released);
    }
}
