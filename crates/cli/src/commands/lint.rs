//! `quadrille lint`: what is probably a mistake in a protocol or in what is asked of it, or in components?

use std::fmt::Write as _;

use quadrille_diagnostic::{Diagnostic, Sources, render};
use quadrille_query::codes::CONTRADICTION;
use quadrille_query::{Config, Question, Selection, Subject};
use quadrille_report::{LintDocument, LintFinding};

use crate::arguments::{Format, LintArguments};
use crate::exit::Exit;
use crate::quantity::count;
use crate::watch::Watcher;
use crate::world::World;
use crate::{Ended, Stop, formulas, model};

pub(crate) fn run(arguments: &LintArguments, world: &World, sources: &mut Sources) -> Ended {
    let file = &arguments.file;
    let language = model::language(file, world)?;
    if language.has_components() && arguments.asked.asks() {
        let message = format!("`{}` is no protocol", file.display());
        let help = "formulas are looked at beside protocols only";
        return Err(Diagnostic::error(&CONTRADICTION, message).help(help).into());
    }
    if !language.has_components() && !language.has_protocols() {
        return Err(model::no_protocol(file).into());
    }
    let mut watcher = Watcher::new(world, &arguments.limits);
    let (texts, unreadable) = formulas::texts(&arguments.asked, world, sources);
    if !unreadable.is_empty() {
        return Err(unreadable.into());
    }
    let components = arguments.components.selection();
    let selection = Selection { components, ..arguments.protocol.selection() };
    let (mut subjects, warnings) = if texts.is_empty() {
        model::all(file, &selection, world, sources)?
    } else {
        (vec![model::one(file, &selection, &mut watcher, sources)?], Vec::new())
    };
    if language.has_components() {
        // What is said about an architecture is said about all of it.
        subjects.truncate(1);
    }
    let mut findings: Vec<LintFinding> = warnings.into_iter().map(LintFinding::from).collect();
    for subject in &mut subjects {
        let runs = arguments.asked.runs.map(Into::into);
        let (mut properties, warnings) = formulas::read(subject, &texts, runs, sources)?;
        properties.extend(formulas::declared(subject, &[], runs)?);
        let mut found: Vec<LintFinding> = warnings.into_iter().map(LintFinding::from).collect();
        found.extend(look(subject, Question::Lint { properties }, &mut watcher)?);
        for finding in found {
            let is_known =
                |known: &LintFinding| known.finding.diagnostic == finding.finding.diagnostic;
            if !findings.iter().any(is_known) {
                findings.push(finding);
            }
        }
    }
    watcher.end();
    if language.has_components() {
        let place = |one: &LintFinding| one.finding.diagnostic.labels.first().map(|it| it.span);
        findings.sort_by_key(place);
    }
    Ok(tell(arguments, &findings, world, sources))
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

/// Prints what was found.
fn tell(
    arguments: &LintArguments,
    findings: &[LintFinding],
    world: &World,
    sources: &Sources,
) -> Exit {
    world.print(&match arguments.output.format {
        Format::Json => {
            LintDocument::new(&arguments.file.display().to_string(), findings, sources).to_json()
        }
        Format::Text => {
            let mut text = String::new();
            for finding in findings {
                text += &render(&finding.finding.diagnostic, sources, world.output_style());
            }
            let _ = match findings.len() {
                0 => writeln!(text, "no findings"),
                n => writeln!(text, "{}", count(n as u64, "finding")),
            };
            text
        }
    });
    if findings.is_empty() { Exit::Holds } else { Exit::Violated }
}
