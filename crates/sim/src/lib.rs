//! Real threads, one at a time.
//!
//! A program's threads become tasks: coroutines that run one at a time and stop before every
//! *visible* operation, one that another task could notice. At each stop a [`Strategy`] decides who
//! goes on, so that an execution is a function of its decisions: it can be replayed
//! ([`Schedule`]), varied at random, or explored exhaustively. Time is model time; a timed wait is
//! over when the clock says so, and the clock jumps when no task can run.
//!
//! This crate owns the scheduler, the objects that tasks share, and exploration. It overrides
//! nothing of `std`: `quadrille-sim-std` builds threads, locks, channels and clocks from [`task`].
//!
//! ```
//! use quadrille_sim::{sim, task};
//!
//! let report = sim(|| {
//!     let child = task::spawn(None, None, || task::yield_now());
//!     task::join(child);
//! })
//! .random(100)
//! .assert();
//! assert_eq!(report.executions, 100);
//! ```

mod config;
pub mod coroutine;
pub mod coverage;
mod failure;
pub mod future;
mod knowledge;
mod lanes;
pub mod lasso;
mod minimise;
mod operation;
mod order;
mod races;
mod runner;
mod schedule;
mod sim;
mod spin;
pub mod strategy;
pub mod task;
mod watchdog;
mod weak;
mod workers;
mod world;

pub use config::{Config, Cost, Effects, Ends, Memory, Panics, Threads, Timeouts};
pub use failure::{Awaiting, Blocked, Failure, Fault, Stuck};
pub use minimise::minimise;
pub use operation::{
    Access, Action, Guard, Kind, ObjectId, Operation, POINTER, Place, Request, TaskId,
};
pub use quadrille_simulation::{ModelTime, Random};
pub use runner::{Body, Monitor, Report, explore, explore_with};
pub use schedule::{Decision, Schedule, ScheduleError};
pub use sim::{Sim, sim};
pub use strategy::Strategy;
pub use workers::{Monitors, explore_by};
pub use world::{Environment, Names, Observer, Step};

/// Marks a named event, for reports, formulas and protocols; nothing outside of a simulation.
///
/// ```
/// quadrille_sim::event!("order placed");
/// let worker = 3;
/// quadrille_sim::event!("worker[{worker}] sends Done to master");
/// ```
#[macro_export]
macro_rules! event {
    ($name:literal $($arguments:tt)*) => {
        if $crate::task::is_simulated() {
            $crate::task::event(&$crate::real::format!($name $($arguments)*))
        }
    };
}

/// For the expansion of macros.
#[doc(hidden)]
pub mod real {
    pub use std::format;
}
