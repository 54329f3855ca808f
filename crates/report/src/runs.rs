//! What folders of searches hold, as a document.

use serde::Serialize;

use crate::json::{SCHEMA, pretty};

/// What `runs --format json` prints.
#[derive(Serialize)]
pub struct RunsDocument {
    schema: &'static str,
    runs: Vec<ShelfRecord>,
}

/// A search that is kept in a folder.
#[derive(Serialize)]
pub struct ShelfRecord {
    /// The folder.
    pub folder: String,
    /// What the model was called.
    pub title: String,
    /// The version that wrote it.
    pub version: String,
    /// Which partition it is,
    pub partition: usize,
    /// and of how many.
    pub partitions: usize,
    /// Whether nothing is left to do.
    pub complete: bool,
    /// States met.
    pub states: u64,
    /// Transitions of the levels that were expanded.
    pub transitions: u64,
    /// Levels that are complete.
    pub levels: usize,
    /// States of the last of them.
    pub frontier: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// How many there are.
    pub files: usize,
}

impl RunsDocument {
    /// The document.
    pub fn new(runs: Vec<ShelfRecord>) -> Self {
        Self { schema: SCHEMA, runs }
    }

    /// The document as text, ending in a newline.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}
