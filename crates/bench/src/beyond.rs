//! Searches in sorted runs, in memory, on disk and by processes, beside the table in memory: seconds of
//! the clock and of the processors, bytes per state. Each row is printed as soon as it is measured.

mod processes;

use std::io;
use std::time::Instant;

use quadrille_engine::disk::{Folder, Identity, RunStore, check_runs, delete};
use quadrille_engine::{self as engine, Config, Limits, Workers, unobserved};
use quadrille_model::{Counts, Network};

use crate::cpu::{Whose, seconds};
use crate::engine::introduce;
use crate::models::{Grain, forkjoin, leader, peterson, phil, prod, twophase};

/// Memory of a search on disk.
const ON_DISK: u64 = 512 << 20;
/// How many workers search.
const WORKERS: usize = 2;
/// The share of the speed of the table in memory that a search on disk is to have.
const SHARE: f64 = 0.4;
/// The share of the speed of two threads that two processes are to have.
const SHARED: f64 = 0.7;
/// Bytes per state that runs may take on disk, where they may not take more in memory.
const ON_DISK_EACH: f64 = 2.0;

struct Row {
    name: &'static str,
    network: Network,
    states: u64,
    /// Bytes per state that runs may take.
    most: f64,
    /// Whether speeds are compared: of short searches, starting is much.
    is_timed: bool,
    /// Whether the table fits into memory.
    fits: bool,
}

/// Measures, prints the rows, and says whether every count was the known one and every promise kept.
/// `long` adds searches that take minutes and hours.
pub fn run(long: bool) -> io::Result<bool> {
    introduce(1);
    println!("{WORKERS} workers; `clock` and `CPU` are seconds; on disk with 512 MiB of memory.");
    println!(
        "{:<16} {:>11} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6} {:>6}  promise",
        "model",
        "states",
        "clock",
        "CPU",
        "in runs",
        "CPU",
        "on disk",
        "CPU",
        "B table",
        "B runs",
        "B disk"
    );
    let mut is_good = true;
    for row in rows(long) {
        is_good &= row.measure()?;
    }
    is_good &= shared(if long { "phil 13" } else { "phil 11" })?;
    Ok(is_good)
}

/// Takes part in a search of processes that [`run`] started.
pub fn take_part(workload: &str, process: &str) -> io::Result<()> {
    let unknown = |what: &str| io::Error::other(format!("no such {what}"));
    let rows = rows(true);
    let row = rows.iter().find(|row| row.name == workload).ok_or_else(|| unknown("workload"))?;
    processes::take_part(&row.network, process.parse().map_err(|_| unknown("process"))?)
}

/// Two threads, and 1, 2 and 4 processes with a thread each.
fn shared(workload: &str) -> io::Result<bool> {
    let rows = rows(true);
    let Some(row) = rows.iter().find(|row| row.name == workload) else { return Ok(false) };
    let (threads, _) = measured(|| row.in_runs(&RunStore::Memory, None))?;
    println!("\n{workload}: {:<18} {:>8} {:>8} {:>12}", "", "clock", "CPU", "sent / state");
    println!("{:<27} {:>8.2} {:>8.2} {:>12}", "2 threads", threads.clock, threads.cpu, "–");
    let mut is_good = true;
    for n in [1, 2, 4] {
        let processes::Shared { took, sent } = processes::count(workload, n)?;
        let same = |took: &Took| Counts { bytes: 0, ..took.counts };
        let share = threads.clock / took.clock;
        let remark = match (same(&took) == same(&threads), n, share >= SHARED) {
            (false, ..) => ", WRONG COUNT".to_owned(),
            (true, 2, false) => format!(", {share:.2} of two threads, promise {SHARED} BROKEN"),
            (true, 2, true) => format!(", {share:.2} of two threads, promise {SHARED}"),
            _ => String::new(),
        };
        is_good &= !remark.contains(|letter: char| letter.is_ascii_uppercase());
        let each = sent as f64 / took.counts.states as f64;
        let name = format!("{n} process{}", if n == 1 { "" } else { "es" });
        println!("{name:<27} {:>8.2} {:>8.2} {each:>12.2}{remark}", took.clock, took.cpu);
    }
    Ok(is_good)
}

