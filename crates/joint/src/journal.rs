//! The time-stamped record of what passes between a program and its environment: every change of an item of the
//! interface, whichever thread caused it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use quadrille_sim::task;
use quadrille_simulation::ModelTime;
use serde::Serialize;

/// A change of an item of the interface.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Entry {
    /// When, in model time.
    pub time: ModelTime,
    /// Whether the program caused it, or the environment.
    pub by: Side,
    /// Which item.
    #[serde(serialize_with = "as_text")]
    pub item: Arc<str>,
    /// Its new value.
    pub value: String,
}

fn as_text<S: serde::Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// The two sides of an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Threads.
    Program,
    /// Processes of the simulation.
    Environment,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Program => "program",
            Self::Environment => "environment",
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {} = {}", self.time, self.by, self.item, self.value)
    }
}

/// The record of an interface. A clone is the same record.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Journal {
    /// An empty record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes down that an item has a new value now.
    pub fn write(&self, item: &Arc<str>, value: &dyn fmt::Debug) {
        let by = if task::is_environment() { Side::Environment } else { Side::Program };
        let entry =
            Entry { time: task::now(), by, item: Arc::clone(item), value: format!("{value:?}") };
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// All changes so far, in the order in which they happened.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The record as lines of JSON, one change each.
    ///
    /// # Panics
    /// Never: all of it can be written.
    #[must_use]
    pub fn to_json_lines(&self) -> String {
        let entries = self.entries();
        let lines = entries
            .iter()
            .map(|entry| serde_json::to_string(entry).expect("names and numbers") + "\n");
        lines.collect()
    }
}

impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries().iter().try_for_each(|entry| writeln!(f, "{entry}"))
    }
}
