//! What can be wrong with an execution, as data.

use std::fmt;

use crate::operation::{Action, Kind, ObjectId, Operation, Place, TaskId};
use crate::schedule::Schedule;

/// A task that waits for ever.
#[derive(Clone, Debug)]
pub struct Blocked {
    /// Which task.
    pub task: TaskId,
    /// What it wants to do.
    pub action: Action,
    /// To what.
    pub object: ObjectId,
    /// What kind of thing that is.
    pub kind: Kind,
    /// Who holds it, if it is held: several if they share it.
    pub holders: Vec<TaskId>,
    /// Where it waits.
    pub place: Place,
    /// What is known of the future that it polls, if it does.
    pub awaiting: Option<Awaiting>,
}

/// What a future that is not ready waits for, as far as that is known.
#[derive(Clone, Debug)]
pub struct Awaiting {
    /// Ends of other futures, and where they were spawned.
    pub on: Vec<(ObjectId, Place)>,
    /// How many wakers of it are kept; without one nothing can ever wake it.
    pub n_wakers: usize,
}

/// Why tasks wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// They wait for locks or ends of each other, or for what is gone: a deadlock.
    EachOther,
    /// The last notification of a condition variable missed a task that waits for it now: a lost
    /// wake-up.
    Missed {
        /// The notification, by its place in the trace.
        notification: usize,
        /// The task that waits.
        waiter: TaskId,
        /// Whether the waiter had the notification and waits again; else it came too early.
        was_reached: bool,
    },
    /// They wait for a signal or a message that no task is left to send: dormancy.
    Dormant,
}

/// What is wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A task panicked.
    Panic {
        /// Which task.
        task: TaskId,
        /// With which message, and where.
        message: String,
    },
    /// Tasks wait for ever.
    Deadlock {
        /// All of them.
        blocked: Vec<Blocked>,
        /// Those that wait for each other in a ring, if some do.
        cycle: Vec<TaskId>,
        /// Why.
        stuck: Stuck,
    },
    /// Tasks that could run again and again never do, while others go round for ever.
    Starvation {
        /// Those that starve.
        blocked: Vec<Blocked>,
        /// After how many operations the round begins; it ends with the trace.
        from: usize,
    },
    /// Tasks poll for ever what no task changes.
    Livelock {
        /// Those that poll.
        blocked: Vec<Blocked>,
    },
    /// A task panicked, and its clean-up would have had to wait.
    CleanUpBlocked(Blocked),
    /// The recorded schedule does not fit the program.
    Diverged(String),
    /// A task blocks or computes where the scheduler cannot interrupt it.
    Uncontrolled(String),
    /// What was asked cannot be answered in the way that was asked for.
    Unsuitable(String),
    /// Nothing that the body did was under control: it does not use the simulated `std`.
    NothingControlled,
    /// Two accesses of a tracked cell, one of them a write, that no synchronisation orders.
    DataRace {
        /// The cell.
        cell: ObjectId,
        /// The two accesses, by their places in the trace.
        accesses: (usize, usize),
    },
    /// A check of the user or of an observer failed.
    Check {
        /// What is violated.
        name: String,
        /// In which way.
        message: String,
    },
}

/// An execution that went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong.
    pub fault: Fault,
    /// Which execution it was, from 1.
    pub execution: u64,
    /// How to see it again.
    pub schedule: Schedule,
    /// What happened.
    pub trace: Vec<Operation>,
    /// The names of the tasks.
    pub tasks: Vec<String>,
    /// The names of the objects: kind, number, and where they were first used.
    pub objects: Vec<String>,
    /// Threads that had panicked before, for who joins them to find; and their messages.
    pub panics: Vec<(TaskId, String)>,
}

impl Fault {
    /// The word for it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Fault::Panic { .. } => "panic",
            Fault::Deadlock { stuck: Stuck::EachOther, .. } => "deadlock",
            Fault::Deadlock { stuck: Stuck::Missed { .. }, .. } => "lost wake-up",
            Fault::Deadlock { stuck: Stuck::Dormant, .. } => "dormancy",
            Fault::Starvation { .. } => "starvation",
            Fault::Livelock { .. } => "livelock",
            Fault::CleanUpBlocked(_) => "panicked, clean-up blocked",
            Fault::Diverged(_) => "the schedule does not fit the program",
            Fault::Uncontrolled(_) => "out of control",
            Fault::Unsuitable(_) => "cannot be explored like this",
            Fault::NothingControlled => "no controlled operation happened",
            Fault::DataRace { .. } => "data race",
            Fault::Check { .. } => "violated",
        }
    }

    /// Whether it says nothing about the program, only that the question was wrong.
    #[must_use]
    pub const fn is_misuse(&self) -> bool {
        matches!(
            self,
            Fault::Diverged(_)
                | Fault::Uncontrolled(_)
                | Fault::Unsuitable(_)
                | Fault::NothingControlled
        )
    }
}

impl Failure {
    fn task(&self, task: TaskId) -> &str {
        self.tasks.get(task.index()).map_or("?", String::as_str)
    }

