//! An attempt at every order: given up after so many executions, or at one that is long. What it says when
//! it comes to an end holds for all orders; else others go on at random.

use quadrille_sim::strategy::{Dpor, Execution, Point, Reduction};
use quadrille_sim::{Strategy, TaskId};

/// Races of executions with more operations than this are not looked for.
const LONG: usize = 2_000;

/// Exhaustive exploration of at most so many executions.
pub(super) struct Attempt {
    inner: Dpor,
    left: u64,
    /// Nothing more is begun, although there may be more.
    is_given_up: bool,
}

impl Attempt {
    pub(super) fn new(executions: u64) -> Attempt {
        Attempt { inner: Dpor::new(Reduction::Optimal), left: executions, is_given_up: false }
    }
}

impl Strategy for Attempt {
    fn begin(&mut self) -> bool {
        if self.is_given_up || !self.inner.begin() {
            return false;
        }
        self.is_given_up = self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_given_up
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        self.inner.choose(point)
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.inner.draw(bound)
    }

    fn finish(&mut self, execution: &Execution<'_>) {
        if execution.trace.len() > LONG {
            self.is_given_up = true;
        } else {
            self.inner.finish(execution);
        }
    }

    fn yields(&self) -> bool {
        self.inner.yields()
    }

    fn is_exhaustive(&self) -> bool {
        !self.is_given_up
    }

    fn leaves_orders_out(&self) -> bool {
        self.inner.leaves_orders_out()
    }

    fn objection(&self) -> String {
        self.inner.objection()
    }
}
