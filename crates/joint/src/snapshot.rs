//! Everything at one moment between two steps: threads with their places and locks, the environment, and what the user wants to see;
//! as data, text and JSON.

use std::fmt;

use quadrille_sim::task::{self, TaskView};
use quadrille_simulation::{Context, ModelTime};
use serde::Serialize;

/// Program and environment between two steps.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// The model time of the step before; nanoseconds in JSON.
    pub time: ModelTime,
    /// How far the moment can be trusted to be consistent.
    pub grade: Grade,
    /// All threads of the program, in the order in which they were started.
    pub threads: Vec<ThreadView>,
    /// What the user asked to be shown.
    pub values: Vec<(String, String)>,
    /// The environment.
    pub environment: quadrille_simulation::Snapshot,
}

/// How consistent a snapshot is. A thread that stops while it holds a lock may be in the middle of changing what the lock protects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// No lock is held.
    AllClosed,
    /// Some locks are held: what they protect may be half changed.
    SomeOpen,
}

/// A thread in a snapshot.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadView {
    /// Its name.
    pub name: String,
    /// What it can do.
    pub state: ThreadState,
    /// What it will do next: an operation and its object.
    pub next: String,
    /// Where in the source.
    pub place: String,
    /// When its timed wait is over.
    pub until: Option<ModelTime>,
    /// The locks it holds.
    pub holds: Vec<String>,
}

/// Whether a thread can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadState {
    /// It can run.
    Runnable,
    /// It waits for another thread or for the environment.
    Blocked,
    /// It waits for its time.
    Sleeping,
    /// It has ended.
    Ended,
}

impl fmt::Display for ThreadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Runnable => "runnable",
            Self::Blocked => "blocked",
            Self::Sleeping => "sleeping",
            Self::Ended => "ended",
        })
    }
}

impl Snapshot {
    pub(crate) fn take(context: &Context, values: Vec<(String, String)>) -> Self {
        let threads = task::views().into_iter().map(ThreadView::from).collect();
        let grade = if task::n_held() == 0 { Grade::AllClosed } else { Grade::SomeOpen };
        Self { time: task::now(), grade, threads, values, environment: context.snapshot() }
    }

    /// The snapshot as one JSON object.
    ///
    /// # Panics
    /// Never: all of it can be written.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("names, numbers and words")
    }
}

impl From<TaskView> for ThreadView {
    fn from(view: TaskView) -> Self {
        let next = view.next();
        let TaskView { name, is_finished, is_ready, place, deadline, holds, .. } = view;
        let state = match (is_finished, is_ready, deadline) {
            (true, ..) => ThreadState::Ended,
            (_, true, _) => ThreadState::Runnable,
            (_, _, Some(_)) => ThreadState::Sleeping,
            _ => ThreadState::Blocked,
        };
        Self {
            name,
            state,
            next,
            place: format!("{}:{}", place.file(), place.line()),
            until: deadline,
            holds,
        }
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grade = match self.grade {
            Grade::AllClosed => "no lock held",
            Grade::SomeOpen => "locks held",
        };
        writeln!(f, "program at {}, {grade}", self.time)?;
        for thread in &self.threads {
            let ThreadView { name, state, next, place, until, holds } = thread;
            write!(f, "thread {name}: {state}")?;
            if *state != ThreadState::Ended {
                write!(f, ", next {next} at {place}")?;
            }
            if let Some(until) = until {
                write!(f, ", until {until}")?;
            }
            if !holds.is_empty() {
                write!(f, ", holds {}", holds.join(", "))?;
            }
            writeln!(f)?;
        }
        for (name, value) in &self.values {
            writeln!(f, "{name}: {value}")?;
        }
        write!(f, "environment at {}", self.environment)
    }
}
