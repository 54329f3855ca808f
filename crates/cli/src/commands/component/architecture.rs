//! `quadrille check` on an architecture: does every composite keep its promise?

use std::fmt::Write as _;

use quadrille_diagnostic::Sources;
use quadrille_report::{FitContent, FitDocument};

use super::fit::{Check, together};
use super::{is_hidden, text};
use crate::arguments::{CheckArguments, Format};
use crate::commands::check::outputs::{TraceFile, write_junit, write_story};
use crate::exit::Exit;
use crate::input::no_session;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, architectures};

pub(crate) fn run(
    arguments: &CheckArguments,
    trace_files: &[TraceFile],
    world: &World,
    sources: &mut Sources,
) -> Ended {
    no_session(&arguments.file, &arguments.session)?;
    arguments.components.refuse(&arguments.file)?;
    let (system, odd) = architectures::read(&arguments.file, world, sources)?;
    crate::report(world, sources, &odd);
    let mut watcher = Watcher::new(world, &arguments.limits);
    let mut checks = Vec::new();
    let chosen = arguments.composite.chosen(&system).map_err(|unclear| vec![unclear])?;
    for (composite, compliance) in chosen {
        checks.push(Check::find(&system, composite, compliance, arguments.effort(), &mut watcher)?);
    }
    let (verdict, exit) = together(checks.iter().map(|check| &check.fit));
    if is_hidden(&odd, exit) {
        return Ok(Exit::CannotRun);
    }
    let wrong = checks.iter().map(|check| &check.fit).find(|fit| !fit.paths().is_empty());
    if let Some((fit, path)) = wrong.and_then(|fit| Some((fit, *fit.paths().first()?))) {
        write_story(trace_files, &fit.story(path), world)?;
    }
    let outcome = |check: &Check| check.fit.outcome(format!("{}, {}", check.name, check.kind));
    write_junit(arguments, &checks.iter().map(outcome).collect::<Vec<_>>(), world)?;
    world.print(&match arguments.format {
        Format::Json => {
            let checks = checks.iter().map(|check| check.record(sources)).collect();
            let files = vec![arguments.file.display().to_string()];
            FitDocument::new(files, verdict, FitContent::Several { checks }).to_json()
        }
        Format::Text => {
            let style = world.output_style();
            let told = |check: &Check| {
                text::check(check, sources, style) + &text::again(&check.fit, &arguments.file)
            };
            let mut told: String = checks.iter().map(told).collect();
            let word = text::coloured(&verdict, exit, style);
            let n_checks = count(checks.len() as u64, "check");
            let n_such = checks.iter().filter(|check| check.fit.exit() == exit).count();
            let _ = match exit {
                Exit::Holds => writeln!(told, "{word} in {n_checks}"),
                Exit::Unknown => writeln!(told, "{word}: {n_such} of {n_checks} did not finish"),
                Exit::Violated | Exit::CannotRun => {
                    writeln!(told, "{word}: {n_such} of {n_checks} found an error")
                }
            };
            told
        }
    });
    Ok(exit)
}
