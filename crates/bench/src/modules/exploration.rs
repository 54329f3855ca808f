//! How fast a generated module is explored by running it: a fork/join with twelve workers, more than a million states.

use std::io;

use quadrille_engine::{Config, check, unobserved};
use quadrille_model::Counts;
use quadrille_runtime::{Exploration, Module, Sample};

use crate::cpu::{Whose, measure};
use crate::generated::fork_join_12;
use crate::table::{Table, grouped};

/// States per second of CPU time, at least.
const BAR: f64 = 300_000.0;

/// What counts is the median of so many explorations.
const N_RUNS: usize = 5;

/// Explores the module several times and prints what that took; whether the bar holds.
pub(super) fn run() -> io::Result<bool> {
    let module = fork_join_12::liberal();
    let (seconds, counts) =
        measure(Whose::Own, N_RUNS, || explore(module.as_ref(), &Config::default()))?;
    let rate = counts.states as f64 / seconds;
    let holds = rate >= BAR;
    let mut table = Table::new(&[
        "exploration by running",
        "states",
        "transitions",
        "CPU s",
        "states/s",
        "bar",
        "holds",
    ]);
    table.push(vec![
        "fork/join, 12 workers, liberal".to_owned(),
        grouped(counts.states),
        grouped(counts.transitions),
        format!("{seconds:.2}"),
        grouped(rate as u64),
        format!("≥ {}", grouped(BAR as u64)),
        if holds { "yes" } else { "NO" }.to_owned(),
    ]);
    println!("{table}");
    Ok(holds)
}

/// Explores all that a module can do, on one core.
fn explore<P: Sample>(module: &Module<P>, config: &Config) -> io::Result<Counts> {
    let exploration = Exploration::new(module);
    let found = check(&exploration, Vec::new(), config, &mut unobserved);
    found.map(|found| found.counts).map_err(io::Error::other)
}

#[cfg(test)]
mod tests;
