//! The results of tests as people read them.

use std::fmt::Write as _;
use std::path::Path;

use quadrille_diagnostic::Style;
use quadrille_model::{Runs, Verdict};
use quadrille_report::{Test, bound_advice, bound_phrase, runs_word, steps_text};

use super::Found;
use crate::shell;

/// A line per test under a line per suite; what failed with its trace; the numbers last.
pub(super) fn text(all: &[Found], style: Style) -> String {
    let mut text = String::new();
    let (mut n_passed, mut n_failed) = (0, 0);
    for found in all {
        let _ = writeln!(text, "{}", found.suite.name());
        for (position, test) in found.suite.tests.iter().enumerate() {
            let passed = test.passed();
            *(if passed { &mut n_passed } else { &mut n_failed }) += 1;
            let _ = writeln!(text, "  {} {}", mark(passed, style), line(test));
            if !passed {
                evidence(&mut text, found, position);
            }
        }
        if found.suite.deadlock.is_some() {
            let command = shell::file(Path::new(&found.suite.file), &found.session);
            let _ = writeln!(
                text,
                "  note: it has a deadlock; `quadrille check {command} --deadlock` shows it"
            );
        }
    }
    let _ = writeln!(text, "{n_passed} passed, {n_failed} failed");
    text
}

fn line(test: &Test) -> String {
    let finding = &test.outcome.finding;
    let word = finding.verdict.word();
    let runs = finding.runs.map(|runs| format!(" ({} runs)", runs_word(runs))).unwrap_or_default();
    let expected =
        if test.passed() { String::new() } else { format!(", expected {}", test.expected.word()) };
    format!("{}: {word}{expected}{runs}", finding.property)
}

/// Why a test failed, and the command that shows it again.
fn evidence(text: &mut String, found: &Found, position: usize) {
    let outcome = &found.suite.tests[position].outcome;
    if let Verdict::Unknown(bound) = outcome.finding.verdict {
        let _ = writeln!(text, "       {}; {}", bound_phrase(bound), bound_advice(bound));
    }
    if let Some(story) = &outcome.story {
        let _ = writeln!(text, "\n{}", steps_text(story));
    }
    let file = shell::file(Path::new(&found.suite.file), &found.session);
    let runs = match outcome.finding.runs {
        Some(runs) if runs != Runs::Maximal => format!(" --runs {}", runs_word(runs)),
        _ => String::new(),
    };
    let _ = writeln!(text, "  again: quadrille check {file}{}{runs}\n", found.again[position]);
}

fn mark(passed: bool, style: Style) -> &'static str {
    match (passed, style) {
        (true, Style::Plain) => "pass",
        (false, Style::Plain) => "FAIL",
        (true, Style::Colour) => "\x1b[32mpass\x1b[0m",
        (false, Style::Colour) => "\x1b[1;31mFAIL\x1b[0m",
    }
}
