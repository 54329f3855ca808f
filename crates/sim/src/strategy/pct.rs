//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte, ASPLOS 2010):
//! random priorities, and `depth - 1` random moments at which the running task drops below all.

use quadrille_simulation::Random;

use super::{Execution, Point, Strategy};
use crate::operation::{Action, TaskId};

/// Chooses by random priorities.
#[derive(Clone, Debug)]
pub struct Pct {
    seed: u64,
    started: u64,
    executions: u64,
    depth: usize,
    tasks: Random,
    draws: Random,
    /// By task; the greatest runs. Drawn ones are at least 2^32, dropped ones below.
    priorities: Vec<u64>,
    next_low: u64,
    change_points: Vec<usize>,
    longest: usize,
}

impl Pct {
    /// `executions` executions from a seed, for bugs that need `depth` ordering constraints.
    #[must_use]
    pub fn new(seed: u64, executions: u64, depth: usize) -> Pct {
        Pct {
            seed,
            started: 0,
            executions,
            depth,
            tasks: Random::new(0),
            draws: Random::new(0),
            priorities: Vec::new(),
            next_low: 0,
            change_points: Vec::new(),
            longest: 16,
        }
    }

    fn drop_below_all(&mut self, task: TaskId) {
        self.next_low -= 1;
        self.priorities[task.index()] = self.next_low;
    }
}

impl Strategy for Pct {
    fn begin(&mut self) -> bool {
        if self.started == self.executions {
            return false;
        }
        let seed = self.seed.wrapping_add(self.started);
        (self.tasks, self.draws) = (Random::of(seed, 1), Random::of(seed, 2));
        self.started += 1;
        self.priorities.clear();
        self.next_low = 1 << 32;
        self.change_points.clear();
        for _ in 1..self.depth {
            self.change_points.push(self.tasks.below(self.longest as u64) as usize);
        }
        true
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        while self.priorities.len() < point.pending.len() {
            self.priorities.push((1 << 32) | (self.tasks.draw() >> 1));
        }
        let [first, rest @ ..] = point.enabled else { unreachable!("a point has an enabled task") };
        if rest.is_empty() {
            return Some(*first);
        }
        // Who polls lets others go on; else it would stay before them for ever.
        let polls = point.polls || matches!(point.pending(point.current).action, Action::Yield);
        if polls || self.change_points.contains(&point.trace.len()) {
            self.drop_below_all(point.current);
        }
        let priorities = &self.priorities;
        point.enabled.iter().copied().max_by_key(|task| priorities[task.index()])
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.draws.below(u64::from(bound)) as u32
    }

    fn finish(&mut self, execution: &Execution<'_>) {
        self.longest = self.longest.max(execution.trace.len());
    }
}
