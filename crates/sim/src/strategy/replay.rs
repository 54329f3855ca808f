//! One schedule again. Stops at the first operation that differs from the recorded one.

use super::{Point, Strategy};
use crate::operation::TaskId;
use crate::schedule::{Check, Schedule};

/// Follows a schedule.
#[derive(Clone, Debug)]
pub struct Replay {
    schedule: Schedule,
    has_begun: bool,
    draws: usize,
    check: Check,
    objection: String,
}

impl Replay {
    /// Follows `schedule`, once.
    #[must_use]
    pub fn new(schedule: Schedule) -> Replay {
        let (check, objection) = (Check::default(), String::new());
        Replay { schedule, has_begun: false, draws: 0, check, objection }
    }

    fn object(&mut self, point: &Point<'_>, task: TaskId, what: &str) -> Option<TaskId> {
        use std::fmt::Write as _;
        let step = point.trace.len() + 1;
        self.objection = format!("step {step}: {what}");
        if let Some(request) = point.pending.get(task.index()) {
            let (place, word) = (request.place, request.action.word());
            let _ = write!(self.objection, "; task {} wants to {word} at {place}", task.index());
        }
        None
    }
}

impl Strategy for Replay {
    fn begin(&mut self) -> bool {
        (self.draws, self.check) = (0, Check::default());
        !std::mem::replace(&mut self.has_begun, true)
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        let step = point.trace.len();
        let Some(&task) = self.schedule.tasks.get(step) else {
            return self.object(point, point.enabled[0], "the recorded execution ended here");
        };
        if !point.enabled.contains(&task) {
            return self.object(point, task, "the recorded task cannot run");
        }
        self.check.add(task, point.pending(task));
        if self.check.digit() != self.schedule.checks[step] {
            return self.object(point, task, "the operation differs from the recorded one");
        }
        Some(task)
    }

    fn draw(&mut self, bound: u32) -> u32 {
        let draw = self.schedule.draws.get(self.draws).copied().unwrap_or(0);
        self.draws += 1;
        draw.min(bound - 1)
    }

    fn objection(&self) -> String {
        self.objection.clone()
    }

    /// The recorded execution may come from either kind of strategy; whether a task that yields
    /// could go on is decided by the record.
    fn yields(&self) -> bool {
        false
    }
}
