//! The findings of a check as people read them.

use std::fmt::Write as _;

use quadrille_diagnostic::Style;
use quadrille_model::Verdict;
use quadrille_report::{Outcome, bound_advice, bound_phrase, runs_word, steps_text};

use super::{Findings, outputs};
use crate::arguments::{CheckArguments, FairArgument, FairKind, FormulaArguments};
use crate::quantity::count;
use crate::shell;

pub(super) fn text(arguments: &CheckArguments, findings: &Findings, style: Style) -> String {
    let mut text = String::new();
    for (position, outcome) in findings.outcomes.iter().enumerate() {
        finding(&mut text, outcome, style);
        if findings.is_violated(position) {
            let commands = replay(arguments, findings, position).join("\n          ");
            let _ = writeln!(text, "  replay: {commands}\n");
        }
    }
    if let Some(outcome) = &findings.deadlock {
        note(&mut text, outcome, arguments);
    }
    if findings.outcomes.len() > 1 {
        summary(&mut text, &findings.outcomes);
    }
    text
}

/// The verdict, the property, what was explored, and the trace.
pub(crate) fn finding(text: &mut String, outcome: &Outcome, style: Style) {
    let finding = &outcome.finding;
    let word = coloured(&finding.verdict, style);
    let runs = finding.runs.map(|runs| format!(", {} runs", runs_word(runs))).unwrap_or_default();
    let counts = &finding.counts;
    let explored =
        format!("{}, {}", count(counts.states, "state"), count(counts.transitions, "transition"));
    let _ = writeln!(text, "{word}: {}  ({explored}{runs})", finding.property);
    match (&finding.verdict, &outcome.story) {
        (Verdict::Violated(_), Some(story)) => {
            let _ = writeln!(text, "\n{}", steps_text(story));
        }
        (Verdict::Violated(_), None) => {
            let _ = writeln!(
                text,
                "  no single run shows it: the formula asks for the existence of runs"
            );
        }
        (Verdict::Unknown(bound), _) => {
            let _ = writeln!(text, "  {}; {}", bound_phrase(*bound), bound_advice(*bound));
        }
        (Verdict::Holds, _) => {}
    }
}

/// What was found about deadlock where that was not asked for.
fn note(text: &mut String, outcome: &Outcome, arguments: &CheckArguments) {
    let file = shell::file(&arguments.file, &arguments.session);
    let options = shell::options(&arguments.model_options());
    let _ = match &outcome.finding.verdict {
        Verdict::Holds => writeln!(text, "note: no deadlock"),
        Verdict::Unknown(bound) => {
            writeln!(text, "note: deadlock is unknown: {}", bound_phrase(*bound))
        }
        Verdict::Violated(_) => writeln!(
            text,
            "note: the model has a deadlock; `quadrille check {file}{options}` shows it, --deadlock makes it count"
        ),
    };
}

fn summary(text: &mut String, outcomes: &[Outcome]) {
    let number = |word: &str| {
        outcomes.iter().filter(|outcome| outcome.finding.verdict.word() == word).count()
    };
    let parts: Vec<String> = ["violated", "unknown", "holds"]
        .into_iter()
        .filter(|word| number(word) > 0)
        .map(|word| format!("{} {word}", number(word)))
        .collect();
    let _ = writeln!(text, "{} properties: {}", outcomes.len(), parts.join(", "));
}

/// The commands that show a violation again.
fn replay(arguments: &CheckArguments, findings: &Findings, position: usize) -> Vec<String> {
    let file = shell::file(&arguments.file, &arguments.session);
    if let Some(path) = outputs::replayable(&arguments.trace_out, findings, position) {
        return vec![format!("quadrille replay {file} {}", shell::path(&path))];
    }
    let model = shell::options(&arguments.model_options());
    let property = match findings.again[position].as_str() {
        "" => String::new(),
        again => format!("{again}{}", options(&arguments.formulas)),
    };
    if findings.outcomes[position].story.is_none() {
        return vec![format!("quadrille check {file}{model}{property}")];
    }
    vec![
        format!("quadrille check {file}{model}{property} --trace-out trace.json"),
        format!("quadrille replay {file} trace.json"),
    ]
}

/// The options that decide which runs count, where they are not the usual ones.
fn options(arguments: &FormulaArguments) -> String {
    let mut options = match arguments.asked.runs {
        None => String::new(),
        Some(runs) => format!(" --runs {}", runs_word(runs.into())),
    };
    for FairArgument { kind, group } in &arguments.fair {
        let kind = match kind {
            FairKind::Weak => "weak",
            FairKind::Strong => "strong",
        };
        let value = group.as_ref().map_or(kind.to_owned(), |group| format!("{kind}={group}"));
        let _ = write!(options, " --fair {}", shell::word(&value));
    }
    options
}

fn coloured(verdict: &Verdict, style: Style) -> String {
    let word = verdict.word();
    let colour = match (style, verdict) {
        (Style::Plain, _) => return word.to_owned(),
        (Style::Colour, Verdict::Holds) => 32,
        (Style::Colour, Verdict::Violated(_)) => 31,
        (Style::Colour, Verdict::Unknown(_)) => 33,
    };
    format!("\x1b[1;{colour}m{word}\x1b[0m")
}
