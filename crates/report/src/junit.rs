//! Verdicts as JUnit XML, which every CI system shows. A verdict that is not the expected one is a
//! failure, an unknown verdict an error: neither may pass unnoticed.

use std::fmt::Write as _;

use quadrille_model::Verdict;

use crate::outcome::{bound_advice, bound_phrase, runs_phrase};
use crate::text::clean;
use crate::xml::escape;
use crate::{Outcome, Suite, story_text};

/// The suites, with one test case per test.
pub fn junit(suites: &[Suite]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&Outcome> = suites.iter().flat_map(|suite| &suite.outcomes).collect();
    let _ = writeln!(xml, "<testsuites name=\"quadrille\" {}>", totals(&all));
    for suite in suites {
        let name = escape(&clean(&suite.name()));
        let tests: Vec<&Outcome> = suite.outcomes.iter().collect();
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" {}>", totals(&tests));
        for test in tests {
            case(&mut xml, &name, test);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn totals(tests: &[&Outcome]) -> String {
    let is_unknown = |test: &&&Outcome| matches!(test.answer.verdict, Verdict::Unknown(_));
    let errors = tests.iter().filter(is_unknown).count();
    let failures = tests.iter().filter(|test| !test.answer.passed()).count() - errors;
    let seconds: f64 = tests.iter().map(|test| test.answer.seconds).sum();
    let n_tests = tests.len();
    format!("tests=\"{n_tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\"")
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
