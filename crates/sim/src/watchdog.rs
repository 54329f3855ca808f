//! Notices that a program does something that the scheduler cannot interrupt: it waits for the
//! operating system, or computes without a visible operation. The only part of this crate that looks
//! at the wall clock and at the system; no decision depends on it.
#![allow(clippy::disallowed_methods)] // it asks the system about a thread

use std::panic::Location;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::operation::{Place, TaskId};

/// What the thread that explores tells of itself while it does.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    steps: AtomicU64,
    executions: AtomicU64,
    /// The task that performed the last step, and where.
    task: AtomicU16,
    place: AtomicPtr<Location<'static>>,
    /// The system's number of the thread that runs a task; zero if it is the one that explores.
    runs_on: AtomicU64,
    /// A task runs; else the strategy or a monitor thinks, which may take as long as it likes.
    is_inside: AtomicBool,
}

impl Pulse {
    /// A task performed an operation.
    pub(crate) fn beat(&self, task: TaskId, place: Place) {
        self.steps.store(self.steps.load(Relaxed) + 1, Relaxed);
        self.task.store(task.0, Relaxed);
        self.place.store(std::ptr::from_ref(place).cast_mut(), Relaxed);
    }

    /// An execution begins, or is over.
    pub(crate) fn set_inside(&self, is_inside: bool) {
        self.is_inside.store(is_inside, Relaxed);
        if is_inside {
            self.executions.store(self.executions.load(Relaxed) + 1, Relaxed);
            self.place.store(null_mut(), Relaxed);
        }
    }

    pub(crate) fn executions(&self) -> u64 {
        self.executions.load(Relaxed)
    }

    /// The calling thread goes on with a task.
    pub(crate) fn watch_this_thread(&self) {
        thread_local!(static NUMBER: u64 = own_number());
        self.runs_on.store(NUMBER.with(|number| *number), Relaxed);
    }

    /// Where the last step was, in words.
    fn last(&self) -> String {
        let place = self.place.load(Relaxed);
        // SAFETY: the pointer comes from a `&'static Location`, or is null.
        match unsafe { place.as_ref() } {
            Some(place) => format!("after task {}'s operation at {place}", self.task.load(Relaxed)),
            None => "before the first operation".to_owned(),
        }
    }
}

/// What the system says about a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Vitals {
    is_asleep: bool,
    /// Processor time so far, in hundredths of a second.
    ticks: u64,
}

/// The calling thread, as the system names it; nothing where that cannot be asked.
pub(crate) fn own_name() -> Option<String> {
    let link = std::fs::read_link("/proc/thread-self").ok()?;
    Some(format!("/proc/{}", link.display()))
}

/// The system's number of the calling thread; zero where that cannot be asked.
fn own_number() -> u64 {
    let name = own_name().unwrap_or_default();
    name.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn vitals(thread: &str) -> Option<Vitals> {
    let text = std::fs::read_to_string(format!("{thread}/stat")).ok()?;
    // The name in brackets may contain anything; then come state, ten numbers, user and system time.
    let mut fields = text.rsplit(')').next()?.split_ascii_whitespace();
    let state = fields.next()?;
    let user: u64 = fields.nth(10)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Vitals { is_asleep: state == "S" || state == "D", ticks: user + system })
}

/// How often the watchdog looks while its patience lasts.
const LOOKS: u32 = 8;

/// A thread that explores, and what was seen of it.
#[derive(Debug)]
pub(crate) struct Watched {
    pulse: Arc<Pulse>,
    /// As the system names it.
    thread: Option<String>,
    steps: u64,
    /// How many looks in a row it slept.
    asleep: u32,
    ticks: u64,
}

impl Watched {
    pub(crate) fn new(pulse: Arc<Pulse>, thread: Option<String>) -> Watched {
        Watched { pulse, thread, steps: u64::MAX, asleep: 0, ticks: 0 }
    }

    pub(crate) fn executions(&self) -> u64 {
        self.pulse.executions()
    }

    /// What is wrong with it, if a task neither performed an operation nor ended for so long.
    fn look(&mut self, patience: Duration) -> Option<&'static str> {
        let now = self.pulse.steps.load(Relaxed);
        let vitals = match self.pulse.runs_on.load(Relaxed) {
            0 => self.thread.as_deref().and_then(vitals),
            number => vitals(&format!("/proc/self/task/{number}")),
        };
        let vitals = vitals.unwrap_or(Vitals { is_asleep: true, ticks: 0 });
        if now != self.steps || !self.pulse.is_inside.load(Relaxed) {
            (self.steps, self.asleep, self.ticks) = (now, 0, vitals.ticks);
            return None;
        }
        self.asleep = if vitals.is_asleep { self.asleep + 1 } else { 0 };
        let ticks = vitals.ticks.saturating_sub(self.ticks);
        if self.asleep >= LOOKS {
            Some("blocks outside of the scheduler's control")
        } else if Duration::from_millis(10 * ticks) >= patience {
            Some("computes without any visible operation")
        } else {
            None
        }
    }
}

/// Waits for the result of the threads that explore; or says what is wrong if a task neither
/// performs an operation nor ends within `patience`, counted in wall time while it sleeps and in
/// processor time while it computes.
pub(crate) fn watch<T>(
    result: &Receiver<T>,
    threads: &mut [Watched],
    patience: Duration,
) -> Result<Option<T>, String> {
    let look = (patience / LOOKS).max(Duration::from_millis(1));
    loop {
        match result.recv_timeout(look) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        for thread in &mut *threads {
            if let Some(what) = thread.look(patience) {
                let last = thread.pulse.last();
                return Err(format!("{what} for {} s {last}", patience.as_secs_f64()));
            }
        }
    }
}
