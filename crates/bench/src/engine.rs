//! The engine's table: every workload explored breadth-first and depth-first, liveness by both
//! algorithms, beside Spin on the same model where Spin is installed.

use std::io;
use std::process::Command;
use std::thread::available_parallelism;

use quadrille_engine::{
    self as engine, Config, Graph, Interpretation, LtlAlgorithm, LtlOptions, Meaning, Order,
    ProductCounts, check_ltl, unobserved,
};
use quadrille_model::{Counts, Model, Network, PropositionId, Verdict};

use crate::cpu::{Whose, measure};
use crate::spin::{Check, Figures, Spin, Verifier};
use crate::table::{Table, grouped, millions};
use crate::workload::{Liveness, Workload, workloads};

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// Measure once instead of taking the median of three.
    pub quick: bool,
    /// Which workloads, by family (`phil`) or family and size (`phil-8`). None means all.
    pub names: Vec<String>,
}

/// Measures, prints the tables, and says whether every count was the known one.
pub fn run(request: &Request) -> io::Result<bool> {
    let all = workloads();
    if let Some(name) = request.names.iter().find(|name| !all.iter().any(|one| one.is_meant(name)))
    {
        return Err(io::Error::other(format!("no workload is called `{name}`")));
    }
    let is_chosen = |workload: &&Workload| {
        request.names.is_empty() || request.names.iter().any(|name| workload.is_meant(name))
    };
    let chosen: Vec<&Workload> = all.iter().filter(is_chosen).collect();
    let mut bench =
        Bench { n_runs: if request.quick { 1 } else { 3 }, spin: Spin::find(), wrong: Vec::new() };
    introduce(bench.n_runs);
    match &bench.spin {
        Some(Spin { version, compiler }) => println!("Beside {version}, {compiler}, -O2.\n"),
        None => println!("Spin and a C compiler are not both installed: no comparison.\n"),
    }
    bench.safety(&chosen)?;
    bench.liveness(&chosen)?;
    for complaint in &bench.wrong {
        println!("WRONG COUNT: {complaint}");
    }
    Ok(bench.wrong.is_empty())
}

struct Bench {
    n_runs: usize,
    spin: Option<Spin>,
    /// Counts that are not as they should be.
    wrong: Vec<String>,
}

impl Bench {
    fn safety(&mut self, chosen: &[&Workload]) -> io::Result<()> {
        let mut table = Table::new(&[
            "model",
            "search",
            "states",
            "transitions",
            "CPU s",
            "states/s",
            "transitions/s",
            "bytes/state",
            "packed",
            "Spin states",
            "Spin CPU s",
            "Spin bytes/state",
            "ratio",
        ]);
        for workload in chosen {
            eprintln!("measuring {}", workload.name());
            let peer = self.peer(workload, Check::Safety)?;
            if let Some((_, figures)) = &peer {
                self.compare(workload, "Spin", figures.states, figures.transitions);
            }
            let network = workload.network();
            for (name, order) in [("breadth", Order::Breadth), ("depth", Order::Depth)] {
                let (seconds, counts) =
                    measure(Whose::Own, self.n_runs, || Ok(explore(&network, order)))?;
                // As the peers count: entering the initial state is a transition too.
                let transitions = counts.transitions + 1;
                self.compare(workload, name, counts.states, transitions);
                let mut row = vec![
                    workload.name(),
                    name.to_owned(),
                    grouped(counts.states),
                    grouped(transitions),
                    format!("{seconds:.2}"),
                    millions(counts.states, seconds),
                    millions(transitions, seconds),
                    format!("{:.1}", counts.bytes as f64 / counts.states as f64),
                    network.signature().packed_bits().div_ceil(8).to_string(),
                ];
                row.extend(peer.as_ref().map_or(dashes(4), |(spin_seconds, figures)| {
                    vec![
                        grouped(figures.states),
                        format!("{spin_seconds:.2}"),
                        format!("{:.1}", figures.bytes_per_state),
                        format!("{:.2}", spin_seconds / seconds),
                    ]
                }));
                table.push(row);
            }
        }
        println!("{table}");
        println!(
            "Transitions are counted as Spin does: edges, and one for entering the initial state."
        );
        println!(
            "Bytes/state: states, table and predecessors; packed: the vector alone. Spin's: states without its table."
        );
        println!("Ratio: our states per second over Spin's.\n");
        Ok(())
    }

