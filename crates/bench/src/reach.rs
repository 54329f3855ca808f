//! What there is beside plain exploration: estimates beside the truth, linear time by components and on
//! all cores. Each row is printed as soon as it is measured.

use std::io;
use std::time::Instant;

use quadrille_engine::{
    self as engine, Config, Growth, Interpretation, Limits, LtlAlgorithm, LtlOptions, Meaning,
    Workers, check_ltl, growth, unobserved,
};
use quadrille_model::{Network, PropositionId, StateId, Verdict};

use crate::cpu::{Whose, seconds};
use crate::engine::introduce;
use crate::workload::{Workload, workloads};

/// Measures, prints the rows, and says whether what is promised holds: most ranges contain the truth, and
/// all algorithms agree.
pub fn run(quick: bool) -> io::Result<bool> {
    introduce(1);
    let mut is_good = estimates();
    is_good &= linear_time(quick)?;
    Ok(is_good)
}

/// Shares of a model that are explored before its size is estimated.
const SHARES: [u64; 4] = [3, 10, 30, 100];

/// Of a hundred ranges, how many are to contain the truth.
const PROMISED: usize = 75;

/// Estimates from parts of models whose sizes are known.
fn estimates() -> bool {
    println!(
        "{:<16} {:>11} {:>9} {:>11} {:>11} {:>11}",
        "model", "states", "explored", "least", "likely", "most"
    );
    let (mut n_rows, mut n_right) = (0, 0);
    for workload in workloads() {
        let network = workload.network();
        for share in SHARES {
            let budget = workload.known.states / share;
            if budget < 1_000 {
                continue;
            }
            let Growth { least, most, likely } = estimate(&network, budget);
            let truth = workload.known.states as f64;
            let is_right = least <= truth && most.is_none_or(|most| truth <= most);
            n_rows += 1;
            n_right += usize::from(is_right);
            let figure =
                |number: Option<f64>| number.map_or("–".to_owned(), |it| format!("{it:.2e}"));
            println!(
                "{:<16} {:>11} {budget:>9} {:>11} {:>11} {:>11}{}",
                workload.name(),
                workload.known.states,
                figure(Some(least)),
                figure(likely),
                figure(most),
                if is_right { "" } else { "  outside" },
            );
        }
    }
    println!("{n_right} of {n_rows} ranges contain the number of states.\n");
    n_right * 100 >= n_rows * PROMISED
}

/// What the levels of the first states say.
pub fn estimate(network: &Network, budget: u64) -> Growth {
    let limits = Limits { states: Some(budget), ..Limits::default() };
    let config = Config { limits, ..Config::default() };
    let explored = engine::explore(network, &config, &mut [], &mut unobserved);
    let (mut depths, mut levels): (Vec<u32>, Vec<u64>) = (Vec::new(), Vec::new());
    for state in (0..explored.space().n_states()).map(StateId::from_usize) {
        let depth = explored.parent(state).map_or(0, |parent| depths[parent.index()] + 1);
        depths.push(depth);
        levels.resize(levels.len().max(depth as usize + 1), 0);
        levels[depth as usize] += 1;
    }
    levels.truncate(explored.counts().depth.unwrap_or(0) as usize + 1);
    growth(&levels, budget)
}

/// Formulas that hold, on the graph that a walk leaves: by components, by sets that shrink on one core
/// and on two.
fn linear_time(quick: bool) -> io::Result<bool> {
    println!(
        "{:<16} {:>10} {:>8} {:>8} | {:>8} {:>8} | {:>8} {:>8} | {:>8} {:>8}",
        "model", "product", "walk 2", "CPU", "comp.", "CPU", "owcty 1", "CPU", "owcty 2", "CPU"
    );
    let mut is_good = true;
    for workload in workloads().iter().filter(|workload| workload.liveness.is_some()) {
        if quick && workload.known.states > 5_000_000 {
            continue;
        }
        is_good &= formula(workload)?;
    }
    println!();
    Ok(is_good)
}

fn formula(workload: &Workload) -> io::Result<bool> {
    let Some(liveness) = workload.liveness else { return Ok(true) };
    let (network, formula) = (workload.network(), liveness.promise.formula());
    let config = Config { edges: true, workers: Workers::new(2), ..Config::default() };
    let (walk, mut explored) =
        timed(|| Ok(engine::explore(&network, &config, &mut [], &mut unobserved)))?;
    let atoms = Interpretation::new(vec![Meaning::Proposition(PropositionId::new(0))]);
    let mut row = format!("{:<16} ", workload.name());
    let (mut nodes, mut times, mut is_good) = (Vec::new(), Vec::new(), true);
    for (algorithm, workers) in
        [(LtlAlgorithm::Components, 1), (LtlAlgorithm::Owcty, 1), (LtlAlgorithm::Owcty, 2)]
    {
        let workers = Workers::new(workers);
        let options = LtlOptions { algorithm, workers, ..LtlOptions::default() };
        let (time, report) = timed(|| {
            check_ltl(&mut explored.graph, &formula, &atoms, &options, &mut unobserved)
                .map_err(io::Error::other)
        })?;
        is_good &= report.verdict == Verdict::Holds;
        nodes.push(report.product.nodes);
        times.push(time);
    }
    is_good &= nodes.iter().all(|&own| own == nodes[0]);
    row += &format!("{:>10} {:>8.2} {:>8.2}", nodes[0], walk.clock, walk.cpu);
    for time in times {
        row += &format!(" | {:>8.2} {:>8.2}", time.clock, time.cpu);
    }
    println!("{row}{}", if is_good { "" } else { " WRONG" });
    Ok(is_good)
}

/// What something took.
struct Time {
    clock: f64,
    cpu: f64,
}

fn timed<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<(Time, T)> {
    let (start, before) = (Instant::now(), seconds(Whose::Own)?);
    let result = work()?;
    let cpu = seconds(Whose::Own)? - before;
    Ok((Time { clock: start.elapsed().as_secs_f64(), cpu }, result))
}
