//! Rings of 4 to 12 nodes: counted whole and reduced, and asked the three properties of the published
//! tables, whole and reduced, by the same calls.

use std::cell::RefCell;
use std::io;

use quadrille_engine::{
    Config, Graph, Interpretation, LtlOptions, Meaning as Letter, Property, check, check_ltl,
    unobserved,
};
use quadrille_logic::{Formula, Unary};
use quadrille_model::{Model, PropositionId, Value, Verdict};
use quadrille_reduction::{Obstacle, Reduced, Seen};
use quadrille_relational::{Asked, Meaning};

use super::{explored, system};
use crate::cpu::{Whose, measure};
use crate::line::{Bar, Line};
use crate::table::grouped;

const RING: &str = include_str!("../../../../examples/designs/ring.qev");

/// States and steps of the rings of 4 to 12 nodes, and the fewest states known with reduction.
const COUNTS: [(u64, u64, u64); 9] = [
    (160, 374, 97),
    (441, 1_252, 226),
    (1_179, 3_952, 515),
    (3_096, 11_992, 1_156),
    (8_045, 35_410, 2_565),
    (20_783, 102_568, 5_638),
    (53_536, 293_034, 12_295),
    (137_777, 828_856, 26_632),
    (354_675, 2_327_200, 57_353),
];

/// The properties: their name and text, whether they hold, and the seconds that the published tool took
/// for 12 nodes without and with reduction.
const ASKED: [(&str, &str, bool, f64, f64); 3] = [
    ("one leader", "always lone elected", true, 105.35, 97.45),
    ("for ever", "eventually always one elected", true, 275.11, 225.04),
    ("mailboxes", "always (one Node.greatest implies no Node.inbox)", false, 0.05, 0.58),
];

/// From how many nodes on reduction must be faster than none; below, how many times the time it may
/// take, both from the text: there, exploring takes a tenth of a millisecond.
const FASTER_FROM: usize = 8;
const SLOWEST_BELOW: f64 = 1.2;

/// Of the largest ring: states a second without reduction, and seconds with it.
const LARGEST: usize = 12;
const LEAST_SPEED: f64 = 1e6;
const MOST_SECONDS: f64 = 0.5;

/// The ring of the examples with so many nodes, and the three properties.
fn text(n: usize) -> String {
    let (head, _) = RING.split_once("init {").unwrap_or((RING, ""));
    let nodes: String = (1..=n)
        .map(|i| format!("Node${i}.next = Node${}  Node${i}.greatest = {i}\n", i % n + 1))
        .collect();
    let rest = "no elected  no inbox  Node.phase = Sending";
    let init = format!("init {{ {nodes} {rest} }} for {n} Node, 1..{n} Int\n");
    let checks = ASKED.iter().map(|(_, formula, ..)| format!("check {{ {formula} }}\n"));
    format!("{head}{init}{}", checks.collect::<String>())
}

pub(super) fn measure_ring(n: usize) -> io::Result<bool> {
    let text = text(n);
    let name = format!("ring {n}");
    let row = |way: &str, states, seconds, beside, bars| {
        Line { model: &name, way, states, seconds, bytes: None, beside, bars }.print()
    };
    let (lower, system) = measure(Whose::Own, 1, || system(&text))?;
    row("lowered", "–".to_owned(), lower, None, Vec::new());
    let (states, steps, fewest) = COUNTS[n - 4];
    let (seconds, counts) = measure(Whose::Own, 1, || Ok(explored(&system)))?;
    let mut bars =
        Vec::from_iter(Bar::count((counts.states, counts.transitions) == (states, steps)));
    if n == LARGEST {
        bars.push(Bar::at_least("states/s", LEAST_SPEED, counts.states as f64 / seconds));
    }
    let mut is_good = row("counted", grouped(counts.states), seconds, None, bars);
    for (asked, (way, _, holds, taino, taino_reduced)) in system.asked.iter().zip(ASKED) {
        let (whole, found) = measure(Whose::Own, 3, || answer(&system, asked))?;
        let verdict = |found: bool| (found != holds).then(|| Bar::new("the verdict", false));
        let beside = |seconds| (n == LARGEST).then_some(("Taino", seconds));
        let bars = Vec::from_iter(verdict(found.0));
        is_good &= row(way, grouped(found.1), whole, beside(taino), bars);
        let seen = seen(asked);
        if Reduced::obstacle(&system, &seen) == Some(Obstacle::AllSeen) {
            // Nothing is left out then, in no more time.
            continue;
        }
        let (fewer, left) = measure(Whose::Own, 3, || {
            // The tables of the reduction are made each time.
            let reduced = Reduced::new(&system, &seen);
            answer(&reduced.map_err(|why| io::Error::other(format!("{why:?}")))?, asked)
        })?;
        let mut bars = vec![Bar::new(format!("at most {fewest} states"), left.1 <= fewest)];
        bars.push(match n >= FASTER_FROM {
            true => Bar::at_most("times whole", 1.0, fewer / whole),
            false => {
                let times = (lower + fewer) / (lower + whole);
                Bar::at_most("times whole, both from the text", SLOWEST_BELOW, times)
            }
        });
        bars.extend(verdict(left.0));
        let states = grouped(left.1);
        is_good &= row("- reduced", states.clone(), fewer, Some(("whole", whole)), bars);
        if n == LARGEST {
            let (all, beside) = (lower + fewer, beside(taino_reduced));
            let bars = vec![Bar::at_most("s", MOST_SECONDS, all)];
            is_good &= row("- from text", states, all, beside, bars);
        }
    }
    Ok(is_good)
}

fn proposition(asked: &Asked) -> PropositionId {
    match asked.atoms[..] {
        [Meaning::Proposition(id)] => id,
        _ => unreachable!("the properties are about one proposition"),
    }
}

/// What a property sees of the ring.
fn seen(asked: &Asked) -> Seen<'static> {
    Seen { propositions: vec![proposition(asked)], ends: !is_invariant(asked), ..Seen::default() }
}

fn is_invariant(asked: &Asked) -> bool {
    matches!(&asked.formula, Formula::Unary(_, Unary::Always, body) if matches!(**body, Formula::Atom(_)))
}

/// Whether a property holds, and how many states it took.
fn answer(model: &dyn Model, asked: &Asked) -> io::Result<(bool, u64)> {
    let proposition = proposition(asked);
    if is_invariant(asked) {
        let explorer = RefCell::new(model.explorer());
        let holds = |state: &[Value]| explorer.borrow_mut().holds(proposition, state);
        let searches = vec![Property::Always(Box::new(holds))];
        let found = check(model, searches, &Config::default(), &mut unobserved);
        let found = found.map_err(io::Error::other)?;
        return Ok((found.verdicts[0] == Verdict::Holds, found.counts.states));
    }
    let interpretation = Interpretation::new(vec![Letter::Proposition(proposition)]);
    let (mut graph, options) = (Graph::new(model), LtlOptions::default());
    let report = check_ltl(&mut graph, &asked.formula, &interpretation, &options, &mut unobserved);
    let verdict = report.map_err(io::Error::other)?.verdict;
    Ok((verdict == Verdict::Holds, graph.counts().states))
}