    fn liveness(&mut self, chosen: &[&Workload]) -> io::Result<()> {
        let mut table = Table::new(&[
            "model",
            "formula",
            "algorithm",
            "product",
            "CPU s",
            "product/s",
            "Spin product",
            "Spin CPU s",
            "ratio",
        ]);
        let mut is_empty = true;
        for workload in chosen {
            let Some(liveness) = workload.liveness else { continue };
            is_empty = false;
            eprintln!("measuring {} with a formula", workload.name());
            let peer = self.peer(workload, Check::Liveness)?;
            if let Some((_, Figures { states, .. })) = peer
                && states != liveness.spin_states
            {
                let (name, known) = (workload.name(), liveness.spin_states);
                self.wrong.push(format!("{name}, product by Spin: {states} states, not {known}"));
            }
            let network = workload.network();
            let algorithms =
                [("components", LtlAlgorithm::Components), ("nested", LtlAlgorithm::Nested)];
            for (name, algorithm) in algorithms {
                let (seconds, counts) =
                    measure(Whose::Own, self.n_runs, || judge(&network, liveness, algorithm))?;
                let mut row = vec![
                    workload.name(),
                    format!("{} {}", liveness.promise, network.signature().propositions[0].name),
                    name.to_owned(),
                    grouped(counts.nodes),
                    format!("{seconds:.2}"),
                    millions(counts.nodes, seconds),
                ];
                row.extend(peer.as_ref().map_or(dashes(3), |(spin_seconds, figures)| {
                    vec![
                        grouped(figures.states),
                        format!("{spin_seconds:.2}"),
                        format!("{:.2}", spin_seconds / seconds),
                    ]
                }));
                table.push(row);
            }
        }
        if !is_empty {
            println!("{table}");
            println!(
                "Product: states of the model times the automaton of the negated formula, as far as met."
            );
            println!("Ratio: Spin's seconds over ours; the automata differ, so the products do.\n");
        }
        Ok(())
    }

    /// Spin's seconds and figures, where there is a Spin.
    fn peer(&self, workload: &Workload, check: Check) -> io::Result<Option<(f64, Figures)>> {
        let Some(spin) = &self.spin else { return Ok(None) };
        let verifier: Verifier = spin.prepare(workload, check)?;
        measure(Whose::Children, self.n_runs, || verifier.run()).map(Some)
    }

    fn compare(&mut self, workload: &Workload, who: &str, states: u64, transitions: u64) {
        let known = workload.known;
        if (states, transitions) != (known.states, known.transitions) {
            self.wrong.push(format!(
                "{} by {who}: {states} states and {transitions} transitions, not {} and {}",
                workload.name(),
                known.states,
                known.transitions
            ));
        }
    }
}

/// Says where and how it is measured.
pub(crate) fn introduce(n_runs: usize) {
    let cores = available_parallelism().map_or_else(|_| "?".to_owned(), |n| n.to_string());
    println!("Measured on {cores} cores with {}.", rustc_version());
    let runs = if n_runs == 1 { "one run" } else { "median of three runs" };
    println!("Seconds are CPU time of one search, user and system, {runs}.\n");
}

/// Explores everything.
fn explore(network: &Network, order: Order) -> Counts {
    let config = Config { order, ..Config::default() };
    engine::explore(network, &config, &mut [], &mut unobserved).counts()
}

/// Checks the promise, which holds.
fn judge(
    network: &Network,
    liveness: Liveness,
    algorithm: LtlAlgorithm,
) -> io::Result<ProductCounts> {
    let formula = liveness.promise.formula();
    let interpretation = Interpretation::new(vec![Meaning::Proposition(PropositionId::new(0))]);
    let options = LtlOptions { algorithm, ..LtlOptions::default() };
    let mut graph = Graph::new(network);
    let report = check_ltl(&mut graph, &formula, &interpretation, &options, &mut unobserved)
        .map_err(io::Error::other)?;
    match report.verdict {
        Verdict::Holds => Ok(report.product),
        verdict => Err(io::Error::other(format!("a promise that holds is {verdict:?}"))),
    }
}

/// The cells of a peer that is not here.
fn dashes(n_cells: usize) -> Vec<String> {
    vec!["–".to_owned(); n_cells]
}

fn rustc_version() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_else(|_| "an unknown rustc".to_owned())
}

#[cfg(test)]
mod tests;
