//! Uniform choice among the enabled tasks at every operation.

use super::{Point, Strategy};
use crate::operation::TaskId;
use crate::random::Random;

/// Chooses uniformly, a given number of times.
#[derive(Clone, Debug)]
pub struct Uniform {
    seed: u64,
    started: u64,
    executions: u64,
    tasks: Random,
    draws: Random,
}

impl Uniform {
    /// `executions` executions from a seed. The n-th depends on the seed and on n only.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Uniform {
        let (tasks, draws) = (Random::new(0), Random::new(0));
        Uniform { seed, started: 0, executions, tasks, draws }
    }
}

impl Strategy for Uniform {
    fn begin(&mut self) -> bool {
        if self.started == self.executions {
            return false;
        }
        let seed = self.seed.wrapping_add(self.started);
        (self.tasks, self.draws) = (Random::of(seed, 1), Random::of(seed, 2));
        self.started += 1;
        true
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        Some(match point.enabled {
            [only] => *only,
            several => several[self.tasks.below(several.len() as u64) as usize],
        })
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.draws.below(u64::from(bound)) as u32
    }
}
