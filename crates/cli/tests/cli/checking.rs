//! `check` and `states` on the examples.

use expect_test::expect;

use crate::folder::Folder;

#[test]
fn without_a_formula_deadlock_is_checked() {
    Folder::with_examples().check(&["check", "philosophers.net"], &expect![[r#"
        exit 1
        --- stdout
        deadlock: after 3 steps  (14 states, 26 transitions; no reduction, no bounds)

             start        Hume: thinking   Kant: thinking   Plato: thinking   Fork1: free   Fork2: free
                          Fork3: free
          1  hume.left    Hume: thinking → hungry   Fork1: free → taken
          2  kant.left    Kant: thinking → hungry   Fork2: free → taken
          3  plato.left   Plato: thinking → hungry   Fork3: free → taken
          stuck: no step is possible, and the system may not end here
            Hume waits for hume.right: Fork2 is taken, not free
            Kant waits for kant.right: Fork3 is taken, not free
            Plato waits for plato.right: Fork1 is taken, not free

          replay: quadrille check philosophers.net --trace-out trace.json
                  quadrille replay philosophers.net trace.json

    "#]]);
    Folder::with_examples().check(
        &["check", "door.aut"],
        &expect![[r#"
            exit 0
            --- stdout
            holds: no deadlock  (4 states, 6 transitions; no reduction, no bounds)
        "#]],
    );
}

#[test]
fn formulas_are_answered_one_by_one() {
    Folder::with_examples().check(
        &[
            "check",
            "mailbox.net",
            "--formula",
            "G !crowded",
            "--formula",
            "G (waiting -> F (\"thanks\" | \"late\"))",
        ],
        &expect![[r#"
            exit 1
            --- stdout
            violated: G !crowded  (11 states, 16 transitions; maximal runs, no fairness, no reduction, no bounds)

                 start    Client: idle   Server: ready   requests: []   answers: []
              1  ask      Client: idle → waiting   requests: [] → [ask]
              2  cancel   Client: waiting → annoyed   requests: [ask] → [ask cancel]

              replay: quadrille check mailbox.net --formula 'G !crowded' --trace-out trace.json
                      quadrille replay mailbox.net trace.json

            violated: G (waiting -> F ("thanks" | "late"))  (11 states, 16 transitions; maximal runs, no fairness, no reduction, no bounds)

                 start     Client: idle   Server: ready   requests: []   answers: []
              1  ask       Client: idle → waiting   requests: [] → [ask]
              2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
              3  take      Server: ready → working   requests: [ask cancel] → [cancel]
              4  abandon   Server: working → ready   requests: [cancel] → []
              stuck: no step is possible, and the system may not end here
                Client waits for late: answers is []
                Server waits for take: requests is []
                Server waits for drop: requests is []

              replay: quadrille check mailbox.net --formula 'G (waiting -> F ("thanks" | "late"))' --trace-out trace.json
                      quadrille replay mailbox.net trace.json

            deadlock: after 4 steps  (11 states, 16 transitions; no reduction, no bounds)

                 start     Client: idle   Server: ready   requests: []   answers: []
              1  ask       Client: idle → waiting   requests: [] → [ask]
              2  cancel    Client: waiting → annoyed   requests: [ask] → [ask cancel]
              3  take      Server: ready → working   requests: [ask cancel] → [cancel]
              4  abandon   Server: working → ready   requests: [cancel] → []
              stuck: no step is possible, and the system may not end here
                Client waits for late: answers is []
                Server waits for take: requests is []
                Server waits for drop: requests is []

              replay: quadrille check mailbox.net --trace-out trace.json
                      quadrille replay mailbox.net trace.json

            never reached: requests [?], requests [ask], requests [ask ask], requests [? ask], requests [cancel], requests [cancel cancel], requests [? cancel], requests [?], requests [ask ?], requests [cancel ?], requests [? ?]
            3 checks: 3 failed
        "#]],
    );
}

#[test]
fn a_deadlock_beside_formulas_counts_unless_it_is_allowed() {
    let folder = Folder::with_examples();
    let holds = ["check", "philosophers.net", "--formula", "G !feast"];
    folder.check(&holds, &expect![[r#"
        exit 1
        --- stdout
        holds: G !feast  (14 states, 27 transitions; maximal runs, no fairness, no reduction, no bounds)
        deadlock: after 3 steps  (14 states, 27 transitions; no reduction, no bounds)

             start        Hume: thinking   Kant: thinking   Plato: thinking   Fork1: free   Fork2: free
                          Fork3: free
          1  hume.left    Hume: thinking → hungry   Fork1: free → taken
          2  kant.left    Kant: thinking → hungry   Fork2: free → taken
          3  plato.left   Plato: thinking → hungry   Fork3: free → taken
          stuck: no step is possible, and the system may not end here
            Hume waits for hume.right: Fork2 is taken, not free
            Kant waits for kant.right: Fork3 is taken, not free
            Plato waits for plato.right: Fork1 is taken, not free

          replay: quadrille check philosophers.net --trace-out trace.json
                  quadrille replay philosophers.net trace.json

        2 checks: 1 failed, 1 passed
    "#]]);
    folder.check(&[&holds[..], &["--allow-deadlock"]].concat(), &expect![[r#"
        exit 0
        --- stdout
        holds: G !feast  (14 states, 27 transitions; maximal runs, no fairness, no reduction, no bounds)
    "#]]);
}

#[test]
fn runs_and_fairness_change_the_answer() {
    let folder = Folder::with_examples();
    let formula = ["check", "door.aut", "--formula", "G F \"open\""];
    folder.check(
        &formula,
        &expect![[r#"
            exit 1
            --- stdout
            violated: G F "open"  (4 states, 6 transitions; maximal runs, no fairness, no reduction, no bounds)

                   start    state: 0
                 ┌─ these steps repeat for ever
              1  │ lock     state: 0 → 2
              2  │ unlock   state: 2 → 0
                 └─ back to the state before step 1

              replay: quadrille check door.aut --formula 'G F "open"' --trace-out trace.json
                      quadrille replay door.aut trace.json

            holds: no deadlock  (4 states, 6 transitions; no reduction, no bounds)
            2 checks: 1 failed, 1 passed
        "#]],
    );
    let fair = ["--fair", "strong=open", "--fair", "strong=unlock", "--fair", "strong=close"];
    folder.check(
        &[&formula[..], &fair].concat(),
        &expect![[r#"
            exit 0
            --- stdout
            holds: G F "open"  (4 states, 6 transitions; maximal runs, strong fairness of open, unlock, close, no reduction, no bounds)
            holds: no deadlock  (4 states, 6 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
    folder.check(
        &[&formula[..], &["--runs", "finite"]].concat(),
        &expect![[r#"
            exit 0
            --- stdout
            holds: G F "open"  (4 states, 6 transitions; finite runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (4 states, 6 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
}

#[test]
fn branching_time_is_recognised_by_its_operators() {
    let folder = Folder::with_examples();
    folder.check(
        &["check", "door.aut", "--formula", "AG EF \"open\""],
        &expect![[r#"
            exit 0
            --- stdout
            holds: AG EF "open"  (4 states, 6 transitions; no reduction, no bounds)
            holds: no deadlock  (4 states, 6 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
    let formulas =
        ["--formula", "AG !feast", "--formula", "AG EF plato_eats", "--formula", "EF feast"];
    folder.check(&[&["check", "philosophers.net"][..], &formulas].concat(), &expect![[r#"
        exit 1
        --- stdout
        holds: AG !feast  (14 states, 27 transitions; no reduction, no bounds)
        violated: AG EF plato_eats  (14 states, 27 transitions; no reduction, no bounds)

             start        Hume: thinking   Kant: thinking   Plato: thinking   Fork1: free   Fork2: free
                          Fork3: free
          1  hume.left    Hume: thinking → hungry   Fork1: free → taken
          2  kant.left    Kant: thinking → hungry   Fork2: free → taken
          3  plato.left   Plato: thinking → hungry   Fork3: free → taken

          replay: quadrille check philosophers.net --formula 'AG EF plato_eats' --trace-out trace.json
                  quadrille replay philosophers.net trace.json

        violated: EF feast  (14 states, 27 transitions; no reduction, no bounds)
          no single run shows it: the formula asks for the existence of runs
          replay: quadrille check philosophers.net --formula 'EF feast'

        deadlock: after 3 steps  (14 states, 27 transitions; no reduction, no bounds)

             start        Hume: thinking   Kant: thinking   Plato: thinking   Fork1: free   Fork2: free
                          Fork3: free
          1  hume.left    Hume: thinking → hungry   Fork1: free → taken
          2  kant.left    Kant: thinking → hungry   Fork2: free → taken
          3  plato.left   Plato: thinking → hungry   Fork3: free → taken
          stuck: no step is possible, and the system may not end here
            Hume waits for hume.right: Fork2 is taken, not free
            Kant waits for kant.right: Fork3 is taken, not free
            Plato waits for plato.right: Fork1 is taken, not free

          replay: quadrille check philosophers.net --trace-out trace.json
                  quadrille replay philosophers.net trace.json

        4 checks: 3 failed, 1 passed
    "#]]);
    let bounded = ["check", "philosophers.net", "--formula", "EF feast", "--max-states", "3"];
    folder.check(
        &bounded,
        &expect![[r#"
            exit 3
            --- stdout
            unknown: EF feast  (3 states, 0 transitions; no reduction, at most 3 states)
              the bound of 3 states was reached; raise --max-states, or check a smaller instance
            unknown: no deadlock  (3 states, 0 transitions; no reduction, at most 3 states)
              the bound of 3 states was reached; raise --max-states, or check a smaller instance
            2 checks: 2 unknown
        "#]],
    );
}

#[test]
fn both_algorithms_and_orders_agree() {
    let folder = Folder::with_examples();
    for formula in ["G F \"open\"", "G (\"kick\" -> F \"repair\")", "F \"lock\""] {
        let verdict = |algorithm| {
            let options = ["check", "door.aut", "--formula", formula, "--algorithm", algorithm];
            folder.run(&options).status.code()
        };
        assert_eq!(verdict("scc"), verdict("ndfs"), "{formula}");
    }
    for order in ["bfs", "dfs"] {
        let output = folder.run(&["states", "mailbox.net", "--order", order, "--format", "json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("\"states\": 11,\n  \"transitions\": 16,\n  \"deadlocks\": 1,"),
            "{text}"
        );
    }
}

/// `G p` is searched for in the model alone, `!F !p` in its product with an automaton.
#[test]
fn invariants_are_answered_like_any_formula() {
    let folder = Folder::with_examples();
    let bodies = [
        "!crowded",
        "waiting",
        "!waiting",
        "(waiting | !crowded)",
        "true",
        "false",
        "!\"late\"",
        "\"ask\"",
        "(\"ask\" -> !\"late\")",
        "(\"late\" -> waiting)",
        "(\"ask\" <-> \"take\")",
    ];
    for body in bodies {
        let verdict = |formula: String| {
            let output = folder.run(&["check", "mailbox.net", "--formula", &formula]);
            output.status.code()
        };
        let [direct, by_product] = [format!("G {body}"), format!("!F !{body}")].map(verdict);
        assert!(direct == Some(0) || direct == Some(1), "{body}: {direct:?}");
        assert_eq!(direct, by_product, "{body}");
    }
}

#[test]
fn formulas_come_from_files_too() {
    let folder = Folder::with_examples();
    let file = "// never both\nG !feast\n\n// the last word\n// is Plato's\nF\n  plato_eats\n";
    std::fs::write(folder.path().join("wishes"), file).expect("a file");
    folder.check(&["check", "philosophers.net", "--formula-file", "wishes"], &expect![[r#"
        exit 1
        --- stdout
        holds: G !feast  (14 states, 27 transitions; maximal runs, no fairness, no reduction, no bounds)
        violated: F plato_eats  (14 states, 27 transitions; maximal runs, no fairness, no reduction, no bounds)

             start   Hume: thinking   Kant: thinking   Plato: thinking   Fork1: free   Fork2: free
                     Fork3: free
          finished: the system may stop here, and nothing more need happen

          replay: quadrille check philosophers.net --formula 'F plato_eats' --trace-out trace.json
                  quadrille replay philosophers.net trace.json

        deadlock: after 3 steps  (14 states, 27 transitions; no reduction, no bounds)

             start        Hume: thinking   Kant: thinking   Plato: thinking   Fork1: free   Fork2: free
                          Fork3: free
          1  hume.left    Hume: thinking → hungry   Fork1: free → taken
          2  kant.left    Kant: thinking → hungry   Fork2: free → taken
          3  plato.left   Plato: thinking → hungry   Fork3: free → taken
          stuck: no step is possible, and the system may not end here
            Hume waits for hume.right: Fork2 is taken, not free
            Kant waits for kant.right: Fork3 is taken, not free
            Plato waits for plato.right: Fork1 is taken, not free

          replay: quadrille check philosophers.net --trace-out trace.json
                  quadrille replay philosophers.net trace.json

        3 checks: 2 failed, 1 passed
    "#]]);
}

#[test]
fn bounds_give_unknown_and_advice() {
    let folder = Folder::with_examples();
    folder.check(
        &["states", "philosophers.net", "--max-states", "5"],
        &expect![[r#"
            exit 3
            --- stdout
            unknown: the bound of 5 states was reached; raise --max-states, or check a smaller instance
            what was counted until then:
            states           5
            transitions      3
            deadlocks        0
            depth            1
            memory           448 B
            bytes per state  89.6
            seconds          …
        "#]],
    );
    folder.check(
        &["check", "philosophers.net", "--max-states", "5"],
        &expect![[r#"
            exit 3
            --- stdout
            unknown: no deadlock  (5 states, 3 transitions; no reduction, at most 5 states)
              the bound of 5 states was reached; raise --max-states, or check a smaller instance
        "#]],
    );
    // What is violated within the bound is certain.
    folder.check(
        &[
            "check",
            "mailbox.net",
            "--formula",
            "G !waiting",
            "--formula",
            "G !\"late\"",
            "--max-states",
            "4",
        ],
        &expect![[r#"
            exit 1
            --- stdout
            violated: G !waiting  (4 states, 3 transitions; maximal runs, no fairness, no reduction, at most 4 states)

                 start   Client: idle   Server: ready   requests: []   answers: []
              1  ask     Client: idle → waiting   requests: [] → [ask]

              replay: quadrille check mailbox.net --formula 'G !waiting' --trace-out trace.json
                      quadrille replay mailbox.net trace.json

            unknown: G !"late"  (4 states, 3 transitions; maximal runs, no fairness, no reduction, at most 4 states)
              the bound of 4 states was reached; raise --max-states, or check a smaller instance
            unknown: no deadlock  (4 states, 3 transitions; no reduction, at most 4 states)
              the bound of 4 states was reached; raise --max-states, or check a smaller instance
            3 checks: 1 failed, 2 unknown
        "#]],
    );
}
