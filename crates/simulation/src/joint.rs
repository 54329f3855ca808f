//! Whose turn it is when threads of a program and processes of its environment live on one axis of model time: the rule of
//! serialized joint simulation (J. Kačer, thesis, University of West Bohemia, 2005). Who the threads are and how they run is not known here.
//!
//! Threads share one processor, and their parts take time; processes have a processor each, and their steps take none. So the
//! program's clock says when the processor is free, and what the environment does during a part is done afterwards, at its own time.

use std::time::Duration;

use crate::{ModelTime, Stream};

/// The three kinds of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// A process of the environment runs at its time, which may lie before the program's clock.
    Classic,
    /// The time a thread has waited for has come: it can run, but does not yet.
    WakeUp,
    /// A thread runs to its next stop; the program's clock moves by the cost of the part.
    Run,
}

impl std::fmt::Display for StepKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Classic => "classic",
            Self::WakeUp => "wake-up",
            Self::Run => "run",
        })
    }
}

/// Which kind of step is next, nothing if none can ever be.
///
/// `now` is the program's clock; `environment` and `wake_up` are the heads of the two calendars; `is_runnable` says whether a thread
/// can run. What is due goes first, in order of time and the environment before wake-ups; if nothing is due and no thread can run,
/// time jumps to what comes first.
#[must_use]
pub fn next(
    now: ModelTime,
    environment: Option<ModelTime>,
    wake_up: Option<ModelTime>,
    is_runnable: bool,
) -> Option<StepKind> {
    let horizon = if is_runnable { now } else { ModelTime::NEVER };
    let due = |time: &ModelTime| *time <= horizon;
    match (environment.filter(due), wake_up.filter(due)) {
        (Some(environment), Some(wake_up)) if wake_up < environment => Some(StepKind::WakeUp),
        (Some(_), _) => Some(StepKind::Classic),
        (None, Some(_)) => Some(StepKind::WakeUp),
        (None, None) => is_runnable.then_some(StepKind::Run),
    }
}

/// How much model time a part of a program costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Cost {
    /// Always the same. Nothing is drawn.
    Constant(Duration),
    /// Anything between two limits, each nanosecond equally likely. Exact costs are never known, and varied ones reach more states.
    Uniform(Duration, Duration),
}

impl Cost {
    /// The cost of one part.
    pub fn draw(self, stream: &mut Stream) -> Duration {
        match self {
            Self::Constant(length) => length,
            Self::Uniform(least, most) => stream.uniform_time(least, most),
        }
    }
}

impl Default for Cost {
    /// A millisecond.
    fn default() -> Self {
        Self::Constant(Duration::from_millis(1))
    }
}