    fn object(&self, object: ObjectId) -> &str {
        self.objects.get(object.index()).map_or("?", String::as_str)
    }

    fn write_blocked(&self, f: &mut fmt::Formatter<'_>, blocked: &Blocked) -> fmt::Result {
        let Blocked { task, action, object, holders, place, awaiting, kind } = blocked;
        let (task, object) = (self.task(*task), self.object(*object));
        match action {
            Action::Wake => {
                write!(f, "\n  {task} waits for a notification of {object} at {place}")?;
            }
            Action::Join => {
                let awaited = object.strip_prefix("thread ").unwrap_or(object);
                write!(f, "\n  {task} waits for the end of {awaited} at {place}")?;
            }
            Action::Park => write!(f, "\n  {task} waits to be unparked at {place}")?,
            _ => write!(f, "\n  {task} waits to {} {object} at {place}", action.word())?,
        }
        if let ([_, ..], true) = (&holders[..], *kind != Kind::End) {
            let names: Vec<&str> = holders.iter().map(|&holder| self.task(holder)).collect();
            write!(f, ", held by {}", names.join(" and "))?;
        }
        let Some(Awaiting { on, n_wakers }) = awaiting else { return Ok(()) };
        for (awaited, place) in on {
            write!(f, ", which awaits {} of {place}", self.object(*awaited))?;
        }
        match n_wakers {
            0 => f.write_str("; no waker of it is left, so that nothing can wake it"),
            1 => f.write_str("; one waker of it is kept and was not called since"),
            n => write!(f, "; {n} wakers of it are kept and were not called since"),
        }
    }

    /// The evidence.
    fn write_stuck(&self, f: &mut fmt::Formatter<'_>, stuck: Stuck) -> fmt::Result {
        match stuck {
            Stuck::EachOther => Ok(()),
            Stuck::Dormant => f.write_str("\n  no task is left to wake them"),
            Stuck::Missed { notification, waiter, was_reached } => {
                let Operation { task, action, object, place, .. } = &self.trace[notification];
                let (by, object, waiter) =
                    (self.task(*task), self.object(*object), self.task(waiter));
                write!(
                    f,
                    "\n  the last notification of {object}, {} of {by} at {place}, ",
                    action.word()
                )?;
                if was_reached {
                    write!(f, "reached {waiter}, which waits again")
                } else {
                    write!(f, "came before {waiter} waited")
                }
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fault.word())?;
        match &self.fault {
            Fault::Panic { task, message } => write!(f, " of {}: {message}", self.task(*task))?,
            Fault::Deadlock { blocked, cycle, stuck } => {
                for blocked in blocked {
                    self.write_blocked(f, blocked)?;
                }
                self.write_stuck(f, *stuck)?;
                if let [first, ..] = cycle[..] {
                    f.write_str("\n  cycle: ")?;
                    for &task in cycle {
                        write!(f, "{} -> ", self.task(task))?;
                    }
                    f.write_str(self.task(first))?;
                }
            }
            Fault::Starvation { blocked, from } => {
                for blocked in blocked {
                    self.write_blocked(f, blocked)?;
                }
                let length = self.trace.len() - from;
                write!(f, "\n  while others repeat the last {length} operations for ever")?;
            }
            Fault::Livelock { blocked } => {
                for blocked in blocked {
                    self.write_blocked(f, blocked)?;
                }
            }
            Fault::CleanUpBlocked(blocked) => self.write_blocked(f, blocked)?,
            Fault::Diverged(message) | Fault::Unsuitable(message) => write!(f, ": {message}")?,
            Fault::Uncontrolled(message) => write!(
                f,
                ": the program {message}; what it calls there is not of the simulated std: a crate \
                 that was denied, a foreign function, a file or a socket"
            )?,
            Fault::NothingControlled => f.write_str(
                ": the body uses no thread, lock, atomic, channel or clock of the simulated std; \
                 import `quadrille::sim::std`, or run `cargo quadrille sim`",
            )?,
            Fault::DataRace { cell, accesses } => {
                write!(f, " on {}: nothing orders", self.object(*cell))?;
                for (index, word) in [(accesses.0, ""), (accesses.1, " and")] {
                    let Operation { task, action, place, .. } = &self.trace[index];
                    let verb = if *action == Action::WriteCell { "the write" } else { "the read" };
                    write!(f, "{word}\n  {verb} of {} at {place}", self.task(*task))?;
                }
            }
            Fault::Check { name, message } => write!(f, ": {name}: {message}")?,
        }
        for (task, message) in &self.panics {
            write!(f, "\n  {} had panicked: {message}", self.task(*task))?;
        }
        let is_lost = self.schedule.is_empty() || matches!(self.fault, Fault::Diverged(_));
        if self.fault.is_misuse() && is_lost {
            return Ok(());
        }
        let Failure { execution, schedule, .. } = self;
        let memory = schedule.memory();
        write!(f, "\n  in execution {execution}, memory model {memory}, replay with {schedule}")
    }
}
