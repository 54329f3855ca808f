//! Designs of relations and events, as the command answers them.

use std::path::Path;

use expect_test::expect;

use crate::folder::Folder;

const LAMPS: &str = "enum Light { Red, Green }
sig Lamp { var shows : one Light }
event change[l : Lamp] { l.shows = Red  l.shows' = Green }
init { Lamp.shows = Red } for 1 Lamp
run green { eventually Lamp.shows = Green }
run two { eventually #shows.Green = 2 } for 2 Lamp
run three { eventually #shows.Green = 3 } expect 0
check red { always some shows.Red -- in every state
} for 2 Lamp expect 1
check no deadlock expect 1
check no deadlock for 2 Lamp expect 1
";

fn lamps() -> Folder {
    Folder::new([("lamps.qev", LAMPS.as_bytes())])
}

#[test]
fn commands_are_asked_in_their_own_scopes_and_runs_are_found() {
    lamps().check(&["check", "lamps.qev"], &expect![[r#"
        exit 0
        --- stdout
        found: green  (2 states, 1 transition; maximal runs, no fairness, no reduction, no bounds)

             start            Lamp$1.shows: Red
          1  change[Lamp$1]   Lamp$1.shows: Red → Green

          replay: quadrille check lamps.qev --command green --property green --trace-out trace.json
                  quadrille replay lamps.qev trace.json

        none found as expected: three  (2 states, 1 transition; maximal runs, no fairness, no reduction, no bounds)
        deadlock as expected: after 1 step, for 1 Lamp  (2 states, 1 transition; no reduction, no bounds)

             start            Lamp$1.shows: Red
          1  change[Lamp$1]   Lamp$1.shows: Red → Green
          stuck: no step is possible, and the system may not end here

          replay: quadrille check lamps.qev --command green --trace-out trace.json
                  quadrille replay lamps.qev trace.json

        found: two  (4 states, 4 transitions; maximal runs, no fairness, no reduction, no bounds)

             start            Lamp$1.shows: Red   Lamp$2.shows: Red
          1  change[Lamp$1]   Lamp$1.shows: Red → Green
          2  change[Lamp$2]   Lamp$2.shows: Red → Green

          replay: quadrille check lamps.qev --command two --property two --trace-out trace.json
                  quadrille replay lamps.qev trace.json

        violated as expected: red  (4 states, 4 transitions; maximal runs, no fairness, no reduction, no bounds)

             start            Lamp$1.shows: Red   Lamp$2.shows: Red
          1  change[Lamp$1]   Lamp$1.shows: Red → Green
          2  change[Lamp$2]   Lamp$2.shows: Red → Green

          replay: quadrille check lamps.qev --command two --property red --trace-out trace.json
                  quadrille replay lamps.qev trace.json

        deadlock as expected: after 2 steps, for 2 Lamp  (4 states, 4 transitions; no reduction, no bounds)

             start            Lamp$1.shows: Red   Lamp$2.shows: Red
          1  change[Lamp$1]   Lamp$1.shows: Red → Green
          2  change[Lamp$2]   Lamp$2.shows: Red → Green
          stuck: no step is possible, and the system may not end here

          replay: quadrille check lamps.qev --command two --trace-out trace.json
                  quadrille replay lamps.qev trace.json

        6 checks: 6 passed
    "#]]);
    lamps().check(
        &["test", "lamps.qev"],
        &expect![[r#"
        exit 0
        --- stdout
        lamps.qev for 1 Lamp
          pass green: found (maximal runs, no fairness)
          pass three: none found (maximal runs, no fairness)
          pass deadlock, as expected
        lamps.qev for 2 Lamp
          pass two: found (maximal runs, no fairness)
          pass red: violated (maximal runs, no fairness)
          pass deadlock, as expected
        6 passed, 0 failed
    "#]],
    );
}

#[test]
fn a_run_that_is_not_there_is_a_failure() {
    let text = LAMPS.replace("for 2 Lamp\nrun three", "\nrun three");
    let folder = Folder::new([("lamps.qev", text.as_bytes())]);
    folder.check(&["check", "lamps.qev", "--property", "two"], &expect![[r#"
        exit 1
        --- stdout
        none found: two  (2 states, 1 transition; maximal runs, no fairness, no reduction, no bounds)
        deadlock as expected: after 1 step  (2 states, 1 transition; no reduction, no bounds)

             start            Lamp$1.shows: Red
          1  change[Lamp$1]   Lamp$1.shows: Red → Green
          stuck: no step is possible, and the system may not end here

          replay: quadrille check lamps.qev --command green --trace-out trace.json
                  quadrille replay lamps.qev trace.json

        2 checks: 1 failed, 1 passed
    "#]]);
    folder.check(
        &["test", "lamps.qev"],
        &expect![[r#"
        exit 1
        --- stdout
        lamps.qev for 1 Lamp
          pass green: found (maximal runs, no fairness)
          FAIL two: none found, expected found (maximal runs, no fairness)
          again: quadrille check lamps.qev --command green --property two

          pass three: none found (maximal runs, no fairness)
          pass deadlock, as expected
        lamps.qev for 2 Lamp
          pass red: violated (maximal runs, no fairness)
          pass deadlock, as expected
        5 passed, 1 failed
    "#]],
    );
}

#[test]
fn strict_wants_runs_to_be_found_and_checks_to_hold() {
    let folder = lamps();
    let strict = |name: &str| {
        let words = ["check", "lamps.qev", "--strict", "--allow-deadlock", "--property", name];
        folder.run(&words).status.code()
    };
    assert_eq!([strict("green"), strict("three"), strict("red")], [Some(0), Some(1), Some(1)]);
}

#[test]
fn json_and_traces_name_the_formula_and_the_scope() {
    let folder = lamps();
    let words = ["check", "lamps.qev", "--property", "two", "--allow-deadlock"];
    let output = folder.run(&[&words[..], &["--format", "json", "--trace-out", "t.json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "\"verdict\": \"found\"",
        "\"expected\": \"found\"",
        "\"passed\": true",
        "\"property\": \"two: eventually #shows.Green = 2\"",
        "\"--command\",",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The trace records its scope.
    folder.check(
        &["replay", "lamps.qev", "t.json"],
        &expect![[r#"
        exit 0
        --- stdout
        fits: the model performs all 2 steps and ends as told
        property: two: eventually #shows.Green = 2

             start            Lamp$1.shows: Red   Lamp$2.shows: Red
          1  change[Lamp$1]   Lamp$1.shows: Red → Green
          2  change[Lamp$2]   Lamp$2.shows: Red → Green
    "#]],
    );
}

#[test]
fn one_scope_is_explored_where_one_model_is_wanted() {
    let folder = lamps();
    folder.check(
        &["states", "lamps.qev", "--command", "two"],
        &expect![[r#"
        exit 0
        --- stdout
        states           4
        transitions      4
        deadlocks        1
        depth            2
        memory           416 B
        bytes per state  104.0
        seconds          …
    "#]],
    );
    folder.check(
        &["states", "lamps.qev", "--command", "tow"],
        &expect![[r#"
        exit 2
        --- stderr
        error[E003]: the design has no command `tow`
         |
         = help: did you mean `two`?
        see `quadrille explain E003`
    "#]],
    );
    folder.check(
        &["states", "lamps.qev"],
        &expect![[r#"
        exit 0
        --- stdout
        states           2
        transitions      1
        deadlocks        1
        depth            1
        memory           416 B
        bytes per state  208.0
        seconds          …
        --- stderr
        warning[E012]: the design is explored in the scope of its first command
         --> lamps.qev:6:41
          |
        6 | run two { eventually #shows.Green = 2 } for 2 Lamp
          |                                         ^^^^^^^^^^ another scope
          |
          = help: name a command with --command; `check` and `test` ask all of them
        see `quadrille explain E012`
    "#]],
    );
    let net = Folder::with_examples();
    net.check(
        &["states", "philosophers.net", "--command", "two"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `philosophers.net` is no design
         |
         = help: --command is for .qev files
        see `quadrille explain Q012`
    "#]],
    );
}

#[test]
fn propositions_are_shown_as_they_are_written() {
    let text = "enum Phase { Idle, Busy }
sig Worker { var phase : one Phase, var seen : set Worker }
event work[w : Worker] { w.phase = Idle  w.phase' = Busy  w.seen' = w.seen + w }
init { Worker.phase = Idle  no seen } for 2 Worker, 0..3 Int
check a { always (all v, w : Worker | v.phase = Busy implies after (w in v.^seen or #seen > 1)) }
check b { always (some w : Worker | not (w.phase = Idle and no w.seen - w) or lone Worker -> w) }
";
    let folder = Folder::new([("work.qev", text.as_bytes())]);
    folder.check(&["check", "work.qev", "--formula", "G x"], &expect![[r#"
        exit 2
        --- stderr
        error[Q007]: the model has no proposition `x`
         --> formula 1:1:3
          |
        1 | G x
          |   ^
          |
          = help: its propositions are Worker$1.phase = Busy, Worker$1 in Worker$1.^seen or #seen > 1, Worker$1.phase = Busy, Worker$2 in Worker$1.^seen or #seen > 1, Worker$2.phase = Busy, Worker$1 in Worker$2.^seen or #seen > 1, Worker$2.phase = Busy, Worker$2 in Worker$2.^seen or #seen > 1, some w : Worker | not (w.phase = Idle and no w.seen - w) or lone Worker -> w
        see `quadrille explain Q007`
    "#]]);
}

/// The examples with how many states and transitions they have.
const EXAMPLES: [(&str, u64, u64); 10] = [
    ("alternating-bit", 66, 143),
    ("hotel", 195, 276),
    ("msi", 11, 66),
    ("paxos", 964, 3587),
    ("philosophers", 14, 27),
    ("raft", 1005, 1839),
    ("readers-writers", 11, 30),
    ("ring", 55, 102),
    ("token-ring", 36, 84),
    ("two-phase-commit", 288, 761),
];

#[test]
fn designs_of_the_examples_have_their_verdicts_and_sizes() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/designs");
    let n_files = std::fs::read_dir(&examples).expect("examples").count();
    assert_eq!(n_files, EXAMPLES.len(), "every example is listed");
    let files = Folder::new([]);
    for (name, states, transitions) in EXAMPLES {
        let path = examples.join(format!("{name}.qev")).display().to_string();
        let output = files.run(&["test", &path]);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{name}: {shown}");
        // Each has something that holds and something that does not, and a run.
        for word in [": holds", ": violated", ": found"] {
            assert!(shown.contains(word), "{name}: no {word}: {shown}");
        }
        let output = files.run(&["states", &path]);
        let counted = String::from_utf8_lossy(&output.stdout).into_owned();
        let number = |what: &str| -> Option<u64> {
            let line = counted.lines().find(|line| line.starts_with(what))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let found = (number("states"), number("transitions"));
        assert_eq!(found, (Some(states), Some(transitions)), "{name}");
    }
}
