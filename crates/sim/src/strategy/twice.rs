//! The determinism self-check: every execution twice, with the same decisions. A program that does
//! something else the second time depends on something that is not under control: the order of a
//! hash map, the wall clock, an address.

use super::{Execution, Point, Strategy};
use crate::operation::{Action, ObjectId, Operation, Place, TaskId};

/// Executes everything that `S` wants twice and compares.
#[derive(Debug)]
pub struct Twice<S> {
    inner: S,
    /// What the first of the two did.
    recorded: Vec<(TaskId, Action, ObjectId, Place)>,
    draws: Vec<u32>,
    n_draws: usize,
    is_second: bool,
    /// Memory that is in use during the second execution only, so that blocks lie elsewhere.
    ballast: Vec<Vec<u8>>,
    round: usize,
    objection: String,
}

impl<S: Strategy> Twice<S> {
    /// Checks the executions of `inner`.
    pub fn new(inner: S) -> Twice<S> {
        let (recorded, draws, objection) = (Vec::new(), Vec::new(), String::new());
        let (is_second, ballast) = (true, Vec::new());
        Twice { inner, recorded, draws, n_draws: 0, is_second, ballast, round: 0, objection }
    }
}

impl<S: Strategy> Strategy for Twice<S> {
    fn begin(&mut self) -> bool {
        self.is_second = !self.is_second;
        self.n_draws = 0;
        self.ballast.clear();
        if self.is_second {
            // Blocks of the sizes that programs use most, another number of them each time.
            self.round += 1;
            let sizes = (1..32).flat_map(|size| std::iter::repeat_n(16 * size, self.round % 7 + 1));
            self.ballast.extend(sizes.map(|size| Vec::with_capacity(size - 8)));
            return true;
        }
        self.draws.clear();
        self.inner.begin()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if !self.is_second {
            return self.inner.choose(point);
        }
        let step = point.trace.len();
        let before = self.recorded.get(step);
        let now = before.and_then(|before| point.pending.get(before.0.index()));
        if let (Some(&(task, action, object, place)), Some(now)) = (before, now)
            && point.enabled.contains(&task)
            && (now.action, now.object) == (action, object)
            && std::ptr::eq(now.place, place)
        {
            return Some(task);
        }
        let was = before.map_or("the execution was over".to_owned(), |(_, action, _, place)| {
            format!("the operation was `{}` at {place}", action.word())
        });
        let is = now.map_or(String::new(), |now| {
            format!(", now it is `{}` at {}", now.action.word(), now.place)
        });
        self.objection = format!(
            "step {}: the same decisions led elsewhere: {was}{is}; the program depends on \
             something that is not under control, such as the order of a hash map, the wall clock \
             or an address",
            step + 1
        );
        None
    }

    fn draw(&mut self, bound: u32) -> u32 {
        if !self.is_second {
            let draw = self.inner.draw(bound);
            self.draws.push(draw);
            return draw;
        }
        let draw = self.draws.get(self.n_draws).copied().unwrap_or(0);
        self.n_draws += 1;
        draw.min(bound - 1)
    }

    fn finish(&mut self, execution: &Execution<'_>) {
        if !self.is_second {
            let parts = |o: &Operation| (o.task, o.action, o.object, o.place);
            self.recorded = execution.trace.iter().map(parts).collect();
            self.inner.finish(execution);
        }
    }

    fn yields(&self) -> bool {
        self.inner.yields()
    }

    fn is_exhaustive(&self) -> bool {
        self.inner.is_exhaustive()
    }

    fn objection(&self) -> String {
        if self.is_second { self.objection.clone() } else { self.inner.objection() }
    }
}
