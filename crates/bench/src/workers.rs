//! Explicit search on one core and on two: states, seconds of the clock and of the processors, bytes
//! per state, beside a bare loop for the philosophers where a C++ compiler and its source are there.
//! Each row is printed as soon as it is measured.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use quadrille_engine::{self as engine, Config, Workers, unobserved};
use quadrille_model::{Counts, Network};

use crate::cpu::{Whose, seconds};
use crate::models::{Grain, forkjoin, leader, peterson, phil, twophase};
use crate::table::millions;

/// How many times faster two workers are to be than one.
const PROMISE: f64 = 1.6;

struct Row {
    name: &'static str,
    network: Network,
    states: u64,
    /// Whether the promise is made for it.
    is_promised: bool,
    /// How many philosophers the bare loop is to take.
    bare: Option<u32>,
}

/// Measures, prints the rows, and says whether every count was the known one and every promise kept.
pub(crate) fn run(quick: bool) -> io::Result<bool> {
    println!("\nState by state; `clock` and `CPU` are seconds, the best of {}.", n_runs(quick));
    println!(
        "{:<16} {:>10} {:>8} {:>8} {:>8} {:>8} {:>7} {:>9} {:>6}  promise",
        "model", "states", "clock 1", "CPU 1", "clock 2", "CPU 2", "faster", "trans/s", "B/st"
    );
    let bare = bare_loop()?;
    let mut is_good = true;
    for row in rows() {
        is_good &= row.measure(n_runs(quick))?;
        if let (Some(n), Some(binary)) = (row.bare, &bare) {
            let output = Command::new(binary).arg(n.to_string()).output()?;
            print!("  bare loop: {}", String::from_utf8_lossy(&output.stdout));
        }
    }
    bare.map_or(Ok(()), std::fs::remove_file)?;
    Ok(is_good)
}

fn n_runs(quick: bool) -> usize {
    if quick { 1 } else { 3 }
}

fn rows() -> Vec<Row> {
    let row = |name, network, states| Row { name, network, states, is_promised: false, bare: None };
    vec![
        Row { bare: Some(10), ..row("phil 10", phil(10), 1_860_498) },
        Row { bare: Some(11), is_promised: true, ..row("phil 11", phil(11), 7_881_196) },
        row("twophase 8", twophase(8), 1_745_408),
        Row { is_promised: true, ..row("peterson 5", peterson(5), 5_659_100) },
        row("forkjoin 10", forkjoin(10), 1_747_626),
        Row { is_promised: true, ..row("leader-fine 7", leader(7, Grain::Fine), 4_379_781) },
        row("leader-coarse 9", leader(9, Grain::Coarse), 306_951),
    ]
}

impl Row {
    fn measure(&self, n_runs: usize) -> io::Result<bool> {
        let (clock, cpu, counts) = self.best(1, n_runs)?;
        let (clock_two, cpu_two, counts_two) = self.best(2, n_runs)?;
        let (faster, is_right) = (clock / clock_two, counts.states == self.states);
        let remark = match (is_right && counts == counts_two, self.is_promised) {
            (false, _) => "WRONG COUNT",
            (true, false) => "–",
            (true, true) if faster >= PROMISE => "1.6 times",
            (true, true) => "1.6 times BROKEN",
        };
        println!(
            "{:<16} {:>10} {clock:>8.2} {cpu:>8.2} {clock_two:>8.2} {cpu_two:>8.2} {faster:>7.2} {:>9} {:>6.1}  {remark}",
            self.name,
            counts.states,
            millions(counts.transitions, cpu),
            counts.bytes as f64 / counts.states as f64,
        );
        Ok(!remark.starts_with('W') && !remark.ends_with("BROKEN"))
    }

    /// The fewest seconds of the clock and of the processors, and what was counted.
    fn best(&self, n_workers: usize, n_runs: usize) -> io::Result<(f64, f64, Counts)> {
        let config = Config { workers: Workers::new(n_workers), ..Config::default() };
        let mut best = (f64::INFINITY, f64::INFINITY, Counts::default());
        for _ in 0..n_runs {
            let (start, before) = (Instant::now(), seconds(Whose::Own)?);
            let counts = engine::explore(&self.network, &config, &mut [], &mut unobserved).counts();
            let used = seconds(Whose::Own)? - before;
            best = (best.0.min(start.elapsed().as_secs_f64()), best.1.min(used), counts);
        }
        Ok(best)
    }
}

/// The bare loop, compiled.
fn bare_loop() -> io::Result<Option<PathBuf>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/peers/limit/bfs.cpp");
    if !source.exists() || Command::new("g++").arg("--version").output().is_err() {
        println!("(no bare loop: its source and g++ are not both here)");
        return Ok(None);
    }
    let binary = std::env::temp_dir().join(format!("quadrille-bare-loop-{}", std::process::id()));
    let status = Command::new("g++").arg("-O2").arg(&source).arg("-o").arg(&binary).status()?;
    Ok(status.success().then_some(binary))
}
