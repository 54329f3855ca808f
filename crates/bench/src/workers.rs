//! Explicit search on one core, beside a bare loop for the philosophers where a C++ compiler and its source
//! are there, and on two cores beside one.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use quadrille_engine::{self as engine, Config, Limits, Workers, unobserved};
use quadrille_model::{Counts, Network};

use crate::cpu::{Whose, seconds};
use crate::line::{Bar, Line, Wanted};
use crate::models::{Grain, forkjoin, leader, peterson, phil, twophase};
use crate::table::grouped;

/// How many times faster two workers are to be than one.
const TWO_WORKERS: f64 = 1.6;
/// How many times the bare loop's time the philosophers may take.
const BARE: f64 = 1.5;
/// Bytes per state of at most 64 bits, also where memory is limited, and of a wider one.
const NARROW_BYTES: f64 = 10.0;
const FRUGAL_BYTES: f64 = 6.0;
const WIDE_BYTES: f64 = 16.0;

/// What these rows are called together.
const PART: &str = "workers";

struct Row {
    name: &'static str,
    network: Network,
    states: u64,
    /// Whether two workers are promised to be faster.
    is_promised: bool,
    /// How many philosophers the bare loop is to take.
    bare: Option<u32>,
    /// Whether states have at most 64 bits.
    is_narrow: bool,
}

/// What a run took and counted.
struct Run {
    clock: f64,
    cpu: f64,
    counts: Counts,
}

impl Run {
    fn bytes(&self) -> f64 {
        self.counts.bytes as f64 / self.counts.states as f64
    }
}

/// Measures, prints the lines, and says whether every count was the known one and every bar kept.
pub(crate) fn run(wanted: &mut Wanted<'_>) -> io::Result<bool> {
    let rows: Vec<Row> = rows().into_iter().filter(|row| wanted.has(PART, row.name)).collect();
    let bare = if rows.iter().any(|row| row.bare.is_some()) { bare_loop()? } else { None };
    let n_runs = if wanted.quick { 1 } else { 3 };
    let mut is_good = true;
    for row in rows {
        is_good &= row.measure(n_runs, bare.as_deref())?;
        if row.is_narrow {
            is_good &= frugal(row.name, &row.network, row.states, |bytes, _| {
                Bar::at_most("B/state", FRUGAL_BYTES, bytes)
            })?;
        }
    }
    bare.map_or(Ok(()), std::fs::remove_file)?;
    if wanted.has(PART, "leader-coarse 10") {
        let network = leader(10, Grain::Coarse);
        is_good &= frugal("leader-coarse 10", &network, 1_438_748, |bytes, _| {
            Bar::at_most("B/state", WIDE_BYTES, bytes)
        })?;
    }
    if wanted.has(PART, "phil 13") && !wanted.quick {
        is_good &=
            frugal("phil 13", &phil(13), 141_422_324, |_, all| Bar::new("under 2 GB", all < 2e9))?;
    }
    Ok(is_good)
}

fn rows() -> Vec<Row> {
    let row = |name, network, states| Row {
        name,
        network,
        states,
        is_promised: false,
        bare: None,
        is_narrow: true,
    };
    let wide = |name, network, states| Row { is_narrow: false, ..row(name, network, states) };
    vec![
        Row { bare: Some(10), ..row("phil 10", phil(10), 1_860_498) },
        Row { bare: Some(11), is_promised: true, ..row("phil 11", phil(11), 7_881_196) },
        row("twophase 8", twophase(8), 1_745_408),
        Row { is_promised: true, ..row("peterson 5", peterson(5), 5_659_100) },
        row("forkjoin 10", forkjoin(10), 1_747_626),
        Row { is_promised: true, ..wide("leader-fine 7", leader(7, Grain::Fine), 4_379_781) },
        wide("leader-coarse 9", leader(9, Grain::Coarse), 306_951),
    ]
}

impl Row {
    fn measure(&self, n_runs: usize, bare: Option<&Path>) -> io::Result<bool> {
        let (mut one, mut two) = (best(&self.network, 1, None)?, best(&self.network, 2, None)?);
        // One after the other, so that what else runs on the machine slows both down.
        for _ in 1..n_runs {
            one = faster(&one, &best(&self.network, 1, None)?);
            two = faster(&two, &best(&self.network, 2, None)?);
        }
        let bare = match (self.bare, bare) {
            (Some(n), Some(binary)) => Some(bare_seconds(binary, n)?),
            _ => None,
        };
        let mut bars: Vec<Bar> = Bar::count(one.counts.states == self.states).into_iter().collect();
        bars.extend(self.is_narrow.then(|| Bar::at_most("B/state", NARROW_BYTES, one.bytes())));
        bars.extend(bare.map(|bare| Bar::at_most("× bare loop", BARE, one.cpu / bare)));
        let line = Line {
            model: self.name,
            way: "1 worker",
            states: grouped(one.counts.states),
            seconds: one.cpu,
            bytes: Some(one.bytes()),
            beside: bare.map(|seconds| ("bare loop", seconds)),
            bars,
        };
        let is_good = line.print();
        let mut bars: Vec<Bar> = Bar::count(one.counts == two.counts).into_iter().collect();
        let times = one.clock / two.clock;
        bars.extend(self.is_promised.then(|| Bar::at_least("times", TWO_WORKERS, times)));
        let line = Line {
            model: self.name,
            way: "2, clock",
            states: grouped(two.counts.states),
            seconds: two.clock,
            bytes: Some(two.bytes()),
            beside: Some(("1, clock", one.clock)),
            bars,
        };
        Ok(line.print() & is_good)
    }
}

/// Explores with a limit of memory that is never reached, under which little is kept.
fn frugal(
    name: &str,
    network: &Network,
    states: u64,
    bar: impl Fn(f64, f64) -> Bar,
) -> io::Result<bool> {
    let run = best(network, 1, Some(u64::MAX))?;
    let mut bars: Vec<Bar> = Bar::count(run.counts.states == states).into_iter().collect();
    bars.push(bar(run.bytes(), run.counts.bytes as f64));
    let line = Line {
        model: name,
        way: "frugal",
        states: grouped(run.counts.states),
        seconds: run.cpu,
        bytes: Some(run.bytes()),
        beside: None,
        bars,
    };
    Ok(line.print())
}

fn best(network: &Network, n_workers: usize, memory: Option<u64>) -> io::Result<Run> {
    let limits = Limits { states: None, memory };
    let config = Config { workers: Workers::new(n_workers), limits, ..Config::default() };
    let (start, before) = (Instant::now(), seconds(Whose::Own)?);
    let counts = engine::explore(network, &config, &mut [], &mut unobserved).counts();
    let cpu = seconds(Whose::Own)? - before;
    Ok(Run { clock: start.elapsed().as_secs_f64(), cpu, counts })
}

/// The fewest seconds of two runs.
fn faster(one: &Run, other: &Run) -> Run {
    Run { clock: one.clock.min(other.clock), cpu: one.cpu.min(other.cpu), counts: other.counts }
}

/// Seconds that the bare loop takes.
fn bare_seconds(binary: &Path, n: u32) -> io::Result<f64> {
    let before = seconds(Whose::Children)?;
    Command::new(binary).arg(n.to_string()).output()?;
    Ok(seconds(Whose::Children)? - before)
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
