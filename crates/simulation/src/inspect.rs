//! What can be seen of a simulation between two steps: its processes, queues and semaphores, as data, text and JSON.

use std::cell::RefCell;
use std::fmt;
use std::rc::{Rc, Weak};

use serde::{Serialize, Serializer};

use crate::{Context, ModelTime, State};

/// A simulation between two steps.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// When it was taken; nanoseconds in JSON.
    pub time: ModelTime,
    /// All processes that have not ended.
    pub processes: Vec<ProcessView>,
    /// All queues.
    pub queues: Vec<QueueView>,
    /// All semaphores.
    pub semaphores: Vec<SemaphoreView>,
}

/// A process in a snapshot.
#[derive(Clone, Debug, Serialize)]
pub struct ProcessView {
    /// Its name.
    pub name: String,
    /// What it is doing.
    pub state: State,
    /// When it runs next, if it is scheduled.
    pub scheduled_for: Option<ModelTime>,
}

/// A queue in a snapshot.
#[derive(Clone, Debug, Serialize)]
pub struct QueueView {
    /// Its name.
    pub name: String,
    /// How many elements are in.
    pub length: usize,
    /// The mean length over model time.
    pub mean_length: f64,
    /// Seconds that those who left have stayed in the mean.
    pub mean_stay: f64,
    /// How many have left.
    pub left: u64,
}

/// A semaphore in a snapshot.
#[derive(Clone, Debug, Serialize)]
pub struct SemaphoreView {
    /// Its name.
    pub name: String,
    /// Permits that can be had without waiting.
    pub permits: u64,
    /// Processes that wait.
    pub waiting: usize,
}

impl Context {
    /// The simulation as it is now. Looking costs no model time and changes nothing.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let processes = self.processes().into_iter().map(|id| ProcessView {
            name: self.name(id),
            state: self.state(id),
            scheduled_for: self.scheduled_for(id),
        });
        let mut snapshot = Snapshot {
            time: self.now(),
            processes: processes.collect(),
            queues: Vec::new(),
            semaphores: Vec::new(),
        };
        for inspected in self.registry().living() {
            match inspected.view(self.now()) {
                View::Queue(view) => snapshot.queues.push(view),
                View::Semaphore(view) => snapshot.semaphores.push(view),
            }
        }
        snapshot
    }
}

impl Serialize for ModelTime {
    /// Nanoseconds, exact in every reader with 64-bit integers.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.as_nanos())
    }
}

impl Snapshot {
    /// The snapshot as one JSON object.
    ///
    /// # Panics
    /// Never: all of it can be written.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("names, numbers and words")
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "time {}", self.time)?;
        for ProcessView { name, state, scheduled_for } in &self.processes {
            match scheduled_for {
                Some(time) => writeln!(f, "process {name}: {state} for {time}")?,
                None => writeln!(f, "process {name}: {state}")?,
            }
        }
        for QueueView { name, length, mean_length, mean_stay, left } in &self.queues {
            writeln!(
                f,
                "queue {name}: {length} in, {left} left, mean length {mean_length:.3}, mean stay {mean_stay:.3} s"
            )?;
        }
        for SemaphoreView { name, permits, waiting } in &self.semaphores {
            writeln!(f, "semaphore {name}: {permits} permits, {waiting} waiting")?;
        }
        Ok(())
    }
}

/// Something with a place in snapshots.
pub(crate) trait Inspect {
    fn view(&self, now: ModelTime) -> View;
}

pub(crate) enum View {
    Queue(QueueView),
    Semaphore(SemaphoreView),
}

/// Everything that can be inspected, in the order in which it was made.
#[derive(Default)]
pub(crate) struct Registry {
    entries: RefCell<Vec<Weak<dyn Inspect>>>,
}

impl Registry {
    pub(crate) fn enter(&self, inspected: &Rc<dyn Inspect>) {
        let mut entries = self.entries.borrow_mut();
        // Short-lived queues would fill the list: look for dead ones whenever it would have to grow.
        if entries.len() == entries.capacity() {
            entries.retain(|entry| entry.strong_count() > 0);
        }
        entries.push(Rc::downgrade(inspected));
    }

    fn living(&self) -> Vec<Rc<dyn Inspect>> {
        self.entries.borrow().iter().filter_map(Weak::upgrade).collect()
    }
}
