//! `quadrille check` on components: do they fit together? On an architecture: does every composite comply
//! with its frame protocol?

use std::fmt::Write as _;

use quadrille_diagnostic::Sources;
use quadrille_report::{CompositionContent, CompositionDocument, CompositionRecord, Suite};

use super::{CompositionCheck, is_hidden, text, together};
use crate::arguments::{CheckArguments, CheckFormat};
use crate::commands::check::outputs::{TraceFile, write_junit, write_story};
use crate::exit::{Exit, coloured};
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, model};

pub(crate) fn run(
    arguments: &CheckArguments,
    trace_files: &[TraceFile<'_>],
    world: &World,
    sources: &mut Sources,
) -> Ended {
    let selection = arguments.model.selection();
    let (subjects, warnings) = model::all(&arguments.file, &selection, world, sources)?;
    crate::report(world, sources, &warnings);
    let mut watcher = Watcher::new(world, &arguments.limits);
    let mut fits = Vec::new();
    for subject in subjects {
        fits.push(CompositionCheck::find(subject, arguments.reduce, &mut watcher)?);
    }
    let (verdict, exit) = together(&fits);
    if is_hidden(&warnings, exit) {
        return Ok(Exit::CannotRun);
    }
    world.print(&match arguments.output.format {
        CheckFormat::Json => {
            let more = &arguments.model.components.more;
            let files = std::iter::once(&arguments.file).chain(more);
            let files = files.map(|path| path.display().to_string()).collect();
            CompositionDocument::new(files, verdict, content(&fits, sources)).to_json()
        }
        CheckFormat::Text | CheckFormat::Diagram => {
            let style = world.output_style();
            let as_diagram = arguments.output.format == CheckFormat::Diagram;
            let told = |fit: &CompositionCheck| {
                let heading = text::heading(fit);
                let errors = text::errors(fit, as_diagram, sources, style);
                let again = text::replay_lines(fit, &arguments.file, sources);
                let never = text::never(fit, sources);
                format!("{heading}: {}\n{errors}{again}{never}", text::verdict(fit, style))
            };
            let mut told: String = fits.iter().map(told).collect();
            if is_architecture(&fits) {
                let word = coloured(&verdict, exit, style);
                told += &summary(&fits, &word, exit);
            }
            told
        }
    });
    if let Some(story) = fits.iter().find_map(|fit| fit.outcome.story.as_ref()) {
        write_story(trace_files, story, world)?;
    }
    let suite = Suite {
        file: arguments.file.display().to_string(),
        outcomes: fits.into_iter().map(|fit| fit.outcome).collect(),
        ..Suite::default()
    };
    write_junit(arguments.output.junit.as_deref(), &[suite], &[], world)?;
    Ok(exit)
}

fn is_architecture(fits: &[CompositionCheck]) -> bool {
    let of_architecture = |fit: &CompositionCheck| {
        fit.subject.components().is_some_and(|composed| composed.compliance.is_some())
    };
    fits.iter().any(of_architecture)
}

/// What JSON says about compositions.
pub(super) fn content(fits: &[CompositionCheck], sources: &Sources) -> CompositionContent {
    let record = |fit: &CompositionCheck| {
        let composed = fit.subject.components()?;
        Some(CompositionRecord::new(&fit.outcome, composed, sources))
    };
    let mut checks: Vec<CompositionRecord> = fits.iter().filter_map(record).collect();
    match checks.pop() {
        Some(only) if checks.is_empty() && !is_architecture(fits) => {
            CompositionContent::One(Box::new(only))
        }
        last => {
            checks.extend(last);
            CompositionContent::Several { checks }
        }
    }
}

fn summary(fits: &[CompositionCheck], word: &str, exit: Exit) -> String {
    let n_checks = count(fits.len() as u64, "check");
    let n_such = fits.iter().filter(|fit| fit.exit() == exit).count();
    let mut text = String::new();
    let _ = match exit {
        Exit::Holds => writeln!(text, "{word} in {n_checks}"),
        Exit::Unknown => writeln!(text, "{word}: {n_such} of {n_checks} did not finish"),
        Exit::Violated | Exit::CannotRun => {
            writeln!(text, "{word}: {n_such} of {n_checks} found an error")
        }
    };
    text
}
