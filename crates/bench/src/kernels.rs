//! The four kernels of `examples/kernels` with many workers: whether the answers are the published ones, over both forms of
//! their modules. They are a program of their own, which is started here.

use std::io;
use std::process::Command;

const KERNELS: [&str; 4] = ["cg", "ft", "is", "mg"];

/// Solves all kernels of a class with so many workers per group over strict and liberal modules, and prints a line for
/// each; whether all answers are right.
pub fn run(class: &str, workers: &str) -> io::Result<bool> {
    let mut all_hold = true;
    for kernel in KERNELS {
        for form in ["strict", "liberal"] {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut solve = Command::new(cargo);
            solve.args(["run", "--quiet", "--release", "--package", "quadrille-example-kernels"]);
            solve.args(["--bin", "quadrille-example-kernels", "--", kernel, class]);
            let output = solve.args(["--workers", workers, "--over", form]).output()?;
            let told = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            match output.status.code() {
                Some(0) => println!("{kernel} {class}, {workers} workers, {form}: {told}"),
                Some(1) => {
                    all_hold = false;
                    let error = String::from_utf8_lossy(&output.stderr);
                    println!("{kernel} {class}, {workers} workers, {form}: WRONG: {told}{error}");
                }
                _ => {
                    let error = String::from_utf8_lossy(&output.stderr);
                    return Err(io::Error::other(format!("{kernel} could not be run: {error}")));
                }
            }
        }
    }
    Ok(all_hold)
}
