//! Who runs next in runs that are long: chance in phases of two kinds. And a strategy that tries every choice in every state it can reach.

use quadrille_sim::strategy::Point;
use quadrille_sim::{Action, Operation, Strategy, TaskId};
use quadrille_simulation::Stream;

mod covering;

pub use covering::{Closure, Covering, Stop};

/// How many choices a phase has.
const PHASE: u32 = 1_000;
/// One in so many phases has equal chances.
const MIXED: u32 = 4;
/// One in so many choices gives a thread another priority.
const SHIFT: u64 = 16;

/// One in so many threads that wake others goes on before them.
const SELFISH: u64 = 32;
/// The priority of a thread that lets others go first.
const LAST: u64 = 1;

/// Chance for endless programs, in phases. In some of them, every thread that can run is equally likely; in the others, threads have
/// priorities: a thread gets another one whenever it wakes up, and now and then. Equal chances mix steps finely; priorities let one thread
/// do much before another goes on, which equal chances hardly ever do. (PCT, Burckhardt et al. 2010, for runs without an end.) In all of
/// them, who wakes others mostly lets them go first until it wakes up itself: what it has left to do after that is what they may meet
/// half done, and moments of that kind are rare in a run.
#[derive(Debug)]
pub struct Phases {
    seed: u64,
    executions: u64,
    n_begun: u64,
    choices: Stream,
    draws: Stream,
    n_chosen: u32,
    priorities: Vec<Priority>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Priority {
    value: u64,
    /// It was drawn for the wake-up that the thread has before it.
    is_fresh: bool,
}

impl Phases {
    /// So many executions from a seed. The n-th depends on the seed and on n only.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        let (choices, draws) = (Stream::new(seed), Stream::new(seed));
        Self { seed, executions, n_begun: 0, choices, draws, n_chosen: 0, priorities: Vec::new() }
    }

    /// Gives priorities to threads that are new or have woken up, and puts one last that has just woken others. To be asked at every
    /// operation: who wakes others mostly holds a lock that those need, and there is nothing to choose yet.
    fn renew(&mut self, point: &Point<'_>) {
        self.priorities.resize(point.pending.len(), Priority::default());
        let wakes_others = |last: &&Operation| {
            matches!(last.action, Action::NotifyOne | Action::NotifyAll | Action::Unpark)
        };
        if let Some(last) = point.trace.last().filter(wakes_others)
            && self.choices.below(SELFISH) > 0
        {
            self.priorities[last.task.index()].value = LAST;
        }
        for &task in point.enabled {
            let priority = &mut self.priorities[task.index()];
            let is_woken =
                matches!(point.pending(task).action, Action::Sleep | Action::Wake | Action::Park);
            if priority.value == 0 || (is_woken && !priority.is_fresh) {
                priority.value = self.choices.bits() | 2;
            }
            priority.is_fresh = is_woken;
        }
    }

    fn is_last(&self, task: TaskId) -> bool {
        self.priorities[task.index()].value == LAST
    }

    /// Equal chances, but for those who let others go first.
    fn evenly(&mut self, point: &Point<'_>) -> TaskId {
        let n_last = point.enabled.iter().filter(|&&task| self.is_last(task)).count();
        let n_others = point.enabled.len() - n_last;
        if n_others == 0 {
            return point.enabled[self.choices.below(n_last as u64) as usize];
        }
        let position = self.choices.below(n_others as u64) as usize;
        let mut others = point.enabled.iter().filter(|&&task| !self.is_last(task));
        *others.nth(position).unwrap_or(&point.enabled[0])
    }

    fn by_priority(&mut self, point: &Point<'_>) -> TaskId {
        let shifted = point.enabled[self.choices.below(point.enabled.len() as u64) as usize];
        if self.choices.below(SHIFT) == 0 && !self.is_last(shifted) {
            self.priorities[shifted.index()].value = self.choices.bits() | 2;
        }
        let priority = |task: &&TaskId| self.priorities[task.index()].value;
        *point.enabled.iter().max_by_key(priority).unwrap_or(&point.enabled[0])
    }
}

impl Strategy for Phases {
    fn begin(&mut self) -> bool {
        if self.n_begun == self.executions {
            return false;
        }
        let seed = self.seed.wrapping_add(self.n_begun);
        self.choices = Stream::named(seed, "which thread runs");
        self.draws = Stream::named(seed, "what the scheduler draws");
        (self.n_chosen, self.n_begun) = (0, self.n_begun + 1);
        self.priorities.clear();
        true
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        self.renew(point);
        if let [only] = point.enabled {
            return Some(*only);
        }
        self.n_chosen = self.n_chosen.wrapping_add(1);
        Some(match (self.n_chosen / PHASE) % MIXED {
            0 => self.evenly(point),
            _ => self.by_priority(point),
        })
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.draws.below(u64::from(bound)) as u32
    }
}
