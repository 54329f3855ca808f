//! The kernels of `examples/kernels` over generated modules beside the same over channels written by hand. They are a
//! program of their own, which measures and judges; it is started here.

use std::io;
use std::process::Command;

/// Starts the comparison, which prints its table; whether its bars hold.
pub(super) fn run(n_rounds: usize) -> io::Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut compare = Command::new(cargo);
    compare.args(["run", "--quiet", "--release", "--package", "quadrille-example-kernels"]);
    compare.args(["--bin", "compare", "--", "--rounds", &n_rounds.to_string()]);
    match compare.status()?.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(io::Error::other("the kernels could not be compared")),
    }
}
