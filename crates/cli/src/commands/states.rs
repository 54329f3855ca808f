//! `quadrille states`: how large a model is.

use std::fmt::Write as _;

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_engine::{Config, check};
use quadrille_model::{Bound, Counts};
use quadrille_query::Watcher as _;
use quadrille_query::codes::UNREPEATABLE;
use quadrille_report::{StatesDocument, bound_advice, bound_phrase};

use crate::arguments::{Format, StatesArguments};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, model, quantity};

pub(crate) fn run(arguments: &StatesArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let selection = arguments.model.selection();
    let subject = model::one(&arguments.file, &selection, &mut watcher, sources)?;
    let config =
        Config { order: arguments.order.into(), limits: watcher.limits(), ..Config::default() };
    let start = world.now();
    watcher.begin("states");
    let outcome =
        check(subject.model(), Vec::new(), &config, &mut |progress| watcher.look(progress));
    watcher.end();
    let outcome = outcome.map_err(|error| Diagnostic::error(&UNREPEATABLE, error.to_string()))?;
    subject.sound()?;
    let seconds = start.seconds();
    let file = arguments.file.display().to_string();
    world.print(&match arguments.output.format {
        Format::Json => {
            StatesDocument::new(&file, &outcome.counts, outcome.bound, seconds).to_json()
        }
        Format::Text => text(&outcome.counts, outcome.bound, seconds),
    });
    Ok(if outcome.bound.is_some() { Exit::Unknown } else { Exit::Holds })
}

fn text(counts: &Counts, bound: Option<Bound>, seconds: f64) -> String {
    let mut text = String::new();
    if let Some(bound) = bound {
        let _ = writeln!(text, "unknown: {}; {}", bound_phrase(bound), bound_advice(bound));
        let _ = writeln!(text, "what was counted until then:");
    }
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<16} {value}");
    };
    row("states", counts.states.to_string());
    row("transitions", counts.transitions.to_string());
    row("deadlocks", counts.deadlocks.to_string());
    row(
        "depth",
        counts.depth.map_or("not known depth-first".to_owned(), |depth| depth.to_string()),
    );
    row("memory", quantity::show_size(counts.bytes));
    row("bytes per state", format!("{:.1}", counts.bytes as f64 / counts.states.max(1) as f64));
    row("seconds", format!("{seconds:.3}"));
    text
}
