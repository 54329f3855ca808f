//! Settings of an execution that are not about who runs next.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::operation::Operation;

/// How long one part of a task takes in model time: from one visible operation to the next.
#[derive(Clone, Debug)]
pub enum Cost {
    /// Always the same; zero for exhaustive exploration.
    Constant(Duration),
    /// Uniform between the two, from a seed.
    Uniform {
        /// The least.
        least: Duration,
        /// The greatest.
        greatest: Duration,
        /// Where the draws come from.
        seed: u64,
    },
    /// What the function says of the operation that began the part.
    Derived(fn(&Operation) -> Duration),
    /// The real time that the part took, times the number. No two runs are the same then, unless
    /// [`Report::costs`](crate::Report::costs) is given back as [`Cost::Recorded`].
    Measured(f64),
    /// These, one after the other; nothing when there are no more.
    Recorded(Arc<[Duration]>),
}

/// When what a part does happens, seen from the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// At its start: events of the environment within its interval see what it did, up to one part too
    /// early.
    AtStart,
    /// At its end: the time passes first, with the events in it, and then the part reads and writes.
    AtEnd,
}

/// When timed waits give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeouts {
    /// When their model time has come: late rather than early, never before.
    InTime,
    /// Whenever the scheduler likes: every timeout races with everything.
    Any,
}

/// Which panics are failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panics {
    /// Of any task.
    OfAnyTask,
    /// Of the body only; that of another task is for who joins it.
    OfBody,
}

/// When an execution is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// When every task has finished; if one cannot, that is a deadlock.
    WithAllTasks,
    /// When the body has returned, as a process ends with its main thread.
    WithBody,
}

/// What an atomic load can read; said with every verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Sequential consistency: the last store, whatever order an access asks for.
    #[default]
    Sc,
    /// C11: any store that is not overwritten as far as the task knows. Load buffering is not
    /// modelled.
    C11,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Memory::Sc => "SC",
            Memory::C11 => "C11",
        })
    }
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Memory, String> {
        match text {
            "sc" | "SC" => Ok(Memory::Sc),
            "c11" | "C11" => Ok(Memory::C11),
            _ => Err(format!("no memory model is called `{text}`: there are sc and c11")),
        }
    }
}

/// What tasks run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// Coroutines, all on one thread of the system: some nanoseconds a switch.
    #[default]
    Coroutines,
    /// Threads of the system, one of which runs at a time: some microseconds a switch. Variables that
    /// the system keeps for its threads are each task's own then, and a task can wait while it unwinds.
    System,
}

/// Settings of an execution.
#[derive(Clone, Debug)]
pub struct Config {
    /// What an atomic load can read.
    pub memory: Memory,
    /// What a part costs.
    pub cost: Cost,
    /// When what a part does happens.
    pub effects: Effects,
    /// When timed waits give up.
    pub timeouts: Timeouts,
    /// Which panics are failures.
    pub panics: Panics,
    /// When an execution is over.
    pub ends: Ends,
    /// What tasks run on.
    pub threads: Threads,
    /// Bytes of stack per task.
    pub stack_size: usize,
    /// Longest execution, in operations; a longer one ends as unknown.
    pub max_steps: usize,
    /// How many waits for condition variables and parked threads may end without a cause in one execution;
    /// which, is a choice.
    pub spurious_wakeups: u32,
    /// Whether the steps of the three kinds are recorded, see [`crate::Step`].
    pub records_steps: bool,
    /// Whether taking the pointer out of an `UnsafeCell` is a visible operation.
    pub watches_cells: bool,
    /// How long a task may block or compute without a visible operation before exploration gives up
    /// and names the place; nothing lets it wait for ever.
    pub patience: Option<Duration>,
    /// Whether visited consistent states are counted: where all tasks are, whenever no lock is held.
    pub covers: bool,
    /// If they are: after so many steps that showed neither a new one nor a new pair of neighbours, no
    /// further execution begins. One worker explores then.
    pub saturation: Option<u64>,
    /// How many executions may fail before exploration stops.
    pub max_failures: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            memory: Memory::Sc,
            cost: Cost::Constant(Duration::ZERO),
            effects: Effects::AtStart,
            timeouts: Timeouts::InTime,
            panics: Panics::OfAnyTask,
            ends: Ends::WithAllTasks,
            threads: Threads::Coroutines,
            stack_size: 256 * 1024,
            max_steps: 100_000,
            spurious_wakeups: 0,
            records_steps: false,
            watches_cells: false,
            patience: Some(Duration::from_secs(10)),
            covers: false,
            saturation: None,
            max_failures: 1,
        }
    }
}
