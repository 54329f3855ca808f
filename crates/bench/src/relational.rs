//! Designs as relations and events: the ring of the dissertation on Taino under its three properties,
//! two-phase commit beside Spin's compiled verifier, Paxos and Raft with and without symmetry. Each row
//! is printed as soon as it is measured.

mod alike;
mod commit;
mod ring;

use std::io;

use quadrille_diagnostic::Sources;
use quadrille_engine::{self as engine, Config, unobserved};
use quadrille_model::{Counts, Model};
use quadrille_relational::{System, read};

use crate::engine::introduce;
use crate::line::print_head;
use crate::specifications;

/// Measures, prints the rows, and says whether every count was the known one and every promise kept.
/// `quick` leaves out the larger rings; `parts` are the only rows that are measured, if there are any:
/// `ring-8` and the like, `commit`, `alike`, `alloy`.
pub fn run(quick: bool, parts: &[&str]) -> io::Result<bool> {
    let is_asked = |part: &str| parts.is_empty() || parts.contains(&part);
    let known = |part: &str| {
        let size = part.strip_prefix("ring-").and_then(|size| size.parse::<usize>().ok());
        size.is_some_and(|size| (4..=12).contains(&size))
            || ["commit", "alike", "alloy"].contains(&part)
    };
    if let Some(part) = parts.iter().find(|part| !known(part)) {
        let parts = "ring-4 to ring-12, commit, alike, alloy";
        return Err(io::Error::other(format!("there is no part `{part}`: {parts}")));
    }
    introduce(1);
    println!("`times`: how many times as fast as what stands beside it. Taino's seconds are those");
    println!("of Cancelinha 2019, tables 3 to 5, on a machine of that time.\n");
    print_head();
    let mut is_good = true;
    for n in (4..=12).filter(|n| (!quick || *n <= 9) && is_asked(&format!("ring-{n}"))) {
        is_good &= ring::measure_ring(n)?;
    }
    if is_asked("commit") {
        is_good &= commit::measure_commit(8)?;
    }
    if is_asked("alike") {
        is_good &= alike::measure_alike()?;
    }
    if is_asked("alloy") {
        is_good &= specifications::run()?;
    }
    Ok(is_good)
}

fn system(text: &str) -> io::Result<System> {
    let mut sources = Sources::default();
    let source = sources.add("design.qev", text);
    let (design, _) = read(source, text);
    let design = design.ok_or_else(|| io::Error::other("a design with mistakes"))?;
    System::new(&design, None).map_err(|bad| io::Error::other(format!("{bad:?}")))
}

fn explored(model: &dyn Model) -> Counts {
    engine::explore(model, &Config::default(), &mut [], &mut unobserved).counts()
}