fn rows(long: bool) -> Vec<Row> {
    let row = |name, network, states, most| Row {
        name,
        network,
        states,
        most,
        is_timed: false,
        fits: true,
    };
    let mut rows = vec![
        row("phil 11", phil(11), 7_881_196, 1.5),
        row("peterson 5", peterson(5), 5_659_100, 1.5),
        row("twophase 8", twophase(8), 1_745_408, 1.5),
        row("prod 12", prod(12), 1_062_882, 1.5),
        row("forkjoin 10", forkjoin(10), 1_747_626, 1.5),
        row("leader-fine 7", leader(7, Grain::Fine), 4_379_781, 3.0),
        row("leader-coarse 9", leader(9, Grain::Coarse), 306_951, 8.0),
    ];
    if long {
        rows.push(Row { is_timed: true, ..row("phil 13", phil(13), 141_422_324, 1.5) });
        rows.push(Row { fits: false, ..row("phil 15", phil(15), 2_537_720_636, 1.5) });
    }
    rows
}

/// What a search took.
struct Took {
    clock: f64,
    cpu: f64,
    counts: Counts,
}

fn measured<T>(work: impl FnOnce() -> io::Result<(Counts, T)>) -> io::Result<(Took, T)> {
    let (start, before) = (Instant::now(), seconds(Whose::Own)?);
    let (counts, rest) = work()?;
    let (clock, cpu) = (start.elapsed().as_secs_f64(), seconds(Whose::Own)? - before);
    Ok((Took { clock, cpu, counts }, rest))
}

impl Row {
    fn measure(&self) -> io::Result<bool> {
        let table = match self.fits {
            true => Some(measured(|| Ok((self.in_table()?, ())))?.0),
            false => None,
        };
        let (runs, stored) = measured(|| self.in_runs(&RunStore::Memory, None))?;
        let path = std::env::temp_dir().join(format!("quadrille-beyond-{}", std::process::id()));
        let folder = Folder::new(path);
        let (store, identity) = (folder.clone(), Identity::default());
        let store = RunStore::Disk { folder: store, resume: false, identity };
        let on_disk = measured(|| self.in_runs(&store, Some(ON_DISK)));
        delete(&folder).map_err(io::Error::other)?;
        let (disk, kept) = on_disk?;
        let each = |bytes: u64| bytes as f64 / self.states as f64;
        let same = |took: &Took| Counts { bytes: 0, ..took.counts };
        let is_right = same(&runs) == same(&disk)
            && runs.counts.states == self.states
            && table.as_ref().is_none_or(|table| same(table) == same(&runs));
        let share = table.as_ref().filter(|_| self.is_timed).map(|table| table.clock / disk.clock);
        let is_kept = each(stored) <= self.most
            && each(kept) <= self.most.max(ON_DISK_EACH)
            && share.is_none_or(|share| share >= SHARE);
        let remark = match (is_right, is_kept) {
            (false, _) => "WRONG COUNT".to_owned(),
            (true, true) => format!("{} B", self.most),
            (true, false) => format!("{} B BROKEN", self.most),
        };
        let column = |value: Option<f64>| value.map_or("–".to_owned(), |it| format!("{it:.2}"));
        println!(
            "{:<16} {:>11} {:>8} {:>8} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>7} {:>6.2} {:>6.2}  {remark}{}",
            self.name,
            runs.counts.states,
            column(table.as_ref().map(|table| table.clock)),
            column(table.as_ref().map(|table| table.cpu)),
            runs.clock,
            runs.cpu,
            disk.clock,
            disk.cpu,
            column(table.as_ref().map(|table| each(table.counts.bytes))),
            each(stored),
            each(kept),
            share.map_or(String::new(), |share| format!(", {share:.2} of the table's speed")),
        );
        Ok(is_right && is_kept)
    }

    fn in_table(&self) -> io::Result<Counts> {
        let config = Config { workers: Workers::new(WORKERS), ..Config::default() };
        let outcome = engine::check(&self.network, vec![], &config, &mut unobserved);
        Ok(outcome.map_err(io::Error::other)?.counts)
    }

    fn in_runs(&self, store: &RunStore, memory: Option<u64>) -> io::Result<(Counts, u64)> {
        let limits = Limits { states: None, memory };
        let config = Config { workers: Workers::new(WORKERS), limits, ..Config::default() };
        let found = check_runs(&self.network, &[], store, &config, &mut unobserved);
        let found = found.map_err(io::Error::other)?;
        if let Some(bound) = found.outcome.bound {
            return Err(io::Error::other(format!("{}: {bound:?}", self.name)));
        }
        Ok((found.outcome.counts, found.on_disk.unwrap_or(found.stored)))
    }
}
