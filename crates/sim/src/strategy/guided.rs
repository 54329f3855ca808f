//! Follows a list of runs as far as the program allows: the tool of minimising, where a schedule is
//! changed and what it then means is found out by executing it.

use super::{Point, Strategy};
use crate::operation::TaskId;

/// A task and how many steps it takes in a row; `usize::MAX` until it cannot go on.
pub(crate) type Run = (TaskId, usize);

/// Follows runs, and where they do not fit lets the running task go on.
#[derive(Clone, Debug)]
pub(crate) struct Guided {
    runs: Vec<Run>,
    draws: Vec<u32>,
    position: usize,
    left: usize,
    n_draws: usize,
    has_begun: bool,
}

impl Guided {
    pub(crate) fn new(runs: Vec<Run>, draws: Vec<u32>) -> Guided {
        let left = runs.first().map_or(0, |run| run.1);
        Guided { runs, draws, position: 0, left, n_draws: 0, has_begun: false }
    }
}

impl Strategy for Guided {
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.has_begun, true)
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        while let Some(&(task, _)) = self.runs.get(self.position) {
            if self.left > 0 && point.enabled.contains(&task) {
                self.left -= 1;
                return Some(task);
            }
            self.position += 1;
            self.left = self.runs.get(self.position).map_or(0, |run| run.1);
        }
        let goes_on = point.enabled.contains(&point.current);
        Some(if goes_on { point.current } else { point.enabled[0] })
    }

    fn draw(&mut self, bound: u32) -> u32 {
        let draw = self.draws.get(self.n_draws).copied().unwrap_or(0);
        self.n_draws += 1;
        draw.min(bound - 1)
    }

    fn yields(&self) -> bool {
        false
    }
}
