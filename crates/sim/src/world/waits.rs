//! What tasks wait for, cycles among them, and the names of tasks and objects in reports.

use std::collections::VecDeque;

use super::{Object, World};
use crate::failure::{Awaiting, Blocked, Stuck};
use crate::operation::{Action, Guard, Kind, ObjectId, Request, TaskId};

impl World {
    pub(crate) fn waiting(&self, task: TaskId) -> Blocked {
        let Request { action, object, place, .. } = self.pending[task.index()];
        let kind = self.objects[object.index()].kind;
        let holders = self.holders(object);
        let polled = self.polled.iter().find(|polled| polled.alarm.object == object);
        let awaiting = polled
            .map(|polled| Awaiting { on: polled.awaits.clone(), n_wakers: polled.n_wakers() });
        Blocked { task, action, object, kind, holders, place, awaiting }
    }

    pub(crate) fn blocked(&self) -> Vec<Blocked> {
        let tasks = (0..self.tasks.len()).filter(|&task| !self.tasks[task].is_finished);
        tasks.map(|task| self.waiting(TaskId::new(task))).collect()
    }

    /// Who holds an object: of a lock for readers, all of them.
    pub(crate) fn holders(&self, object: ObjectId) -> Vec<TaskId> {
        let Object { kind, holder, .. } = self.objects[object.index()];
        if kind != Kind::RwLock {
            return holder.into_iter().collect();
        }
        let mut holders = Vec::new();
        for operation in self.trace.iter().filter(|operation| operation.object == object) {
            match operation.action {
                Action::Lock | Action::LockShared => holders.push(operation.task),
                Action::TryLock | Action::TryLockShared if operation.value == 1 => {
                    holders.push(operation.task);
                }
                Action::Unlock | Action::UnlockShared => {
                    let taken = holders.iter().position(|&holder| holder == operation.task);
                    // Guards may be given back by other threads than took them.
                    taken.or(holders.len().checked_sub(1)).map(|taken| holders.remove(taken));
                }
                _ => {}
            }
        }
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// The tasks of a cycle in "waits for what the other holds".
    pub(super) fn cycle(&self) -> Vec<TaskId> {
        let waits_for = |task: TaskId| {
            let state = &self.tasks[task.index()];
            let request = &self.pending[task.index()];
            let polled = self.polled.iter().find(|polled| polled.alarm.object == request.gate);
            let gate = match polled.map(|polled| &polled.awaits[..]) {
                Some(&[(awaited, _)]) => awaited,
                _ => request.gate,
            };
            let waits = !state.is_finished && request.guard != Guard::Always;
            if waits { self.holders(gate) } else { Vec::new() }
        };
        let edges: Vec<Vec<TaskId>> =
            (0..self.tasks.len()).map(|task| waits_for(TaskId::new(task))).collect();
        let starts = (0..self.tasks.len()).map(TaskId::new);
        starts.into_iter().find_map(|start| shortest_cycle(&edges, start)).unwrap_or_default()
    }

    /// Why tasks that do not wait for each other in a ring wait for ever.
    pub(super) fn stuck(&self, blocked: &[Blocked]) -> Stuck {
        let missed = blocked.iter().find_map(|blocked| self.missed(blocked));
        missed.unwrap_or_else(|| {
            let waits_for_signal = |blocked: &Blocked| {
                matches!(
                    blocked.kind,
                    Kind::Condvar
                        | Kind::Waiter
                        | Kind::Token
                        | Kind::Future
                        | Kind::Channel
                        | Kind::Barrier
                )
            };
            let is_dormant = blocked.iter().any(waits_for_signal);
            if is_dormant { Stuck::Dormant } else { Stuck::EachOther }
        })
    }

    /// Whether the last notification of what a task waits for was in vain.
    fn missed(&self, blocked: &Blocked) -> Option<Stuck> {
        let is_of = |index: &usize| self.trace[*index].object == blocked.object;
        let mut last_first = (0..self.trace.len()).rev().filter(is_of);
        let waited = last_first.clone().find(|&index| {
            let operation = &self.trace[index];
            operation.task == blocked.task && operation.action == Action::Wait
        })?;
        let notification = last_first.find(|&index| {
            matches!(self.trace[index].action, Action::NotifyOne | Action::NotifyAll)
        })?;
        if self.trace[notification].value == 0 {
            // It reached no task: all that wait now came later.
            let missed = Stuck::Missed { notification, waiter: blocked.task, was_reached: false };
            return (notification < waited).then_some(missed);
        }
        let woken = |o: &&crate::Operation| o.object == blocked.object && o.action == Action::Wake;
        let reached = self.trace[notification..waited.max(notification)].iter().find(woken)?;
        let missed = Stuck::Missed { notification, waiter: blocked.task, was_reached: true };
        (reached.task == blocked.task).then_some(missed)
    }

    pub(crate) fn task_name(&self, task: usize) -> String {
        let state = &self.tasks[task];
        state.name.clone().unwrap_or_else(|| match task {
            0 => "main".to_owned(),
            _ => format!("thread-{task}"),
        })
    }

    pub(crate) fn object_name(&self, object: usize) -> String {
        let Object { kind, place, .. } = self.objects[object];
        let name = self.object_names.iter().rfind(|(named, _)| named.index() == object);
        match (name, place) {
            (Some((_, name)), _) => name.clone(),
            (None, Some(place)) if kind != Kind::End => {
                format!("{}#{object} ({}:{})", kind.word(), place.file(), place.line())
            }
            _ => {
                let holder = self.objects[object].holder.map(|task| self.task_name(task.index()));
                format!("{} {}", kind.word(), holder.unwrap_or_default())
            }
        }
    }
}

/// The shortest way from a task back to it, by who waits for whom.
fn shortest_cycle(edges: &[Vec<TaskId>], start: TaskId) -> Option<Vec<TaskId>> {
    let mut paths = VecDeque::from([vec![start]]);
    let mut seen = vec![false; edges.len()];
    while let Some(path) = paths.pop_front() {
        for &next in &edges[path[path.len() - 1].index()] {
            if next == start {
                return Some(path);
            }
            if !std::mem::replace(&mut seen[next.index()], true) {
                paths.push_back([&path[..], &[next]].concat());
            }
        }
    }
    None
}
