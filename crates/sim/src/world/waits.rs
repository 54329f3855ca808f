//! What tasks wait for, cycles among them, and the names of tasks and objects in reports.

use super::{Object, World};
use crate::failure::Blocked;
use crate::operation::{Guard, Kind, Request, TaskId};

impl World {
    pub(crate) fn waiting(&self, task: TaskId) -> Blocked {
        let Request { action, object, place, .. } = self.pending[task.index()];
        let Object { kind, holder, .. } = self.objects[object.index()];
        Blocked { task, action, object, kind, holder, place }
    }

    pub(crate) fn blocked(&self) -> Vec<Blocked> {
        let tasks = (0..self.tasks.len()).filter(|&task| !self.tasks[task].is_finished);
        tasks.map(|task| self.waiting(TaskId::new(task))).collect()
    }

    /// The tasks of a cycle in "waits for what the other holds".
    pub(super) fn cycle(&self) -> Vec<TaskId> {
        let waits_for = |task: TaskId| {
            let state = &self.tasks[task.index()];
            let request = &self.pending[task.index()];
            let holder = self.objects[request.gate.index()].holder;
            holder.filter(|_| !state.is_finished && request.guard != Guard::Always)
        };
        for start in 0..self.tasks.len() {
            let mut path = vec![TaskId::new(start)];
            while let Some(next) = waits_for(path[path.len() - 1]) {
                if next == path[0] {
                    return path;
                }
                if path.contains(&next) {
                    break;
                }
                path.push(next);
            }
        }
        Vec::new()
    }

    pub(crate) fn task_name(&self, task: usize) -> String {
        let state = &self.tasks[task];
        state.name.clone().unwrap_or_else(|| match task {
            0 => "main".to_owned(),
            _ => format!("thread-{task}"),
        })
    }

    pub(crate) fn object_name(&self, object: usize) -> String {
        let Object { kind, place, ref name, .. } = self.objects[object];
        match (name, place) {
            (Some(name), _) => name.clone(),
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
