//! The results of tests as people read them.

use std::fmt::Write as _;

use quadrille_diagnostic::{Sources, Style};
use quadrille_model::{Runs, Verdict};
use quadrille_report::{
    Outcome, bound_advice, bound_phrase, never_text, runs_phrase, runs_word, steps_text,
};

use super::Found;
use crate::shell;
use crate::world::World;

/// A line per test under a line per suite; what failed with its trace; the numbers last.
pub(super) fn text(all: &[Found], world: &World, sources: &Sources) -> String {
    let mut text = String::new();
    let (mut n_passed, mut n_failed) = (0, 0);
    for found in all {
        let _ = writeln!(text, "{}", found.suite.name());
        for (position, outcome) in found.suite.outcomes.iter().enumerate() {
            let passed = outcome.answer.passed();
            *(if passed { &mut n_passed } else { &mut n_failed }) += 1;
            let _ = writeln!(text, "  {} {}", mark(passed, world.output_style()), line(outcome));
            if !passed {
                evidence(&mut text, found, position, world.width());
            }
        }
        for line in never_text(&found.suite.unused, sources).lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    let _ = writeln!(text, "{n_passed} passed, {n_failed} failed");
    text
}

fn line(outcome: &Outcome) -> String {
    let answer = &outcome.answer;
    let word = match (&answer.verdict, answer.question) {
        (Verdict::Violated(_), "deadlock") => {
            let expected = if answer.passed() { ", as expected" } else { "" };
            return format!("deadlock{expected}");
        }
        _ => answer.word(),
    };
    let runs = runs_phrase(&answer.assumptions);
    let runs = runs.map(|runs| format!(" ({runs})")).unwrap_or_default();
    let expected = match answer.passed() {
        true => String::new(),
        false => format!(", expected {}", answer.expected_word()),
    };
    format!("{}: {word}{expected}{runs}", answer.name)
}

/// Why a test failed, and the command that shows it again.
fn evidence(text: &mut String, found: &Found, position: usize, width: usize) {
    let outcome = &found.suite.outcomes[position];
    if let Verdict::Unknown(bound) = outcome.answer.verdict {
        let _ = writeln!(text, "       {}; {}", bound_phrase(bound), bound_advice(bound));
    }
    if let Some(story) = &outcome.story {
        let _ = writeln!(text, "\n{}", steps_text(story, width));
    }
    let runs = match outcome.answer.assumptions.runs {
        Some(runs) if runs != Runs::Maximal => format!(" --runs {}", runs_word(runs)),
        _ => String::new(),
    };
    let file = shell::word(&found.suite.file);
    let model = shell::options(&found.selection);
    let question = shell::options(&found.again[position]);
    let _ = writeln!(text, "  again: quadrille check {file}{model}{question}{runs}\n");
}

fn mark(passed: bool, style: Style) -> &'static str {
    match (passed, style) {
        (true, Style::Plain) => "pass",
        (false, Style::Plain) => "FAIL",
        (true, Style::Colour) => "\x1b[32mpass\x1b[0m",
        (false, Style::Colour) => "\x1b[1;31mFAIL\x1b[0m",
    }
}
