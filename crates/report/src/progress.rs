//! How far a search came, as lines for machines.

use serde::Serialize;

use crate::json::SCHEMA;

/// What `--progress json` tells each second.
#[derive(Serialize)]
pub struct ProgressDocument<'a> {
    /// What is being asked.
    pub question: &'a str,
    /// Seconds since the command began.
    pub seconds: f64,
    /// The level that is expanded, breadth first.
    pub level: Option<u64>,
    /// States met.
    pub states: u64,
    /// Edges met.
    pub transitions: u64,
    /// States that wait to be expanded.
    pub frontier: u64,
    /// States per second.
    pub rate: f64,
    /// Bytes in memory.
    pub memory: u64,
    /// Bytes on disk, of a search that is kept there.
    pub on_disk: Option<u64>,
    /// Seconds that the search may still take, about, if that can be said.
    pub seconds_left: Option<f64>,
}

/// How far a worker of a cluster came.
#[derive(Serialize)]
pub struct WorkerRecord {
    /// Which one.
    pub worker: usize,
    /// The level that it expands.
    pub level: Option<u64>,
    /// Its states.
    pub states: u64,
    /// Edges out of them.
    pub transitions: u64,
    /// States of the level that it has not expanded.
    pub frontier: u64,
    /// Bytes in memory.
    pub memory: u64,
    /// Bytes of states that it sent to others.
    pub sent: u64,
}

#[derive(Serialize)]
struct Line<'a, T> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<&'a T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workers: Option<&'a [WorkerRecord]>,
}

fn line<T: Serialize>(progress: Option<&T>, workers: Option<&[WorkerRecord]>) -> String {
    let line = Line { schema: SCHEMA, progress, workers };
    serde_json::to_string(&line).map(|line| line + "\n").unwrap_or_default()
}

impl ProgressDocument<'_> {
    /// One line.
    pub fn to_line(&self) -> String {
        line(Some(self), None)
    }
}

/// One line about all workers of a cluster.
pub fn workers_line(workers: &[WorkerRecord]) -> String {
    line::<()>(None, Some(workers))
}
