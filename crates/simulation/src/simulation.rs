//! The container that owns processes and performs steps, one at a time. Does not know what the processes do.

use std::fmt;
use std::ops::Deref;

use crate::{Context, ModelTime, ProcessId};

/// A simulation: processes that act at points of model time, in the order of a calendar.
///
/// ```
/// use std::time::Duration;
/// use quadrille_simulation::{ModelTime, Simulation};
///
/// let mut simulation = Simulation::new(1);
/// let lamp = simulation.process("lamp", |p| println!("on at {}", p.now()));
/// simulation.start("switch", move |p| {
///     p.hold(Duration::from_secs(3));
///     p.activate(lamp).expect("the lamp is idle");
/// });
/// simulation.run();
/// assert_eq!(simulation.now(), ModelTime::from_secs(3));
/// ```
///
/// Dropping it ends all processes: their stacks are unwound.
pub struct Simulation {
    context: Context,
    n_steps: u64,
}

impl Simulation {
    /// A simulation at time zero, without processes, whose streams come from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { context: Context::new(seed), n_steps: 0 }
    }

    /// Performs one step: the process at the head of the calendar runs until it waits or ends. Says which one it was;
    /// nothing if the calendar is empty.
    ///
    /// # Panics
    /// If the process does; it has ended then, and the others can go on.
    pub fn step(&mut self) -> Option<ProcessId> {
        let process = self.context.step()?;
        self.n_steps += 1;
        Some(process)
    }

    /// Performs steps until the calendar is empty.
    pub fn run(&mut self) {
        while self.step().is_some() {}
    }

    /// Performs all steps up to and at `limit`; then it is `limit`.
    pub fn run_until(&mut self, limit: ModelTime) {
        while self.next_time().is_some_and(|time| time <= limit) {
            self.step();
        }
        self.context.advance(limit);
    }

    /// When the next step will be.
    #[must_use]
    pub fn next_time(&self) -> Option<ModelTime> {
        self.context.next_time()
    }

    /// How many steps were performed.
    #[must_use]
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// What outsiders have left in [ports](crate::Port) arrives in their boxes, at the times given there or now if that is later.
    pub fn deliver(&self) {
        self.context.doorbell().answer(self.now());
    }
}

impl Deref for Simulation {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // Processes own contexts, the context owns processes: the circle is cut here.
        self.context.shut_down();
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Simulation({}, {} processes, {} steps)",
            self.now(),
            self.n_processes(),
            self.n_steps
        )
    }
}
