//! The findings of a check as people read them.

use std::fmt::Write as _;

use quadrille_diagnostic::Sources;
use quadrille_model::{Bound, Expected, Verdict};
use quadrille_query::{Aim, Answer, Lossy, Size};
use quadrille_report::{
    Outcome, bound_advice, bound_phrase, bounds_phrase, never_text, queues_text, runs_phrase,
    runs_word, sequence_text, show_probability, steps_text,
};

use super::{Findings, outputs};
use crate::arguments::{CheckArguments, CheckFormat, FairArgument, FairKind, FormulaArguments};
use crate::exit::{Exit, coloured};
use crate::quantity::count;
use crate::shell;
use crate::world::World;

pub(super) fn text(
    arguments: &CheckArguments,
    findings: &Findings,
    world: &World,
    sources: &Sources,
) -> String {
    let mut text = String::new();
    let as_diagram = arguments.output.format == CheckFormat::Diagram;
    for (position, outcome) in findings.outcomes.iter().enumerate() {
        let exit = Exit::of(&outcome.answer, arguments.strict);
        finding(&mut text, outcome, exit, as_diagram, world);
        if matches!(outcome.answer.verdict, Verdict::Violated(_)) {
            let commands = replay(arguments, findings, position).join("\n          ");
            let _ = writeln!(text, "  replay: {commands}\n");
        }
    }
    text += &never_text(&findings.unused, sources);
    if findings.outcomes.len() > 1 {
        summary(&mut text, arguments, &findings.outcomes);
    }
    text
}

/// The verdict, the property, what was explored, and the trace.
pub(crate) fn finding(
    text: &mut String,
    outcome: &Outcome,
    exit: Exit,
    as_diagram: bool,
    world: &World,
) {
    let answer = &outcome.answer;
    let (word, name) = headline(outcome);
    let word = coloured(&word, exit, world.output_style());
    let _ = writeln!(text, "{word}: {name}  ({})", scope(answer));
    if !answer.queues().is_empty() {
        let _ = writeln!(text, "  queues  {}", queues_text(answer.queues()));
    }
    match (&answer.verdict, &outcome.story) {
        (Verdict::Violated(_), Some(story)) => {
            let run =
                if as_diagram { sequence_text(story) } else { steps_text(story, world.width()) };
            let _ = writeln!(text, "\n{run}");
        }
        (Verdict::Violated(_), None) if is_by_portfolio(answer) => {
            let _ = writeln!(text, "  no run was kept: --engine explicit looks for one");
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

/// Whether parts of the portfolio answered, which count no states.
fn is_by_portfolio(answer: &Answer) -> bool {
    answer.counts.states == 0 && answer.size.is_none()
}

/// The verdict in words that are no double negative, and what it is about.
pub(crate) fn headline(outcome: &Outcome) -> (String, String) {
    let answer = &outcome.answer;
    let name = answer.name.clone();
    let word = match (&answer.verdict, answer.expected) {
        (verdict, expected) if answer.aim == Aim::Find => match (verdict, expected) {
            (Verdict::Violated(_), Expected::Holds) => "found, expected none",
            (Verdict::Holds, Expected::Holds) => "none found as expected",
            _ => answer.word(),
        },
        (Verdict::Violated(_), _) if answer.question == "deadlock" => {
            let place = match outcome.story.as_ref().map(|story| story.steps.len()) {
                None => "reachable".to_owned(),
                Some(0) => "at the start".to_owned(),
                Some(steps) => format!("after {}", count(steps as u64, "step")),
            };
            // In a design with several scopes, the name says which.
            let scope = name.strip_prefix("no deadlock").unwrap_or_default();
            let place = format!("{place}{scope}");
            let word = match answer.expected {
                Expected::Holds => "deadlock",
                Expected::Violated => "deadlock as expected",
            };
            return (word.to_owned(), place);
        }
        (Verdict::Holds, Expected::Holds) => "holds",
        (Verdict::Holds, Expected::Violated) => "holds, expected violated",
        (Verdict::Violated(_), Expected::Holds) => "violated",
        (Verdict::Violated(_), Expected::Violated) => "violated as expected",
        (Verdict::Unknown(_), _) => "unknown",
    };
    (word.to_owned(), name)
}

/// What was explored, and what the verdict ranges over.
pub(crate) fn scope(answer: &Answer) -> String {
    let counts = &answer.counts;
    let size = match &answer.size {
        Some(Size { states, transitions, nodes, .. }) => format!(
            "{states} states, {transitions} transitions, symbolically in {}",
            count(*nodes, "node")
        ),
        None if is_by_portfolio(answer) => format!("by {}", answer.assumptions.engine),
        None => {
            let states = count(counts.states, "state");
            format!("{states}, {}", count(counts.transitions, "transition"))
        }
    };
    let size = match answer.verdict {
        Verdict::Unknown(Bound::Omission(omission)) => {
            format!(
                "no violation found, omission probability {}; {size}",
                show_probability(omission)
            )
        }
        _ => size,
    };
    let bounds = bounds_phrase(&answer.assumptions);
    match runs_phrase(&answer.assumptions) {
        Some(runs) => format!("{size}; {runs}, {bounds}"),
        None => format!("{size}; {bounds}"),
    }
}

fn summary(text: &mut String, arguments: &CheckArguments, outcomes: &[Outcome]) {
    let number = |wanted: Exit| {
        let exit = |outcome: &&Outcome| Exit::of(&outcome.answer, arguments.strict) == wanted;
        outcomes.iter().filter(exit).count()
    };
    let kinds = [(Exit::Violated, "failed"), (Exit::Unknown, "unknown"), (Exit::Holds, "passed")];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|(exit, _)| number(*exit) > 0)
        .map(|(exit, word)| format!("{} {word}", number(exit)))
        .collect();
    let _ = writeln!(text, "{} checks: {}", outcomes.len(), parts.join(", "));
}

/// The commands that show a violation again.
fn replay(arguments: &CheckArguments, findings: &Findings, position: usize) -> Vec<String> {
    let file = shell::path(&arguments.file);
    let trace_out = &arguments.output.trace_out;
    if let Some(path) = outputs::replayable(trace_out, findings, position) {
        return vec![format!("quadrille replay {file} {}", shell::path(&path))];
    }
    let model = shell::options(&findings.selections[position]);
    let property = match findings.again[position].as_slice() {
        [] => String::new(),
        again => format!("{}{}", shell::options(again), options(&arguments.formulas)),
    };
    let property = match arguments.lossy {
        None => property,
        Some(Lossy::Fingerprints) => property + " --lossy hash-compact",
        Some(Lossy::Bits { bytes }) => format!("{property} --lossy bitstate={bytes}"),
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
