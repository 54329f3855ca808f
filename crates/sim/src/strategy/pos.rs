//! Partial-order sampling (Yuan, Yang & Gu, CAV 2018): every operation that a task comes to gets a
//! random priority; after one was performed, those that race with it get others. So the order of two
//! racing operations depends on a draw of their own, not on how long the tasks are.

use quadrille_simulation::Random;

use super::seeded::Seeded;
use super::{PartId, Point, Strategy};
use crate::operation::{Request, TaskId};

/// Chooses by random priorities of operations.
#[derive(Clone, Debug)]
pub struct Pos {
    seeded: Seeded,
    tasks: Random,
    draws: Random,
    /// By task: the priority of its pending operation; zero if it has none yet.
    priorities: Vec<u64>,
}

impl Pos {
    /// `executions` executions from a seed. The n-th depends on the seed and on n only.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Pos {
        let (tasks, draws) = (Random::new(0), Random::new(0));
        Pos { seeded: Seeded::new(seed, executions), tasks, draws, priorities: Vec::new() }
    }
}

impl Strategy for Pos {
    fn begin(&mut self) -> bool {
        let Some(seed) = self.seeded.next() else { return false };
        (self.tasks, self.draws) = (Random::of(seed, 1), Random::of(seed, 2));
        self.priorities.clear();
        true
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        self.priorities.resize(point.pending.len(), 0);
        for priority in self.priorities.iter_mut().filter(|priority| **priority == 0) {
            *priority = self.tasks.draw() | 1;
        }
        let priorities = &self.priorities;
        let chosen = *point.enabled.iter().max_by_key(|task| priorities[task.index()])?;
        let performed: Request = *point.pending(chosen);
        for (task, pending) in point.pending.iter().enumerate() {
            if task == chosen.index() || pending.depends_on(&performed) {
                self.priorities[task] = 0;
            }
        }
        Some(chosen)
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.draws.below(u64::from(bound)) as u32
    }

    fn lend(&mut self) -> Option<(PartId, Box<dyn Strategy>)> {
        let (part, seed, executions) = self.seeded.lend()?;
        Some((part, Box::new(Pos::new(seed, executions))))
    }

    fn awaited(&self) -> Option<PartId> {
        self.seeded.awaited()
    }

    fn take_back(&mut self, _: Box<dyn Strategy>) -> bool {
        self.seeded.take_back();
        true
    }
}
