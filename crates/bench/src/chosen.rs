//! What `check` does by default, beside the explicit engine on all states: the engine and the reduction
//! that are chosen are never much slower. And formulas: by components, nested search, sets that shrink,
//! and of branching time, with the memory that each takes.

use std::io;

use quadrille_engine::{
    self as engine, Config, Graph, Interpretation, Limits, LtlAlgorithm, LtlOptions, Meaning,
    Workers, check_ctl, check_ltl, unobserved,
};
use quadrille_logic::{AtomId, Formula, Path, Unary};
use quadrille_model::{Network, PropositionId, Verdict};
use quadrille_query::{
    Config as AskConfig, Engine, Question, Reduction, Subject, Unwatched, Vocabulary,
};

use crate::cpu::{Whose, measure};
use crate::line::{Bar, Line, Wanted};
use crate::models::{Grain, forkjoin, leader, pairs, peterson, phil, prod, ring, twophase};
use crate::table::grouped;
use crate::workload::{Workload, workloads};

/// How many times the time of the explicit engine, and how many seconds more, may be taken.
const TIMES: f64 = 1.3;
const MORE_SECONDS: f64 = 2.0;
/// How many times the time of no reduction.
const REDUCED_TIMES: f64 = 1.2;
/// Bytes per edge in branching time.
const EDGE_BYTES: f64 = 16.0;

/// Measures, prints the lines, and says whether every bar was kept.
pub(crate) fn run(wanted: &mut Wanted<'_>) -> io::Result<bool> {
    let mut is_good = true;
    for (name, network, is_long) in rows() {
        if wanted.has("chosen", name) && !(wanted.quick && is_long) {
            is_good &= choose(name, network)?;
        }
    }
    let formulas = workloads().into_iter().filter(|workload| workload.liveness.is_some());
    for workload in formulas.filter(|workload| workload.known.states < 1_000_000) {
        if wanted.has("formulas", &workload.name()) {
            is_good &= formulas_on(&workload)?;
        }
    }
    Ok(is_good)
}

fn rows() -> Vec<(&'static str, Network, bool)> {
    vec![
        ("phil 10", phil(10), false),
        ("pairs 12", pairs(12), false),
        ("prod 12", prod(12), false),
        ("twophase 8", twophase(8), false),
        ("forkjoin 10", forkjoin(10), false),
        ("ring 12", ring(12), false),
        ("peterson 5", peterson(5), true),
        ("leader-coarse 9", leader(9, Grain::Coarse), false),
        ("leader-coarse 10", leader(10, Grain::Coarse), true),
        ("leader-fine 7", leader(7, Grain::Fine), true),
    ]
}

/// The question of deadlock, explored whole, as by default, and with steps left out where that pays.
fn choose(name: &str, network: Network) -> io::Result<bool> {
    let subject = Subject::of_model(Box::new(network), Vocabulary::Labels);
    let ask = |engine, reduction| {
        measure(Whose::Own, 1, || {
            let config = AskConfig { engine, reduction, ..AskConfig::default() };
            let mut answers = subject.ask(&[Question::Deadlock], &config, &mut Unwatched);
            answers.remove(0).map_err(|refused| io::Error::other(refused.to_string()))
        })
    };
    let (whole, known) = ask(Engine::Explicit, Reduction::Off)?;
    let mut is_good = true;
    for (way, engine) in [("auto", Engine::Auto), ("auto, explicit", Engine::Explicit)] {
        let (seconds, answer) = ask(engine, Reduction::Auto)?;
        let same = answer.verdict.word() == known.verdict.word();
        let mut bars: Vec<Bar> = Bar::count(same).into_iter().collect();
        bars.push(match engine {
            Engine::Auto => {
                let text = format!("{TIMES} × explicit + {MORE_SECONDS} s");
                Bar::new(text, seconds <= TIMES * whole + MORE_SECONDS)
            }
            _ => Bar::at_most("× no reduction", REDUCED_TIMES, seconds / whole),
        });
        let states = grouped(answer.counts.states);
        let beside = Some(("explicit", whole));
        let line = Line { model: name, way, states, seconds, bytes: None, beside, bars };
        is_good &= line.print();
    }
    Ok(is_good)
}

/// A formula of linear time that holds, by all algorithms, and one of branching time.
fn formulas_on(workload: &Workload) -> io::Result<bool> {
    let Some(liveness) = workload.liveness else { return Ok(true) };
    let (network, formula) = (workload.network(), liveness.promise.formula());
    let atoms = Interpretation::new(vec![Meaning::Proposition(PropositionId::new(0))]);
    let mut known: Option<(f64, u64, u64)> = None;
    let (mut is_good, name) = (true, workload.name());
    for (way, algorithm) in [
        ("components", LtlAlgorithm::Components),
        ("nested", LtlAlgorithm::Nested),
        ("owcty", LtlAlgorithm::Owcty),
    ] {
        let options = LtlOptions { algorithm, workers: Workers::new(1), ..LtlOptions::default() };
        let (seconds, report) = measure(Whose::Own, 1, || {
            let mut graph = Graph::new(&network);
            check_ltl(&mut graph, &formula, &atoms, &options, &mut unobserved)
                .map_err(io::Error::other)
        })?;
        let product = report.product;
        let mut bars: Vec<Bar> = Bar::count(report.verdict == Verdict::Holds).into_iter().collect();
        if let Some((known_seconds, bytes, nodes)) = known {
            bars.extend(Bar::count(nodes == product.nodes));
            if algorithm == LtlAlgorithm::Nested {
                bars.push(Bar::new("less memory", product.bytes < bytes));
                bars.push(Bar::at_most("× components", 1.0, seconds / known_seconds));
            }
        }
        let line = Line {
            model: &name,
            way,
            states: grouped(product.nodes),
            seconds,
            bytes: Some(product.bytes as f64 / product.nodes as f64),
            beside: known.map(|(seconds, ..)| ("components", seconds)),
            bars,
        };
        is_good &= line.print();
        known.get_or_insert((seconds, product.bytes, product.nodes));
    }
    Ok(branching(&name, &network)? & is_good)
}

/// `AG EF p`, with what is allocated per edge.
fn branching(name: &str, network: &Network) -> io::Result<bool> {
    let atoms = Interpretation::new(vec![Meaning::Proposition(PropositionId::new(0))]);
    let there = Formula::atom(AtomId::from_usize(0));
    let possible = Formula::Unary(Path::Some, Unary::Eventually, Box::new(there));
    let formula = Formula::Unary(Path::All, Unary::Always, Box::new(possible));
    let (seconds, (report, counts)) = measure(Whose::Own, 1, || {
        let config = Config { edges: true, ..Config::default() };
        let mut explored = engine::explore(network, &config, &mut [], &mut unobserved);
        let counts = explored.counts();
        let limits = Limits::default();
        check_ctl(&mut explored.graph, &formula, &atoms, limits, &mut unobserved)
            .map(|report| (report, counts))
            .map_err(io::Error::other)
    })?;
    let per_edge = report.product.bytes as f64 / counts.transitions as f64;
    let line = Line {
        model: name,
        way: "AG EF, B/edge",
        states: grouped(counts.states),
        seconds,
        bytes: Some(per_edge),
        beside: None,
        bars: vec![Bar::at_most("B/edge", EDGE_BYTES, per_edge)],
    };
    Ok(line.print())
}
