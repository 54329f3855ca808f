//! Every schedule, depth first, without any reduction: the oracle of the others. If asked to, only
//! those with few preemptions (Musuvathi & Qadeer, PLDI 2007).

use super::{Point, Strategy};
use crate::operation::TaskId;

/// Tries every enabled task at every operation.
#[derive(Clone, Debug, Default)]
pub struct Naive {
    /// For each decision of the current execution: which of how many.
    path: Vec<(u32, u32)>,
    depth: usize,
    has_begun: bool,
    /// How many preemptions an execution may have; any number if there is none.
    max_preemptions: Option<u32>,
    n_preemptions: u32,
    /// Some schedule was left out.
    has_cut: bool,
}

impl Naive {
    /// Begins with the first enabled task everywhere.
    #[must_use]
    pub fn new() -> Naive {
        Naive::default()
    }

    /// Only schedules in which a task that could go on has to stop at most so often.
    #[must_use]
    pub fn with_preemptions(max_preemptions: u32) -> Naive {
        Naive { max_preemptions: Some(max_preemptions), ..Naive::default() }
    }

    fn take(&mut self, choices: u32) -> u32 {
        if self.depth == self.path.len() {
            self.path.push((0, choices));
        }
        let (taken, known) = self.path[self.depth];
        assert_eq!(known, choices, "the program did something else after the same decisions");
        self.depth += 1;
        taken
    }
}

impl Strategy for Naive {
    fn begin(&mut self) -> bool {
        (self.depth, self.n_preemptions) = (0, 0);
        if !std::mem::replace(&mut self.has_begun, true) {
            return true;
        }
        while let Some((taken, choices)) = self.path.pop() {
            if taken + 1 < choices {
                self.path.push((taken + 1, choices));
                return true;
            }
        }
        false
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        let goes_on = point.enabled.contains(&point.current);
        if goes_on && self.max_preemptions == Some(self.n_preemptions) {
            self.has_cut |= point.enabled.len() > 1;
            return Some(point.current);
        }
        let chosen = point.enabled[self.take(point.enabled.len() as u32) as usize];
        self.n_preemptions += u32::from(goes_on && chosen != point.current);
        Some(chosen)
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.take(bound)
    }

    fn yields(&self) -> bool {
        false
    }

    fn is_exhaustive(&self) -> bool {
        !self.has_cut
    }

    fn bound(&self) -> Option<String> {
        let bound = self.max_preemptions.filter(|_| self.has_cut)?;
        Some(format!("at most {bound} preemptions"))
    }
}
