//! Who runs next: the trait that every way of exploring schedules implements, and what a strategy
//! may look at when it decides.

use std::any::Any;

use crate::operation::{Operation, Request, TaskId};
use crate::world::Names;

mod bytes;
mod dpor;
mod guided;
mod naive;
mod pct;
mod pos;
mod random;
mod replay;
mod seeded;
mod twice;
mod walk;

pub use bytes::Bytes;
pub use dpor::{Dpor, Reduction};
pub use naive::Naive;
pub use pct::Pct;
pub use pos::Pos;
pub use random::Uniform;
pub use replay::Replay;
pub use twice::Twice;
pub use walk::Walk;

pub(crate) use guided::{Guided, Run};

/// A moment at which the scheduler decides.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// The tasks that can run, in the order of their numbers; never empty.
    pub enabled: &'a [TaskId],
    /// The task that ran last.
    pub current: TaskId,
    /// What every task wants to do next, by its number.
    pub pending: &'a [Request],
    /// What was done so far.
    pub trace: &'a [Operation],
    /// Whether that task only goes on polling what no other has changed.
    pub polls: bool,
}

impl Point<'_> {
    /// What a task wants to do next.
    #[must_use]
    pub fn pending(&self, task: TaskId) -> &Request {
        &self.pending[task.index()]
    }
}

/// An execution that is over.
#[derive(Clone, Copy)]
pub struct Execution<'a> {
    /// What was done, in order.
    pub trace: &'a [Operation],
    /// What every task wants to do next, by its number.
    pub pending: &'a [Request],
    /// The tasks that wait for ever.
    pub blocked: &'a [TaskId],
    /// Whether the execution ended by itself: nothing failed and no limit was met.
    pub is_complete: bool,
    /// After how many operations it was as at its end, so that it can go round for ever.
    pub cycle: Option<usize>,
    /// How tasks and objects are called.
    pub names: Names<'a>,
}

/// Names a part of an exploration that was lent to another worker, among those of one strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartId(pub(crate) u32);

/// A way of exploring schedules.
pub trait Strategy: Send + Any {
    /// Prepares the next execution; false if there is none left.
    fn begin(&mut self) -> bool;

    /// Which of the enabled tasks performs its pending operation; nothing if the execution cannot
    /// go on as it was told to, of which [`Strategy::objection`] says more.
    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId>;

    /// A number below `bound`, for a choice that is not about tasks.
    fn draw(&mut self, bound: u32) -> u32;

    /// Looks at the execution that is over.
    fn finish(&mut self, execution: &Execution<'_>) {
        let _ = execution;
    }

    /// Whether a task that yields lets all others go first. Strategies that try everything say no.
    fn yields(&self) -> bool {
        true
    }

    /// Whether everything was tried once `begin` says that nothing is left.
    fn is_exhaustive(&self) -> bool {
        false
    }

    /// Whether it leaves out orders of operations that commute.
    fn leaves_orders_out(&self) -> bool {
        false
    }

    /// Which schedules it leaves out by intention, in words for a verdict: "more than 2 preemptions".
    fn bound(&self) -> Option<String> {
        None
    }

    /// Lends a part of what is left to another worker: schedules that begin alike. What one worker
    /// alone would do is the measure: the part comes back where that worker would come to it.
    fn lend(&mut self) -> Option<(PartId, Box<dyn Strategy>)> {
        None
    }

    /// After `begin` said that nothing is left: the part that must come back before that is so.
    fn awaited(&self) -> Option<PartId> {
        None
    }

    /// Takes back the part that is awaited, explored to its end. Whether its executions count: if not,
    /// they are not those that one worker alone would have had, and are explored again.
    fn take_back(&mut self, part: Box<dyn Strategy>) -> bool {
        let _ = part;
        true
    }

    /// Why [`Strategy::choose`] chose nothing.
    fn objection(&self) -> String {
        String::new()
    }
}
