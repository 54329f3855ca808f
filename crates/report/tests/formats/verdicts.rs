//! Verdicts as JSON and JUnit XML, and traces read back.

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_model::{Bound, Counts, Expected, Runs, Verdict};
use quadrille_query::{Form, Unused};
use quadrille_report::{
    CheckDocument, Outcome, StatesDocument, Suite, TestDocument, junit, read_story, story_json,
};

use crate::fixture::{answer, story};

const COUNTS: Counts =
    Counts { states: 3, transitions: 4, deadlocks: 1, depth: Some(2), bytes: 40 };

fn outcomes() -> Vec<Outcome> {
    let outcome = |property: &str, verdict, runs| Outcome {
        answer: answer(property, verdict, runs, COUNTS),
        story: None,
    };
    let mut violated = outcome("G !\"bad\"", Verdict::Violated(None), Some(Runs::Maximal));
    violated.story = Some(story("A\nA: go | x=1\nloop\nA: back & forth"));
    vec![
        outcome("no deadlock", Verdict::Holds, None),
        violated,
        outcome("F done", Verdict::Unknown(Bound::States(3)), Some(Runs::Infinite)),
    ]
}

#[track_caller]
fn check_unreadable(text: &str, expected: &Expect) {
    let mut sources = Sources::default();
    let source = sources.add("t.json", text);
    let diagnostic = read_story(source, text).expect_err("a diagnostic");
    expected.assert_eq(&render(&diagnostic, &sources, Style::Plain));
}

