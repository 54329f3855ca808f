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
const SELFISH: u64 = 8;

/// Chance for endless programs, in phases. In some of them, every thread that can run is equally likely; in the others, threads have
/// priorities: a thread gets another one whenever it wakes up, and now and then, and mostly lets those go first whom it wakes. Equal chances mix steps finely; priorities let one thread
/// do much before another goes on, which equal chances hardly ever do. (PCT, Burckhardt et al. 2010, for runs without an end.)
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

    fn by_priority(&mut self, point: &Point<'_>) -> TaskId {
        let shifted = point.enabled[self.choices.below(point.enabled.len() as u64) as usize];
        let is_shifted = self.choices.below(SHIFT) == 0;
        self.priorities.resize(point.pending.len(), Priority::default());
        let wakes_others = |last: &&Operation| {
            matches!(last.action, Action::NotifyOne | Action::NotifyAll | Action::Unpark)
        };
        if let Some(last) = point.trace.last().filter(wakes_others)
            && self.choices.below(SELFISH) > 0
        {
            self.priorities[last.task.index()].value = 1;
        }
        let mut first = (0, point.enabled[0]);
        for &task in point.enabled {
            let priority = &mut self.priorities[task.index()];
            let is_woken =
                matches!(point.pending(task).action, Action::Sleep | Action::Wake | Action::Park);
            let is_new = priority.value == 0 || (is_woken && !priority.is_fresh);
            if is_new || (is_shifted && task == shifted) {
                priority.value = self.choices.bits() | 2;
            }
            priority.is_fresh = is_woken;
            if priority.value > first.0 {
                first = (priority.value, task);
            }
        }
        first.1
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
        if let [only] = point.enabled {
            return Some(*only);
        }
        self.n_chosen = self.n_chosen.wrapping_add(1);
        Some(match (self.n_chosen / PHASE) % MIXED {
            0 => point.enabled[self.choices.below(point.enabled.len() as u64) as usize],
            _ => self.by_priority(point),
        })
    }

    fn draw(&mut self, bound: u32) -> u32 {
        self.draws.below(u64::from(bound)) as u32
    }
}
