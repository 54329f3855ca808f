//! What was found about components as people read it: the verdict, the way to an error with one event
//! per line, and where in the texts it comes from.

use std::fmt::Write as _;
use std::path::Path as FilePath;

use quadrille_component::composition::{ErrorKind, ErrorRun};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_model::{Bound, Interaction, Verdict};
use quadrille_query::{Composed, CompositionReport};
use quadrille_report::{
    Story, StoryStep, bound_advice, bound_phrase, bounds_phrase, never_text, sequence_text,
};

use super::CompositionCheck;
use crate::exit::coloured;
use crate::quantity::count;
use crate::shell;

/// What a verdict is about: `3 components`, `Shop, vertical`.
pub(super) fn heading(fit: &CompositionCheck) -> String {
    match fit.subject.components() {
        Some(Composed { compliance: Some((name, kind)), .. }) if kind == "system" => {
            format!("system of {name}")
        }
        Some(Composed { compliance: Some((name, kind)), .. }) => format!("{name}, {kind}"),
        Some(composed) => count(composed.assembly.members().len() as u64, "component"),
        None => String::new(),
    }
}

/// `no error (17 configurations, 24 steps; no reduction, no bounds)`
pub(super) fn verdict(fit: &CompositionCheck, style: Style) -> String {
    let answer = &fit.outcome.answer;
    let word = coloured(&fit.word(), fit.exit(), style);
    if let Verdict::Unknown(bound) = answer.verdict {
        return format!("{word}: {}; {}", bound_phrase(bound), bound_advice(bound));
    }
    let found = answer.composition();
    let errors = found.and_then(|found| found.errors.as_ref());
    let left = errors.map(|found| size(found.configurations, found.steps)).unwrap_or_default();
    let unreduced = match found.and_then(|found| found.unreduced) {
        None => String::new(),
        Some(Ok((configurations, steps))) => {
            format!("; {} unreduced", size(configurations, steps))
        }
        Some(Err(Bound::States(states))) => {
            format!("; more than {} unreduced", count(states, "configuration"))
        }
        Some(Err(_)) => "; not counted unreduced".to_owned(),
    };
    format!("{word} ({left}{unreduced}; {})", bounds_phrase(&answer.assumptions))
}

fn size(configurations: usize, steps: usize) -> String {
    let configurations = count(configurations as u64, "configuration");
    format!("{configurations}, {}", count(steps as u64, "step"))
}

/// Every error: the way to the first, and what is wrong with all of them.
pub(super) fn errors(
    fit: &CompositionCheck,
    as_diagram: bool,
    sources: &Sources,
    style: Style,
) -> String {
    let mut text = String::new();
    let (Some(composed), Some(story)) = (fit.subject.components(), &fit.outcome.story) else {
        return text;
    };
    let paths = fit.outcome.answer.composition().into_iter().flat_map(CompositionReport::paths);
    for (position, path) in paths.enumerate() {
        if position == 0 && as_diagram {
            let _ = write!(text, "\n{}\n", sequence_text(story));
        } else if position == 0 {
            let _ = write!(text, "\n{}\n", way(composed, story, path));
        }
        text += &render(&composed.explain(path), sources, style);
    }
    text
}

/// What of the components' protocols never happened, where they fit together.
pub(super) fn never(fit: &CompositionCheck, sources: &Sources) -> String {
    let found = fit.outcome.answer.composition();
    found.map(|found| never_text(&found.unused, sources)).unwrap_or_default()
}

/// The commands that show the first error again; nothing where there is none.
pub(super) fn replay_lines(fit: &CompositionCheck, file: &FilePath, sources: &Sources) -> String {
    if fit.outcome.story.is_none() {
        return String::new();
    }
    let file = match fit.subject.components() {
        // One of several systems: only its own files.
        Some(Composed { compliance: Some((_, kind)), assembly, .. }) if kind == "system" => {
            let first = assembly.members()[0].component.name.span.source;
            FilePath::new(sources.name(first))
        }
        _ => file,
    };
    let (file, options) = (shell::path(file), shell::options(&fit.subject.selection.words()));
    format!(
        "replay: quadrille check {file}{options} --trace-out trace.json\n        \
         quadrille replay {file} trace.json\n"
    )
}

/// The events on the way to an error, and the error.
fn way(composed: &Composed, story: &Story, path: &ErrorRun) -> String {
    let mut rows: Vec<(String, String)> = story.steps.iter().map(row).collect();
    let last = match path.kind {
        ErrorKind::BadActivity(_) => {
            let who = composed.culprits(path).join(", ");
            Some((format!("{who} → no receiver"), composed.event(path).unwrap_or_default()))
        }
        ErrorKind::NoActivity => Some(("no component can continue".to_owned(), String::new())),
        ErrorKind::InfiniteActivity { .. } => None,
    };
    let n_steps = rows.len();
    rows.extend(last);
    let width = rows.iter().map(|(who, _)| who.chars().count()).max().unwrap_or(0);
    let digits = n_steps.to_string().len();
    let mut text = String::new();
    for (position, (who, what)) in rows.iter().enumerate() {
        if story.loop_start() == Some(position) {
            let _ = writeln!(text, "  {:digits$}  for ever:", "");
        }
        let number = if position < n_steps { (position + 1).to_string() } else { String::new() };
        let gap = width - who.chars().count();
        let line = format!("  {number:>digits$}  {who}{:gap$}  {what}", "");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Who does what to whom.
fn row(step: &StoryStep) -> (String, String) {
    match &step.interaction {
        Interaction::Exchange { from, to, message } => {
            (format!("{from} → {}", to.join(", ")), message.clone())
        }
        interaction => {
            let who: Vec<&str> =
                interaction.participants().into_iter().map(String::as_str).collect();
            let who = who.join(", ");
            let action = &step.action;
            match action.chars().next() {
                Some('?') => (format!("outside → {who}"), action[1..].to_owned()),
                Some('!') => (format!("{who} → outside"), action[1..].to_owned()),
                _ => (who, action.clone()),
            }
        }
    }
}
