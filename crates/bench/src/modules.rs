//! How fast modules are beside channels written by hand: the same conversations over generated modules and
//! over the channels that people use, measured in turn; and how fast a module is explored by running it.
//!
//! A round measures every contender once; what counts is the ratio of two contenders in the same round, so that what
//! else runs on the machine weighs on both. The table gives medians over all rounds with
//! their 95 % intervals. A bar that lies within the interval is unclear, and does not count as held.

mod contenders;
mod exploration;
mod kernels;
mod networks;
mod rounds;

use std::io;
use std::process::Command;

use crate::table::Table;
use contenders::{Contender, Workload, workloads};
use rounds::{Holds, Rounds, Spread};

/// Measures all workloads and prints their table; whether all bars hold.
pub fn run(quick: bool) -> io::Result<bool> {
    let n_rounds = if quick { 5 } else { 31 };
    println!(
        "modules beside channels written by hand; medians (95 % intervals) of {n_rounds} rounds, {} processors\n",
        std::thread::available_parallelism()?
    );
    let mut table = Table::new(&["workload", "contender", "M/s", "ours ÷ it", "bar", "holds"]);
    let mut all_hold = true;
    for workload in all_workloads() {
        let rounds = if workload.is_pinned {
            match pinned(&workload, n_rounds)? {
                Some(rounds) => rounds,
                None => {
                    println!("skipped: {}: there is no `taskset` on this machine", workload.name);
                    continue;
                }
            }
        } else {
            measure(&workload, n_rounds)
        };
        all_hold &= tell(&workload, &rounds, &mut table);
    }
    println!("{table}");
    all_hold &= exploration::run()?;
    Ok(kernels::run(n_rounds)? && all_hold)
}

/// Measures one workload, for a process that was pinned to a processor, and prints the samples for the process that
/// asked for it.
pub fn run_pinned(name: &str, n_rounds: &str) -> io::Result<bool> {
    let workload = all_workloads().find(|workload| workload.key == name);
    let (Some(workload), Ok(n_rounds)) = (workload, n_rounds.parse()) else {
        return Err(io::Error::other("no such workload"));
    };
    print!("{}", measure(&workload, n_rounds));
    Ok(true)
}

fn measure(workload: &Workload, n_rounds: usize) -> Rounds {
    let mut rounds = Rounds::new(workload.contenders.len());
    for Contender { run, .. } in &workload.contenders {
        // The first run of each is not counted: threads and pages are new to it.
        run(workload.n_times / 10);
    }
    for _ in 0..n_rounds {
        let samples = workload.contenders.iter().map(|contender| {
            f64::from(workload.n_times) / (contender.run)(workload.n_times).as_secs_f64()
        });
        rounds.push(samples.collect());
    }
    rounds
}

/// The same in a process of its own that has one processor; `None` if that cannot be had.
fn pinned(workload: &Workload, n_rounds: usize) -> io::Result<Option<Rounds>> {
    let this = std::env::current_exe()?;
    let mut taskset = Command::new("taskset");
    taskset.args(["-c", "0"]).arg(this).args(["bench", "modules", "--pinned", workload.key]);
    let output = match taskset.arg(n_rounds.to_string()).output() {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let rounds = Rounds::parse(&String::from_utf8_lossy(&output.stdout));
    rounds.map(Some).ok_or_else(|| io::Error::other("the pinned process gave no samples"))
}

/// Adds rows for a workload; whether its bar holds.
fn tell(workload: &Workload, rounds: &Rounds, table: &mut Table) -> bool {
    // The bar is about the fastest of the rivals.
    let fastest = (1..workload.contenders.len())
        .max_by(|&one, &other| rounds.rate(one).median.total_cmp(&rounds.rate(other).median));
    let mut all_hold = true;
    for (number, contender) in workload.contenders.iter().enumerate() {
        let rate = rounds.rate(number);
        let ratio = rounds.ratio(0, number);
        let (bar, verdict) = match workload.bar.filter(|_| Some(number) == fastest) {
            Some(bar) => {
                let holds = ratio.reaches(bar);
                all_hold &= holds == Holds::Yes;
                (format!("≥ {bar:.2}"), holds.to_string())
            }
            None => Default::default(),
        };
        table.push(vec![
            if number == 0 { workload.name.to_owned() } else { String::new() },
            contender.name.to_owned(),
            shown(&rate.times(1e-6)),
            if number == 0 { String::new() } else { shown(&ratio) },
            bar,
            verdict,
        ]);
    }
    all_hold
}

fn all_workloads() -> impl Iterator<Item = Workload> {
    workloads().into_iter().chain(networks::workloads())
}

fn shown(spread: &Spread) -> String {
    let digits = if spread.median < 1.0 { 3 } else { 2 };
    let Spread { lower, median, upper } = spread;
    format!("{median:.digits$} ({lower:.digits$}–{upper:.digits$})")
}
