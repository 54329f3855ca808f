//! Verdicts as JUnit XML, which every CI system shows. A verdict that is not the expected one is a
//! failure, an unknown verdict an error: neither may pass unnoticed.

use std::fmt::Write as _;

use quadrille_model::Verdict;

use crate::outcome::{bound_advice, bound_phrase, runs_phrase};
use crate::text::clean;
use crate::xml::escape;
use crate::{CommandTest, Outcome, SpecificationTests, Suite, story_text};

/// The suites, with one test case per test, and one per command of a specification.
pub fn junit(suites: &[Suite], specifications: &[SpecificationTests]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut all = Totals::default();
    suites.iter().flat_map(|suite| &suite.outcomes).for_each(|test| all.add(test));
    specifications.iter().flat_map(|file| &file.commands).for_each(|test| all.add_command(test));
    let _ = writeln!(xml, "<testsuites name=\"quadrille\" {all}>");
    for suite in suites {
        let name = escape(&clean(&suite.name()));
        let mut totals = Totals::default();
        suite.outcomes.iter().for_each(|test| totals.add(test));
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" {totals}>");
        for test in &suite.outcomes {
            case(&mut xml, &name, test);
        }
        xml.push_str("  </testsuite>\n");
    }
    for file in specifications {
        let name = escape(&clean(&file.file));
        let mut totals = Totals::default();
        file.commands.iter().for_each(|test| totals.add_command(test));
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" {totals}>");
        for test in &file.commands {
            command(&mut xml, &name, test);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// What a suite adds up to.
#[derive(Default)]
struct Totals {
    tests: usize,
    failures: usize,
    errors: usize,
    seconds: f64,
}

impl Totals {
    fn add(&mut self, test: &Outcome) {
        let is_unknown = matches!(test.answer.verdict, Verdict::Unknown(_));
        self.count(test.answer.passed(), is_unknown, test.answer.seconds);
    }

    fn add_command(&mut self, test: &CommandTest) {
        self.count(test.passed, test.verdict == "unknown", test.seconds);
    }

    fn count(&mut self, passed: bool, is_unknown: bool, seconds: f64) {
        self.tests += 1;
        self.errors += usize::from(is_unknown);
        self.failures += usize::from(!passed && !is_unknown);
        self.seconds += seconds;
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tests, failures, errors, seconds } = self;
        write!(
            f,
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\""
        )
    }
}

fn command(xml: &mut String, suite: &str, test: &CommandTest) {
    let name = escape(&clean(&test.command));
    let _ = write!(
        xml,
        "    <testcase name=\"{name}\" classname=\"{suite}\" time=\"{:.3}\"",
        test.seconds
    );
    if test.passed {
        xml.push_str("/>\n");
        return;
    }
    let element = if test.verdict == "unknown" { "error" } else { "failure" };
    let message = escape(&clean(&format!("{}: {}", test.verdict, test.extent)));
    let trace = escape(test.trace.as_deref().unwrap_or_default());
    let _ = writeln!(
        xml,
        ">\n      <{element} message=\"{message}\">{trace}</{element}>\n    </testcase>"
    );
}

fn case(xml: &mut String, suite: &str, outcome: &Outcome) {
    let answer = &outcome.answer;
    let property = escape(&clean(&answer.name));
    let _ = write!(
        xml,
        "    <testcase name=\"{property}\" classname=\"{suite}\" time=\"{:.3}\"",
        answer.seconds
    );
    let runs = runs_phrase(&answer.assumptions);
    let runs = runs.map(|runs| format!(" ({runs})")).unwrap_or_default();
    match &answer.verdict {
        _ if answer.passed() => xml.push_str("/>\n"),
        Verdict::Holds => {
            let (word, expected) = (answer.word(), answer.expected_word());
            let _ = writeln!(
                xml,
                ">\n      <failure message=\"{word}{runs}, expected {expected}: {property}\"/>\n    </testcase>"
            );
        }
        Verdict::Violated(_) => {
            let trace = outcome.story.as_ref().map(story_text).unwrap_or_default();
            let (trace, word) = (escape(&trace), answer.word());
            let _ = writeln!(
                xml,
                ">\n      <failure message=\"{word}{runs}: {property}\">{trace}</failure>\n    </testcase>"
            );
        }
        Verdict::Unknown(bound) => {
            let why = escape(&format!("{}; {}", bound_phrase(*bound), bound_advice(*bound)));
            let _ = writeln!(
                xml,
                ">\n      <error message=\"unknown{runs}: {why}\"/>\n    </testcase>"
            );
        }
    }
}
