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
mod tests {
    use quadrille_engine::Order;

    use super::*;
    use crate::generated::fork_join_4;

    #[test]
    fn a_small_fork_join_has_the_same_states_in_any_order() {
        // The master has sent n of k tasks, or all and taken n answers; each task between is queued, received or
        // answered. The master can go on unless the next answer is missing, each worker unless it has answered.
        let k = 4;
        let states: u64 = 2 * 3u64.pow(k) - 1;
        let by_workers: u64 = (0..k)
            .chain(1..=k)
            .map(|n_open| 2 * u64::from(n_open) * 3u64.pow(n_open - n_open.min(1)))
            .sum();
        let by_master: u64 = (0..k).map(|n_open| 3u64.pow(n_open)).sum::<u64>() * 2;
        let module = fork_join_4::liberal();
        for order in [Order::Breadth, Order::Depth] {
            let config = Config { order, ..Config::default() };
            let counts = explore(module.as_ref(), &config).expect("no fault");
            assert_eq!((counts.states, counts.transitions), (states, by_workers + by_master));
        }
    }
}
