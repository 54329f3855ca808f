//! The explicit engine on fewer states: steps that commute left out, states that differ only in who is
//! who made one, both; beside everything where that can be explored. Each row is printed as soon as it
//! is measured.

use std::io;

use quadrille_engine::{self as engine, Config, unobserved};
use quadrille_model::{Model, Network, PropositionId};
use quadrille_reduction::{Asked, Reduced, Seen, Symmetric, Symmetry};

use crate::cpu::{Whose, measure};
use crate::line::{Bar, Line, Wanted};
use crate::models::{forkjoin, pairs, parallel, phil, prod, ring, twophase};
use crate::table::grouped;

/// How many times the time of everything what is left may take.
const SLOWEST: f64 = 1.2;

/// A model, a question and what is promised about it.
struct Row {
    name: &'static str,
    network: Network,
    /// Whether the model's first proposition is asked for; else only deadlocks are kept.
    asks: bool,
    /// Whether everything can be explored.
    whole: bool,
    /// How many states there are at most when steps are left out.
    most: u64,
}

/// Measures, prints the rows, and says whether every promise was kept.
pub(crate) fn run(wanted: &mut Wanted<'_>) -> io::Result<bool> {
    let mut is_good = true;
    for row in rows() {
        if wanted.has("fewer", row.name) {
            is_good &= row.measure()?;
        }
    }
    Ok(is_good)
}

fn rows() -> Vec<Row> {
    let row = |name, network, most| Row { name, network, asks: false, whole: true, most };
    vec![
        // The specification's best; splitting sends by value reached 55,306.
        row("ring 12", ring(12), 57_353),
        Row { asks: true, ..row("ring 12, two elected", ring(12), 67_601) },
        // What LTSmin leaves.
        row("phil 10", phil(10), 190_278),
        row("forkjoin 10", forkjoin(10), 1_747_626),
        row("twophase 8", twophase(8), 1_745_408),
        row("prod 12", prod(12), 1_062_882),
        // Two states per step of a run.
        row("parallel 10", parallel(10), 80),
        row("pairs 12", pairs(12), 50),
        Row { whole: false, ..row("pairs 40", pairs(40), 162) },
    ]
}

impl Row {
    fn measure(&self) -> io::Result<bool> {
        let propositions = if self.asks { vec![PropositionId::new(0)] } else { Vec::new() };
        let meaning = |&id: &PropositionId| self.network.meaning(id);
        let conditions = propositions.iter().filter_map(meaning).collect();
        let symmetry = Symmetry::of(&self.network, &Asked { conditions, ..Asked::default() }).ok();
        let seen = |symmetry: Option<&Symmetry>| {
            let families = symmetry.map_or(Vec::new(), |symmetry| symmetry.families().to_vec());
            (propositions.clone(), families)
        };
        let reduced = |symmetry: Option<&Symmetry>| {
            let (propositions, families) = seen(symmetry);
            let seen = Seen { propositions, exchanged: &families, ..Seen::default() };
            Reduced::new(&self.network, &seen)
                .map_err(|obstacle| io::Error::other(format!("{}: {obstacle:?}", self.name)))
        };
        let whole = match self.whole {
            true => Some(measure(Whose::Own, 1, || Ok(explore(&self.network)))?),
            false => None,
        };
        let left = measure(Whose::Own, 1, || Ok(explore(&reduced(None)?)))?;
        let alike = match &symmetry {
            Some(symmetry) if self.whole => Some(measure(Whose::Own, 1, || {
                Ok(explore(&Symmetric::new(&self.network, symmetry.clone())))
            })?),
            _ => None,
        };
        let both = match &symmetry {
            Some(symmetry) => Some(measure(Whose::Own, 1, || {
                let reduced = reduced(Some(symmetry))?;
                Ok(explore(&Symmetric::new(&reduced, symmetry.clone())))
            })?),
            None => None,
        };
        let beside = whole.map(|(seconds, _)| ("everything", seconds));
        let mut is_good = true;
        for (way, found) in [("reduced", Some(left)), ("symmetric", alike), ("both", both)] {
            let Some((seconds, states)) = found else { continue };
            let mut bars = Vec::new();
            if way == "reduced" {
                bars.push(Bar::new(format!("at most {} states", self.most), states <= self.most));
                if let Some((all, n_all)) = whole {
                    // What leaves out half must pay.
                    let slowest = if 2 * states <= n_all { 1.0 } else { SLOWEST };
                    bars.push(Bar::at_most("× everything", slowest, seconds / all));
                }
            }
            let states = grouped(states);
            let line = Line { model: self.name, way, states, seconds, bytes: None, beside, bars };
            is_good &= line.print();
        }
        Ok(is_good)
    }
}

fn explore(model: &dyn Model) -> u64 {
    engine::explore(model, &Config::default(), &mut [], &mut unobserved).counts().states
}
