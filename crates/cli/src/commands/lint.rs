//! `quadrille lint`: what is probably a mistake in a protocol or in what is asked of it, or in components?

mod text;

use std::path::{Path, PathBuf};

use quadrille_diagnostic::{Diagnostic, Sources};
use quadrille_model::Runs;
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{
    Allows, Config, FormulaText, Level, Levels, Question, Selection, Subject, has_extension,
    manifest, read_text,
};
use quadrille_report::{LintDocument, LintFinding};

use crate::arguments::{Format, LintArguments};
use crate::exit::Exit;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, formulas, model};

/// A manifest of this name counts for all files below its folder.
const MANIFEST: &str = "quadrille.toml";

/// A file, and what of it is looked at.
struct Task {
    file: PathBuf,
    selection: Selection,
    formulas: Vec<FormulaText>,
    runs: Option<Runs>,
}

pub(crate) fn run(arguments: &LintArguments, world: &World, sources: &mut Sources) -> Ended {
    let mut watcher = Watcher::new(world, &arguments.limits);
    let is_manifest = has_extension(&arguments.file, "toml");
    let (tasks, mut levels) = if is_manifest {
        of_manifest(&arguments.file, world, sources)?
    } else {
        let levels = match world.nearest(&arguments.file, MANIFEST) {
            Some(path) => levels_of(&path, world, sources)?,
            None => Levels::default(),
        };
        (vec![of_arguments(arguments, world, sources)?], levels)
    };
    for (name, level) in &arguments.level {
        levels.set(name, *level).map_err(|unknown| {
            let diagnostic = Diagnostic::error(&CONTRADICTION, unknown.to_string());
            diagnostic.help(unknown.help())
        })?;
    }
    // Of an exception is known that it covers nothing only where everything was looked at.
    let session = &arguments.protocol;
    let is_whole = !is_manifest && !arguments.asked.asks() && session.protocol.is_none();
    let mut findings: Vec<LintFinding> = Vec::new();
    for task in &tasks {
        for finding in look_at(task, &mut watcher, sources)? {
            if !findings.iter().any(|known| known.finding == finding.finding) {
                findings.push(finding);
            }
        }
    }
    watcher.end();
    let mut allows = Allows::of(sources);
    let n_found = findings.len();
    findings.retain(|found| !allows.covers(&found.finding.diagnostic));
    let n_allowed = n_found - findings.len();
    findings.extend(allows.mistakes().into_iter().map(LintFinding::from));
    if is_whole {
        findings.extend(allows.unused().map(LintFinding::from));
    }
    findings.retain_mut(|found| {
        found.level = levels.of(&found.finding.diagnostic);
        let severity = found.level.severity();
        found.finding.diagnostic.severity = severity.unwrap_or(found.finding.diagnostic.severity);
        severity.is_some()
    });
    world.print(&match arguments.output.format {
        Format::Json => {
            let file = arguments.file.display().to_string();
            LintDocument::new(&file, &findings, n_allowed, sources).to_json()
        }
        Format::Text => text::findings(&findings, n_allowed, sources, world.output_style()),
    });
    let fails = findings.iter().any(|found| found.level == Level::Deny);
    Ok(if fails { Exit::Violated } else { Exit::Holds })
}

/// What the command line asks for.
fn of_arguments(
    arguments: &LintArguments,
    world: &World,
    sources: &mut Sources,
) -> Result<Task, Stop> {
    let (formulas, unreadable) = formulas::texts(&arguments.asked, world, sources);
    if !unreadable.is_empty() {
        return Err(unreadable.into());
    }
    let components = arguments.components.selection();
    Ok(Task {
        file: arguments.file.clone(),
        selection: Selection { components, ..arguments.protocol.selection() },
        formulas,
        runs: arguments.asked.runs.map(Into::into),
    })
}

/// Everything that a manifest checks, and its levels.
fn of_manifest(
    path: &Path,
    world: &World,
    sources: &mut Sources,
) -> Result<(Vec<Task>, Levels), Stop> {
    let levels = levels_of(path, world, sources)?;
    let source = read_text(world, path, sources)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let matching = |folder: &Path, pattern: &str| world.matching(folder, pattern);
    let checks = manifest::read(source, sources.text(source), folder, &matching)?;
    let mut tasks = Vec::new();
    for check in checks {
        let mut formulas = Vec::new();
        // There is nothing to find in an automaton.
        for file in check.formulas.iter().filter(|file| !file.never) {
            formulas.extend(formulas::texts_of(&file.path, &check.types, world, sources)?);
        }
        let selection = Selection::of_session(check.session);
        tasks.push(Task { file: check.file, selection, formulas, runs: check.runs });
    }
    Ok((tasks, levels))
}

fn levels_of(path: &Path, world: &World, sources: &mut Sources) -> Result<Levels, Stop> {
    let source = read_text(world, path, sources)?;
    Ok(manifest::read_levels(source, sources.text(source))?)
}

/// What is probably a mistake in a file.
fn look_at(
    task: &Task,
    watcher: &mut Watcher<'_>,
    sources: &mut Sources,
) -> Result<Vec<LintFinding>, Stop> {
    let Task { file, selection, formulas: texts, runs } = task;
    let world = watcher.world();
    let language = model::language(file, world)?;
    if language.has_components() && !texts.is_empty() {
        let message = format!("`{}` is no protocol", file.display());
        let help = "formulas are looked at beside protocols only";
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    if !language.has_components() && !language.has_protocols() {
        return Err(model::no_protocol(file).into());
    }
    let (mut subjects, warnings) = if texts.is_empty() {
        model::all(file, selection, world, sources)?
    } else {
        (vec![model::one(file, selection, watcher, sources)?], Vec::new())
    };
    if language.has_components() {
        // What is said about an architecture is said about all of it.
        subjects.truncate(1);
    }
    let mut findings: Vec<LintFinding> = warnings.into_iter().map(LintFinding::from).collect();
    for subject in &mut subjects {
        let (mut properties, warnings) = formulas::read(subject, texts, *runs, sources)?;
        properties.extend(formulas::declared(subject, &[], *runs)?);
        findings.extend(warnings.into_iter().map(LintFinding::from));
        findings.extend(look(subject, Question::Lint { properties }, watcher)?);
    }
    if language.has_components() {
        let place = |one: &LintFinding| one.finding.diagnostic.labels.first().map(|it| it.span);
        findings.sort_by_key(place);
    }
    Ok(findings)
}

/// What is probably a mistake in a subject and the properties about it.
fn look(
    subject: &Subject<'_>,
    question: Question<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Vec<LintFinding>, Stop> {
    let config = Config { limits: watcher.limits(), ..Config::default() };
    let mut findings = Vec::new();
    for answer in subject.ask(&[question], &config, watcher) {
        let answer = answer?;
        let found = answer.findings().iter().cloned();
        findings.extend(found.map(|finding| LintFinding::new(finding, subject)));
    }
    Ok(findings)
}
