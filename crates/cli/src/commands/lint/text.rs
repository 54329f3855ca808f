//! What lint found, for people: the worst first, what is the same at one place once, notes in one line.

use std::fmt::Write as _;
use std::path::Path;

use quadrille_diagnostic::{Diagnostic, Severity, Sources, Style, render};
use quadrille_query::language_of;
use quadrille_report::LintFinding;

use crate::quantity::count;

/// Findings of one rule at one place that are told one by one.
const TOLD: usize = 3;

pub(super) fn findings(
    findings: &[LintFinding],
    n_allowed: usize,
    sources: &Sources,
    style: Style,
) -> String {
    let mut told: Vec<Vec<&Diagnostic>> = Vec::new();
    for finding in findings {
        let diagnostic = &finding.finding.diagnostic;
        let is_same = |other: &&mut Vec<&Diagnostic>| {
            other[0].code == diagnostic.code
                && !diagnostic.labels.is_empty()
                && place(other[0], sources) == place(diagnostic, sources)
        };
        match told.iter_mut().find(is_same) {
            Some(others) => others.push(diagnostic),
            None => told.push(vec![diagnostic]),
        }
    }
    told.sort_by_key(|same| same[0].severity);
    let mut text = String::new();
    for same in &told {
        let (first, others) = (same[0], &same[1..]);
        if first.severity == Severity::Note {
            let more = match others.len() {
                0 => String::new(),
                n => format!(", and {n} more like it there"),
            };
            let place = place(first, sources).map(|place| format!(" ({place}{more})"));
            let (id, message) = (first.code.id, &first.message);
            let _ = writeln!(text, "note[{id}]: {message}{}", place.unwrap_or_default());
            continue;
        }
        let mut whole = first.clone();
        whole.notes.extend(others.iter().take(TOLD).map(|it| format!("also: {}", it.message)));
        if others.len() > TOLD {
            whole.notes.push(format!("and {} more like these", others.len() - TOLD));
        }
        text += &render(&whole, sources, style);
    }
    text + &summary(findings, &told, n_allowed, sources)
}

/// How many of each kind there are, and where to read on.
fn summary(
    findings: &[LintFinding],
    told: &[Vec<&Diagnostic>],
    n_allowed: usize,
    sources: &Sources,
) -> String {
    let of = |severity| {
        let same = |found: &&LintFinding| found.finding.diagnostic.severity == severity;
        findings.iter().filter(same).count() as u64
    };
    let kinds =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let kinds = kinds.map(|(severity, word)| (of(severity), word));
    let kinds: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, word)| count(*n, word)).collect();
    let mut text = match findings.len() {
        0 => "no findings".to_owned(),
        n => format!("{}: {}", count(n as u64, "finding"), kinds.join(", ")),
    };
    if n_allowed > 0 {
        let _ = write!(text, "; {n_allowed} allowed by comments");
    }
    if let Some(same) = told.first() {
        let _ = write!(text, "; see `quadrille explain {}", same[0].code.id);
        let file = same[0].labels.first().map(|label| sources.name(label.span.source));
        if let Some(language) = file.and_then(|name| language_of(Path::new(name)).ok())
            && language.ending == "dcj"
        {
            text += " --language dcj";
        }
        text += "`";
    }
    text + "\n"
}

/// Where a finding is: file, line and column.
fn place(diagnostic: &Diagnostic, sources: &Sources) -> Option<String> {
    let span = diagnostic.labels.first()?.span;
    let at = sources.position(span);
    Some(format!("{}:{}:{}", sources.name(span.source), at.line, at.column))
}
