//! Known bugs of published crates, byte for byte from the registry, and the versions that mended
//! them, explored by `cargo quadrille sim`.

use std::io;

use quadrille_sim_cargo::{Ended, Request, run_quietly};

use crate::cpu::{Whose, seconds};
use crate::table::{Table, grouped};

/// Processor seconds within which a bug must be found, and that the mended version must survive.
const LIMIT: u64 = 60;

/// Crates with their versions: with the bug, without it; whether cells are watched.
const CRATES: [(&str, &str, &str, bool); 5] = [
    ("crossbeam-channel", "0.5.14", "0.5.15", false),
    ("crossbeam-channel", "0.5.7", "0.5.8", false),
    ("crossbeam-deque", "0.8.0", "0.8.1", false),
    ("spin", "0.9.7", "0.9.9", false),
    ("tokio", "1.13.0", "1.13.1", true),
];

pub(super) fn run(quick: bool) -> io::Result<bool> {
    let mut table = Table::new(&["crate", "verdict", "executions", "CPU s", "as known"]);
    let mut is_known = true;
    for (name, bad, mended, watches_cells) in CRATES {
        for (version, has_bug) in [(bad, true), (mended, false)] {
            let limit = if quick && !has_bug { 2 } else { LIMIT };
            let row = explore(name, version, watches_cells, limit)?;
            let holds = (row.ended == Ended::Violated) == has_bug
                && (!has_bug || row.seconds < LIMIT as f64);
            is_known &= holds;
            table.push(vec![
                format!("{name} {version}"),
                match row.ended {
                    Ended::Violated => "violated",
                    Ended::Holds => "holds",
                    Ended::Unknown | Ended::CannotRun => "unknown",
                }
                .to_owned(),
                grouped(row.executions),
                format!("{:.2}", row.seconds),
                if holds { "yes" } else { "NO" }.to_owned(),
            ]);
        }
    }
    println!("{table}");
    println!("By `cargo quadrille sim`, without the time that compiling takes. Memory model SC.\n");
    Ok(is_known)
}

struct Row {
    ended: Ended,
    executions: u64,
    seconds: f64,
}

fn explore(name: &str, version: &str, watches_cells: bool, limit: u64) -> io::Result<Row> {
    let folder = super::root().join("examples/found-in-the-wild").join(format!("{name}-{version}"));
    let mut request = Request {
        manifest: Some(folder.join("Cargo.toml")),
        target: Some(super::root().join("target")),
        strategies: ["exhaustive=400", "random", "pct", "pos", "urw", "surw"]
            .map(str::to_owned)
            .to_vec(),
        executions: 1,
        seed: 1,
        max_steps: 100_000,
        patience: 10,
        watches_memory: true,
        watches_cells,
        is_json: true,
        ..Request::default()
    };
    let explore = |request: &Request| {
        run_quietly(request).map_err(|problem| io::Error::other(problem.to_string()))
    };
    // The first call compiles.
    explore(&request)?;
    // What the command does unless it is told otherwise.
    request.executions = 400;
    request.seconds = Some(limit);
    let before = seconds(Whose::Children)?;
    let (ended, text) = explore(&request)?;
    let seconds = seconds(Whose::Children)? - before;
    let executions = text.split("\"executions\":").nth(1);
    let executions = executions.and_then(|rest| rest.split(',').next()?.parse().ok());
    match ended {
        Ended::CannotRun => Err(io::Error::other(text)),
        Ended::Violated | Ended::Unknown | Ended::Holds => {
            Ok(Row { ended, executions: executions.unwrap_or(0), seconds })
        }
    }
}
