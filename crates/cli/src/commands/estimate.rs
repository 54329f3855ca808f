//! `quadrille estimate`: how large a model is, how long exploring it takes, and how much memory.

use std::fmt::Write as _;

use quadrille_diagnostic::Sources;
use quadrille_model::Bound;
use quadrille_query::{Config, Cost, Estimate, Known};
use quadrille_report::{EstimateDocument, Forecast, bound_advice, bound_phrase, show_size};

use crate::arguments::{EstimateArguments, Format};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, model};

pub(crate) fn run(arguments: &EstimateArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let selection = arguments.model.selection();
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let workers = arguments.workers.number(world);
    let config = Config { limits: watcher.limits(), workers, ..Config::default() };
    let estimate = subject.estimate(arguments.budget, &config, &mut watcher)?;
    watcher.end();
    let exit = match estimate.known {
        Known::Exactly | Known::BySets(_) => Exit::Holds,
        Known::Range(..) | Known::AtLeast(_) => Exit::Unknown,
    };
    world.print(&match arguments.output.format {
        Format::Json => {
            EstimateDocument::new(&arguments.file.display().to_string(), &estimate).to_json()
        }
        Format::Text => text(&estimate),
    });
    Ok(exit)
}

fn text(estimate: &Estimate) -> String {
    let mut text = String::new();
    let explored = estimate.explored.states;
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<16} {value}");
    };
    row(
        "states",
        match &estimate.known {
            Known::Exactly => format!("{explored}, exactly: all were explored"),
            Known::BySets(size) => format!(
                "{}, exactly: counted by sets of states in {} nodes",
                size.states, size.nodes
            ),
            Known::Range(growth, n_levels) => {
                let least = figure(growth.least);
                let basis = format!("from how {n_levels} levels of {explored} states grew");
                match (growth.likely, growth.most) {
                    (Some(likely), Some(most)) => format!(
                        "about {}, probably between {least} and {}, {basis}",
                        figure(likely),
                        figure(most)
                    ),
                    (Some(likely), None) => format!(
                        "about {}, at least {least}, and no end in sight, {basis}",
                        figure(likely)
                    ),
                    (None, _) => format!("at least {least}, and no end in sight, {basis}"),
                }
            }
            Known::AtLeast(bound) => format!("at least {explored}: {}", bound_phrase(*bound)),
        },
    );
    let forecast = Forecast::of(estimate);
    row("memory", span(forecast.bytes, |bytes| show_size(bytes as u64)));
    row("seconds", span(forecast.seconds, |seconds| format!("{seconds:.1}")));
    let Cost { states, seconds, .. } = estimate.cost;
    row("measured on", format!("{states} states in {seconds:.2} s"));
    if let Known::AtLeast(bound @ (Bound::Time(_) | Bound::Interrupted)) = estimate.known {
        let _ = writeln!(text, "  {}", bound_advice(bound));
    }
    text
}

/// What is likely, with its range.
fn span(
    (likely, least, most): (Option<f64>, f64, Option<f64>),
    show: impl Fn(f64) -> String,
) -> String {
    match (likely, most) {
        (Some(likely), Some(most)) if most > least => {
            format!("about {}, between {} and {}", show(likely), show(least), show(most))
        }
        (Some(likely), Some(_)) => show(likely),
        (Some(likely), None) => format!("about {}, at least {}", show(likely), show(least)),
        (None, _) => format!("at least {}", show(least)),
    }
}

/// A number of states with two digits that count.
fn figure(number: f64) -> String {
    if number < 1e6 { format!("{number:.0}") } else { format!("{number:.1e}") }
}
