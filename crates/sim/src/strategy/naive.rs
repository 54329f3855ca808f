//! Every schedule, depth first, without any reduction: the oracle of the others.

use super::{Point, Strategy};
use crate::operation::TaskId;

/// Tries every enabled task at every operation.
#[derive(Clone, Debug, Default)]
pub struct Naive {
    /// For each decision of the current execution: which of how many.
    path: Vec<(u32, u32)>,
    depth: usize,
    has_begun: bool,
}

impl Naive {
    /// Begins with the first enabled task everywhere.
    #[must_use]
    pub fn new() -> Naive {
        Naive::default()
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
        self.depth = 0;
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
        Some(point.enabled[self.take(point.enabled.len() as u32) as usize])
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.take(bound)
    }

    fn yields(&self) -> bool {
        false
    }

    fn is_exhaustive(&self) -> bool {
        true
    }
}
