//! Starts the measurements beside Shuttle and Loom, which live in a workspace of their own
//! (`crates/bench/programs`) so that nothing else compiles them.

use std::io;
use std::process::Command;

pub(super) fn run(quick: bool) -> io::Result<bool> {
    let folder = super::root().join("crates/bench/programs");
    let target = super::root().join("target/bench-programs");
    let mut command = Command::new("cargo");
    command.args(["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(folder.join("Cargo.toml")).env("CARGO_TARGET_DIR", target);
    if quick {
        command.args(["--", "--quick"]);
    }
    match command.status()?.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(io::Error::other("the measurements beside Shuttle and Loom could not be made")),
    }
}