#[test]
fn a_check_as_json() {
    let sources = Sources::default();
    let document =
        CheckDocument::new("m.net", "violated", &outcomes(), &Unused::default(), &[], &sources);
    expect![[r#"
        {
          "schema": "quadrille/1",
          "file": "m.net",
          "verdict": "violated",
          "findings": [
            {
              "property": "no deadlock",
              "verdict": "holds",
              "expected": "holds",
              "passed": true,
              "bound": null,
              "states": 3,
              "transitions": 4,
              "bytes": 40,
              "product": null,
              "seconds": 0.25,
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
                "states": null,
                "bytes": null
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": null
            },
            {
              "property": "G !\"bad\"",
              "verdict": "violated",
              "expected": "holds",
              "passed": false,
              "bound": null,
              "states": 3,
              "transitions": 4,
              "bytes": 40,
              "product": null,
              "seconds": 0.25,
              "runs": "maximal",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
                "states": null,
                "bytes": null
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": {
                "property": "G !\"bad\"",
                "participants": [
                  "A"
                ],
                "initial": {
                  "x": 0
                },
                "steps": [
                  {
                    "action": "go",
                    "shape": {
                      "kind": "joint",
                      "participants": [
                        "A"
                      ]
                    },
                    "changes": {
                      "x": 1
                    }
                  },
                  {
                    "action": "back & forth",
                    "shape": {
                      "kind": "joint",
                      "participants": [
                        "A"
                      ]
                    },
                    "changes": {}
                  }
                ],
                "ending": {
                  "kind": "loop",
                  "from": 1
                }
              }
            },
            {
              "property": "F done",
              "verdict": "unknown",
              "expected": "holds",
              "passed": false,
              "bound": {
                "kind": "states",
                "limit": 3,
                "message": "the bound of 3 states was reached"
              },
              "states": 3,
              "transitions": 4,
              "bytes": 40,
              "product": null,
              "seconds": 0.25,
              "runs": "infinite",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
                "states": null,
                "bytes": null
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": null
            }
          ],
          "never": {
            "taken": [],
            "lines": [],
            "reached": [],
            "statements": []
          }
        }
    "#]]
    .assert_eq(&document.to_json());
}

#[test]
fn counts_as_json() {
    let document = StatesDocument::new("m.net", (&COUNTS, None), Some(Bound::Time(1500)), 1.5, &[]);
    expect![[r#"
        {
          "schema": "quadrille/1",
          "file": "m.net",
          "complete": false,
          "bound": {
            "kind": "time",
            "limit": 1500,
            "message": "the time bound of 1.5 s was reached"
          },
          "states": 3,
          "transitions": 4,
          "deadlocks": 1,
          "depth": 2,
          "bytes": 40,
          "bytes_per_state": 13.33,
          "seconds": 1.5
        }
    "#]]
    .assert_eq(&document.to_json());
}

#[test]
fn a_check_as_junit() {
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="quadrille" tests="3" failures="1" errors="1" time="0.750">
          <testsuite name="m.net" tests="3" failures="1" errors="1" time="0.750">
            <testcase name="no deadlock" classname="m.net" time="0.250"/>
            <testcase name="G !&quot;bad&quot;" classname="m.net" time="0.250">
              <failure message="violated (maximal runs, no fairness): G !&quot;bad&quot;">property: G !&quot;bad&quot;

               start          x: 0
          1    go             x: 0 → 1
             ┌─ this step repeats for ever
          2  │ back &amp; forth
             └─ back to the state before step 2
        </failure>
            </testcase>
            <testcase name="F done" classname="m.net" time="0.250">
              <error message="unknown (infinite runs, no fairness): the bound of 3 states was reached; raise --max-states, or check a smaller instance"/>
            </testcase>
          </testsuite>
        </testsuites>
    "#]].assert_eq(&junit(&[Suite { file: "m.net".to_owned(), outcomes: outcomes(), ..Suite::default() }], &[]));
}

/// Outcomes of which the first is unexpected and the second expected.
fn suite() -> Suite {
    let mut outcomes = outcomes();
    for outcome in &mut outcomes {
        outcome.answer.expected = Expected::Violated;
    }
    Suite {
        scope: None,
        file: "m.dcj".to_owned(),
        protocol: Some("ring".to_owned()),
        arguments: vec!["4".to_owned(), "0".to_owned()],
        form: Form::Liberal,
        outcomes,
        unused: Unused::default(),
    }
}

#[test]
fn tests_with_expectations_as_junit() {
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="quadrille" tests="3" failures="1" errors="1" time="0.750">
          <testsuite name="m.dcj ring(4, 0), liberal" tests="3" failures="1" errors="1" time="0.750">
            <testcase name="no deadlock" classname="m.dcj ring(4, 0), liberal" time="0.250">
              <failure message="holds, expected violated: no deadlock"/>
            </testcase>
            <testcase name="G !&quot;bad&quot;" classname="m.dcj ring(4, 0), liberal" time="0.250"/>
            <testcase name="F done" classname="m.dcj ring(4, 0), liberal" time="0.250">
              <error message="unknown (infinite runs, no fairness): the bound of 3 states was reached; raise --max-states, or check a smaller instance"/>
            </testcase>
          </testsuite>
        </testsuites>
    "#]].assert_eq(&junit(&[suite()], &[]));
}

#[test]
fn tests_as_json() {
    let text = TestDocument::new(&[suite()], &Sources::default()).to_json();
    // Traces are shown elsewhere.
    let heads: Vec<&str> = text.lines().filter(|line| !line.starts_with("        ")).collect();
    expect![[r#"
        {
          "schema": "quadrille/1",
          "passed": 1,
          "failed": 2,
          "tests": [
            {
              "file": "m.dcj",
              "protocol": "ring",
              "arguments": [
              ],
              "property": "no deadlock",
              "verdict": "holds",
              "expected": "violated",
              "passed": false,
              "bound": null,
              "states": 3,
              "transitions": 4,
              "bytes": 40,
              "product": null,
              "seconds": 0.25,
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": null
            },
            {
              "file": "m.dcj",
              "protocol": "ring",
              "arguments": [
              ],
              "property": "G !\"bad\"",
              "verdict": "violated",
              "expected": "violated",
              "passed": true,
              "bound": null,
              "states": 3,
              "transitions": 4,
              "bytes": 40,
              "product": null,
              "seconds": 0.25,
              "runs": "maximal",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": {
              }
            },
            {
              "file": "m.dcj",
              "protocol": "ring",
              "arguments": [
              ],
              "property": "F done",
              "verdict": "unknown",
              "expected": "violated",
              "passed": false,
              "bound": {
              },
              "states": 3,
              "transitions": 4,
              "bytes": 40,
              "product": null,
              "seconds": 0.25,
              "runs": "infinite",
              "fairness": "no fairness",
              "reduction": null,
              "limits": {
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": null
            }
          ],
          "never": [
            {
              "taken": [],
              "lines": [],
              "reached": [],
              "statements": []
            }
          ]
        }"#]]
    .assert_eq(&heads.join("\n"));
}

#[test]
fn a_trace_is_found_in_a_check_too() {
    let mut sources = Sources::default();
    let text =
        CheckDocument::new("m.net", "violated", &outcomes(), &Unused::default(), &[], &sources)
            .to_json();
    let source = sources.add("t.json", text.as_str());
    assert_eq!(Some(read_story(source, &text).expect("a story")), outcomes()[1].story);
}

#[test]
fn what_is_not_a_trace_is_refused_with_its_place() {
    check_unreadable(
        "",
        &expect![[r#"
        error[R001]: not a trace: EOF while parsing a value
         --> t.json:1:1
          |
        1 |
          | ^
          |
          = help: `quadrille check … --trace-out FILE.json` writes traces that can be replayed
    "#]],
    );
    check_unreadable(
        "{\n  \"schema\": 3}",
        &expect![[r#"
        error[R001]: not a trace: invalid type: integer `3`, expected a string
         --> t.json:2:13
          |
        2 |   "schema": 3}
          |             ^
          |
          = help: `quadrille check … --trace-out FILE.json` writes traces that can be replayed
    "#]],
    );
    check_unreadable(
        "{\"schema\": \"quadrille/7\"}",
        &expect![[r#"
        error[R002]: the trace has schema `quadrille/7`, not `quadrille/1`
         --> t.json:1:1
          |
        1 | {"schema": "quadrille/7"}
          | ^
    "#]],
    );
    check_unreadable(
        "{\"schema\": \"quadrille/1\"}",
        &expect![[r#"
        error[R001]: there is no trace in this document
         --> t.json:1:1
          |
        1 | {"schema": "quadrille/1"}
          | ^
          |
          = help: `quadrille check … --trace-out FILE.json` writes traces that can be replayed
    "#]],
    );
    check_unreadable(
        &"[".repeat(1_000_000),
        &expect![[r#"
            error[R001]: not a trace: invalid type: sequence, expected a string
             --> t.json:1:1
              |
            1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
              | ^
              |
              = help: `quadrille check … --trace-out FILE.json` writes traces that can be replayed
        "#]],
    );
    let mut tale = story("A\nA: go\nloop\nA: on");
    tale.ending = quadrille_report::StoryEnding::Loop { from: 2 };
    check_unreadable(
        &story_json(&tale),
        &expect![[r#"
        error[R001]: the loop starts at step 2, which does not exist
         --> t.json:1:1
          |
        1 | {
          | ^
          |
          = help: `quadrille check … --trace-out FILE.json` writes traces that can be replayed
    "#]],
    );
}
