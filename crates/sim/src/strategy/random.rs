//! Uniform choice among the enabled tasks at every operation.

use quadrille_simulation::Random;

use super::seeded::Seeded;
use super::{PartId, Point, Strategy};
use crate::operation::TaskId;

/// Chooses uniformly, a given number of times.
#[derive(Clone, Debug)]
pub struct Uniform {
    seeded: Seeded,
    tasks: Random,
    draws: Random,
}

impl Uniform {
    /// `executions` executions from a seed. The n-th depends on the seed and on n only.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Uniform {
        let (tasks, draws) = (Random::new(0), Random::new(0));
        Uniform { seeded: Seeded::new(seed, executions), tasks, draws }
    }
}

impl Strategy for Uniform {
    fn begin(&mut self) -> bool {
        let Some(seed) = self.seeded.next() else { return false };
        (self.tasks, self.draws) = (Random::of(seed, 1), Random::of(seed, 2));
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

    fn lend(&mut self) -> Option<(PartId, Box<dyn Strategy>)> {
        let (part, seed, executions) = self.seeded.lend()?;
        Some((part, Box::new(Uniform::new(seed, executions))))
    }

    fn awaited(&self) -> Option<PartId> {
        self.seeded.awaited()
    }

    fn take_back(&mut self, _: Box<dyn Strategy>) -> bool {
        self.seeded.take_back();
        true
    }
}
