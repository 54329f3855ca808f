//! Discrete-event simulation in the manner of Simula, and the axis of model time that programs and their environments share.
//!
//! A [`Simulation`] owns processes; each is an ordinary closure on a stack of its own that waits by [`Process::hold`] or
//! [`Process::passivate`]. [`Queue`]s, [`Semaphore`]s and [`MessageBox`]es connect them, [`Stream`]s feed them, and
//! statistics come out. `docs/simulation.md` is the manual.
//!
//! This crate reads no clock and no files, and knows nothing of threads: what runs programs asks it when the
//! environment's next step is due ([`Simulation::next_time`]), decides by [`joint::next`] whose turn it is, and performs the step.
#![forbid(unsafe_code)]

mod calendar;
mod context;
mod inspect;
pub mod joint;
mod messages;
mod port;
mod process;
mod queue;
mod random;
mod semaphore;
mod simulation;
mod split_mix;
mod statistics;
mod time;

pub use calendar::Calendar;
pub use context::{Context, ProcessId, ScheduleError, State};
pub use inspect::{ProcessView, QueueView, SemaphoreView, Snapshot};
pub use messages::{Letter, MessageBox};
pub use port::Port;
pub use process::Process;
pub use queue::{Link, Queue};
pub use random::Stream;
pub use semaphore::Semaphore;
pub use simulation::Simulation;
pub use split_mix::Random;
pub use statistics::{BatchMeans, Tally, TimeAverage};
pub use time::ModelTime;

/// The examples of the manual, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/simulation.md")]
struct Manual;
