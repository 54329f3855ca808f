//! Which operations of an execution happened before which, and which could as well have come in the
//! other order: vector clocks over the dependencies of [`Access`].

use crate::operation::{Access, Action, ObjectId, Operation, Request, SEQUENTIAL, TaskId};

/// Two operations of different tasks, not ordered otherwise, whose order matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) earlier: usize,
    /// An index of the trace; or the end of the trace plus the number of a task that is blocked,
    /// for its pending operation.
    pub(crate) later: usize,
}

/// The happens-before relation of an execution.
#[derive(Debug, Default)]
pub(crate) struct Order {
    n_tasks: usize,
    /// For each operation, how many operations of each task happened before it or are it.
    clocks: Vec<u32>,
    /// Which operation of its task it is, from 1.
    numbers: Vec<u32>,
    owners: Vec<u16>,
    pub(crate) races: Vec<Race>,
    scratch: Vec<u32>,
    objects: Vec<History>,
}

/// What happened to one object.
#[derive(Clone, Debug, Default)]
struct History {
    events: Vec<u32>,
    released: Vec<u32>,
    unshared: Vec<u32>,
    left: Vec<u32>,
    pushes: Vec<u32>,
    n_pops: usize,
}

impl Order {
    /// Computes the relation, and the races whose later operation is at `from` or after.
    pub(crate) fn compute(
        &mut self,
        trace: &[Operation],
        pending: &[Request],
        blocked: &[TaskId],
        from: usize,
    ) {
        let n_tasks = pending.len();
        self.n_tasks = n_tasks;
        self.clocks.clear();
        self.numbers.clear();
        self.owners.clear();
        self.races.clear();
        for history in &mut self.objects {
            history.clear();
        }
        let mut last: Vec<Option<usize>> = vec![None; n_tasks];
        for (index, operation) in trace.iter().enumerate() {
            let task = operation.task.index();
            self.enter(last[task]);
            for (prior, &owner) in self.owners.iter().enumerate().take(operation.after as usize) {
                let known = &mut self.scratch[owner as usize];
                *known = (*known).max(self.numbers[prior]);
            }
            if let Some(cause) = (operation.cause as usize).checked_sub(1) {
                join(&mut self.scratch, &self.clocks[cause * n_tasks..][..n_tasks]);
            }
            let Operation { object, access, cause, .. } = *operation;
            self.meet(trace, object, access, cause as usize, index, index >= from);
            if access.is_ordered() {
                self.meet(trace, SEQUENTIAL, Access::Read, 0, index, index >= from);
            }
            self.wait_for(object, access);
            let number = last[task].map_or(0, |prior| self.numbers[prior]) + 1;
            self.scratch[task] = number;
            self.clocks.extend_from_slice(&self.scratch);
            self.numbers.push(number);
            self.owners.push(operation.task.0);
            last[task] = Some(index);
            self.note(index, operation);
        }
        for &task in blocked {
            let Request { object, access, .. } = pending[task.index()];
            self.enter(last[task.index()]);
            self.meet(trace, object, access, 0, trace.len() + task.index(), true);
        }
    }

    /// Whether one operation happened before another, or is it.
    pub(crate) fn precedes(&self, earlier: usize, later: usize) -> bool {
        self.clocks[later * self.n_tasks + self.owners[earlier] as usize] >= self.numbers[earlier]
    }

    /// Begins with what a task's previous operation knew.
    fn enter(&mut self, previous: Option<usize>) {
        self.scratch.clear();
        match previous {
            Some(previous) => {
                let clock = &self.clocks[previous * self.n_tasks..][..self.n_tasks];
                self.scratch.extend_from_slice(clock);
            }
            None => self.scratch.resize(self.n_tasks, 0),
        }
    }

    /// Finds the operations that an access races with and orders it after them.
    fn meet(
        &mut self,
        trace: &[Operation],
        object: ObjectId,
        access: Access,
        cause: usize,
        index: usize,
        is_new: bool,
    ) {
        let Some(history) = self.objects.get(object.index()) else { return };
        for &event in history.events.iter().rev() {
            let event = event as usize;
            // An operation on another object takes part in the order of this one, and no more.
            let is_direct = trace[event].object == object;
            let other = if is_direct { trace[event].access } else { Access::Read };
            if !other.races(access) {
                continue;
            }
            let is_known = self.scratch[self.owners[event] as usize] >= self.numbers[event];
            if !is_known {
                if is_new && event + 1 != cause {
                    self.races.push(Race { earlier: event, later: index });
                }
                let clock = &self.clocks[event * self.n_tasks..][..self.n_tasks];
                join(&mut self.scratch, clock);
            }
            // Whatever was there before this one happened before it.
            let covers = other.is_write()
                || (other == access && access.races(access))
                || (other == Access::Acquire && access == Access::Share);
            if covers {
                break;
            }
        }
    }

    /// Orders an access after what it had to wait for.
    fn wait_for(&mut self, object: ObjectId, access: Access) {
        let n_tasks = self.n_tasks;
        let Some(history) = self.objects.get_mut(object.index()) else { return };
        match access {
            Access::Acquire => {
                join(&mut self.scratch, &history.released);
                join(&mut self.scratch, &history.unshared);
            }
            Access::Share => join(&mut self.scratch, &history.released),
            Access::Pop => match history.pushes.get(history.n_pops) {
                Some(&push) => {
                    let clock = &self.clocks[push as usize * n_tasks..][..n_tasks];
                    join(&mut self.scratch, clock);
                }
                None => join(&mut self.scratch, &history.left),
            },
            _ => {}
        }
    }

    /// Remembers an operation for those that come after it.
    fn note(&mut self, index: usize, operation: &Operation) {
        if operation.object == ObjectId::NONE || operation.access == Access::None {
            return;
        }
        let object = operation.object.index();
        let needed = object.max(SEQUENTIAL.index()) + 1;
        if self.objects.len() < needed {
            self.objects.resize(needed, History::default());
        }
        if operation.access.is_ordered() {
            self.objects[SEQUENTIAL.index()].events.push(index as u32);
        }
        let history = &mut self.objects[object];
        let clock = &self.clocks[index * self.n_tasks..];
        match operation.access {
            Access::Release => assign(&mut history.released, clock),
            Access::Unshare => assign(&mut history.unshared, clock),
            Access::Leave => assign(&mut history.left, clock),
            Access::Push => history.pushes.push(index as u32),
            Access::Pop => history.n_pops += 1,
            Access::Write if operation.action == Action::TryReceive && operation.value == 1 => {
                history.n_pops += 1;
            }
            _ => {}
        }
        if operation.access != Access::Resume {
            history.events.push(index as u32);
        }
    }
}

impl History {
    fn clear(&mut self) {
        self.events.clear();
        self.released.clear();
        self.unshared.clear();
        self.left.clear();
        self.pushes.clear();
        self.n_pops = 0;
    }
}

/// The least clock above both; an empty one is below all.
fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

fn assign(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.is_empty() {
        clock.extend_from_slice(other);
    } else {
        join(clock, other);
    }
}
