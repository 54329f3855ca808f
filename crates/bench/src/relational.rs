//! Designs as relations and events: the ring of the dissertation on Taino, whole and reduced, and
//! two-phase commit, state by state and by sets of states, beside what the peers are known to take.

use std::io;

use quadrille_diagnostic::Sources;
use quadrille_engine::{self as engine, Config, Limits, unobserved};
use quadrille_model::{Model, PropositionId};
use quadrille_reduction::{Reduced, Seen};
use quadrille_relational::{System, read};
use quadrille_symbolic::{Budget, Ended, Meter, Symbolic};

use crate::cpu::{Whose, measure};
use crate::engine::introduce;
use crate::specifications;

const RING: &str = include_str!("../../../examples/designs/ring.qev");
const COMMIT: &str = include_str!("../../../examples/designs/two-phase-commit.qev");

/// Rings: the number of nodes, states, the best reduction known before, and the seconds that the
/// published tool took whole and reduced (Cancelinha 2019, table 3).
const RINGS: [(usize, u64, u64, f64, f64); 5] = [
    (8, 8_045, 2_565, 0.64, 1.02),
    (9, 20_783, 5_638, f64::NAN, f64::NAN),
    (10, 53_536, 12_295, 8.18, 11.23),
    (11, 137_777, 26_632, 29.59, 35.46),
    (12, 354_675, 57_353, 105.35, 97.45),
];

/// States a second without reduction.
const LEAST_SPEED: f64 = 1e6;
/// Seconds that the largest ring may take with reduction.
const MOST_REDUCED: f64 = 0.5;
/// How many times faster sets of states must be on two-phase commit.
const LEAST_RATIO: f64 = 5.0;

/// Measures, prints the rows, and says whether every count was the known one and every promise kept.
/// `quick` leaves out the larger rings.
pub fn run(quick: bool) -> io::Result<bool> {
    introduce(1);
    println!(
        "{:<10} {:>9} {:>8} {:>8} {:>11} {:>9} {:>9} {:>9}  promises",
        "design", "states", "lower s", "whole s", "states/s", "reduced", "reduced s", "Taino s"
    );
    let mut is_good = true;
    for ring in RINGS.into_iter().filter(|(n, ..)| !quick || *n <= 10) {
        is_good &= measure_ring(ring)?;
    }
    println!(
        "\n{:<10} {:>9} {:>8} {:>8} {:>10}  promises",
        "design", "states", "lower s", "whole s", "symbolic s"
    );
    is_good &= measure_commit()?;
    println!(
        "two-phase commit, 8 managers: Spin 2.8 s, Stateright 4.9 s, TLC 69 s (other machine)"
    );
    is_good &= specifications::run()?;
    Ok(is_good)
}

fn system(text: &str) -> io::Result<System> {
    let mut sources = Sources::default();
    let source = sources.add("design.qev", text);
    let (design, _) = read(source, text);
    let design = design.ok_or_else(|| io::Error::other("a design with mistakes"))?;
    System::new(&design, None).map_err(|bad| io::Error::other(format!("{bad:?}")))
}

/// The ring of the examples with so many nodes.
fn ring(n: usize) -> String {
    let (head, _) = RING.split_once("init {").unwrap_or((RING, ""));
    let nodes: String = (1..=n)
        .map(|i| format!("Node${i}.next = Node${}  Node${i}.greatest = {i}\n", i % n + 1))
        .collect();
    let rest = "no elected  no inbox  Node.phase = Sending";
    format!(
        "{head}init {{ {nodes} {rest} }} for {n} Node, 1..{n} Int\ncheck {{ always lone elected }}"
    )
}

fn count(model: &dyn Model) -> u64 {
    engine::explore(model, &Config::default(), &mut [], &mut unobserved).counts().states
}

fn measure_ring(
    (n, states, best, taino, taino_reduced): (usize, u64, u64, f64, f64),
) -> io::Result<bool> {
    let text = ring(n);
    let (lower, system) = measure(Whose::Own, 1, || system(&text))?;
    let (whole, found) = measure(Whose::Own, 3, || Ok(count(&system)))?;
    let seen = || Seen { propositions: vec![PropositionId::new(0)], ..Seen::default() };
    let (reduced, few) = measure(Whose::Own, 3, || {
        let reduced = Reduced::new(&system, &seen());
        reduced.map(|model| count(&model)).map_err(|why| io::Error::other(format!("{why:?}")))
    })?;
    let speed = found as f64 / whole;
    let mut broken = Vec::new();
    if found != states || few > best {
        broken.push("COUNTS".to_owned());
    }
    if n == 12 && speed < LEAST_SPEED {
        broken.push("a million states a second".to_owned());
    }
    if n == 12 && lower + reduced >= MOST_REDUCED {
        broken.push(format!("reduced under {MOST_REDUCED} s"));
    }
    if reduced > whole {
        broken.push(format!("reduced not slower than whole ({:.1} times)", reduced / whole));
    }
    let kept = if broken.is_empty() { "kept".to_owned() } else { broken.join(", ") + " BROKEN" };
    println!(
        "ring {n:<5} {found:>9} {lower:>8.3} {whole:>8.3} {speed:>11.0} {few:>9} {reduced:>9.3} \
         {:>9}  {kept}",
        format!("{taino}/{taino_reduced}").replace("NaN/NaN", "–"),
    );
    Ok(broken.is_empty())
}

fn measure_commit() -> io::Result<bool> {
    let text = COMMIT.replace("for 3 Manager", "for 8 Manager");
    let (lower, system) = measure(Whose::Own, 1, || system(&text))?;
    let (whole, found) = measure(Whose::Own, 1, || Ok(count(&system)))?;
    let (sets, size) = measure(Whose::Own, 1, || {
        let (budget, mut observer) = (Budget::default(), unobserved);
        let mut meter = Meter::new(Limits::default(), budget, &mut observer);
        Symbolic::explore(&system, budget, &mut meter)
            .and_then(|mut symbolic| symbolic.size(&mut meter))
            .map_err(|ended: Ended| io::Error::other(format!("ended: {ended:?}")))
    })?;
    let is_known = found == 1_745_408 && size.states.to_u64() == Some(found);
    let is_faster = sets * LEAST_RATIO <= whole;
    let kept = match (is_known, is_faster) {
        (false, _) => "COUNTS BROKEN",
        (true, false) => "5 times faster BROKEN",
        (true, true) => "kept",
    };
    println!("{:<10} {found:>9} {lower:>8.3} {whole:>8.3} {sets:>10.3}  {kept}", "commit 8");
    Ok(is_known && is_faster)
}
