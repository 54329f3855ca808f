//! Verdicts as JUnit XML, which every CI system shows. A violation is a failure, an unknown verdict
//! an error: neither may pass unnoticed.

use std::fmt::Write as _;

use quadrille_model::Verdict;

use crate::outcome::{bound_advice, bound_phrase, runs_word, verdict_word};
use crate::text::clean;
use crate::xml::escape;
use crate::{Outcome, story_text};

/// One test suite named `suite` with one test case per outcome.
pub fn junit(suite: &str, outcomes: &[Outcome]) -> String {
    let count = |word| outcomes.iter().filter(|o| verdict_word(&o.finding.verdict) == word).count();
    let (tests, failures, errors) = (outcomes.len(), count("violated"), count("unknown"));
    let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    let suite = escape(&clean(suite));
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let totals = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\""
    );
    let _ = writeln!(xml, "<testsuites name=\"quadrille\" {totals}>");
    let _ = writeln!(xml, "  <testsuite name=\"{suite}\" {totals}>");
    for outcome in outcomes {
        case(&mut xml, &suite, outcome);
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn case(xml: &mut String, suite: &str, outcome: &Outcome) {
    let finding = &outcome.finding;
    let property = escape(&clean(&finding.property));
    let _ = write!(
        xml,
        "    <testcase name=\"{property}\" classname=\"{suite}\" time=\"{:.3}\"",
        outcome.seconds
    );
    let runs = finding.runs.map(|runs| format!(" ({} runs)", runs_word(runs))).unwrap_or_default();
    match &finding.verdict {
        Verdict::Holds => xml.push_str("/>\n"),
        Verdict::Violated(_) => {
            let trace = outcome.story.as_ref().map(story_text).unwrap_or_default();
            let trace = escape(&trace);
            let _ = writeln!(
                xml,
                ">\n      <failure message=\"violated{runs}: {property}\">{trace}</failure>\n    </testcase>"
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
