//! The data beside the repository, which tests marked `#[conformance]` read. It may be absent, but
//! not while such a test runs.
#![allow(clippy::disallowed_methods)] // reads test data

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A row of a table, by the names of its columns.
pub type Row = BTreeMap<String, String>;

/// A folder or a file of `../shared/conformance`.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance").join(name)
}

/// A file as text.
///
/// # Panics
/// If it cannot be read.
pub fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The fields of a table between tabs, row by row, without its header.
///
/// # Panics
/// If the table cannot be read.
pub fn fields(path: &Path) -> Vec<Vec<String>> {
    text(path).lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The rows of a table whose first line names the columns.
///
/// # Panics
/// If the table cannot be read.
pub fn rows(path: &Path) -> Vec<Row> {
    let text = text(path);
    let header: Vec<&str> = text.lines().next().unwrap_or("").split('\t').collect();
    let names = || header.iter().map(|&name| name.to_owned());
    fields(path).into_iter().map(|fields| names().zip(fields).collect()).collect()
}
