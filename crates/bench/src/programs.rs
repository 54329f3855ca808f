//! The tables of the program level: known bugs of published crates found again as the command finds
//! them, and executions per second beside Shuttle and Loom.

use std::io;
use std::path::PathBuf;

mod crossbeam;
mod rivals;
mod wild;

/// Measures, prints the tables, and says whether every bar holds.
///
/// # Errors
///
/// If cargo, the registry or the processor clock do not play along.
pub fn run(quick: bool) -> io::Result<bool> {
    let is_fast = rivals::run(quick)? & crossbeam::run(quick)?;
    Ok(wild::run(quick)? & is_fast)
}

/// Only the known bugs of published crates.
///
/// # Errors
///
/// If cargo or the registry do not play along.
pub fn run_wild(quick: bool) -> io::Result<bool> {
    wild::run(quick)
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
