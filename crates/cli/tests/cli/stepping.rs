//! `quadrille step`: sessions from a pipe, for every language.

use std::io::Write as _;
use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::folder::{Folder, shown};

/// Runs a session and shows everything it printed.
fn session(folder: &Folder, arguments: &[&str], lines: &[&str]) -> String {
    let words = [&["step"], arguments].concat();
    let mut command = folder.command(&words);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("it starts");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    child.stdin.take().expect("stdin").write_all(text.as_bytes()).expect("it reads");
    shown(&child.wait_with_output().expect("it ends"))
}

#[track_caller]
fn check(file: (&str, &str), arguments: &[&str], lines: &[&str], expected: &Expect) {
    let folder = Folder::new([(file.0, file.1.as_bytes())]);
    expected.assert_eq(&session(&folder, &[&[file.0], arguments].concat(), lines));
}

#[test]
fn a_network_is_walked_through_to_its_deadlock_and_back() {
    let net = "participant A: idle holds done*\nparticipant B: idle holds done*\n\
        participant L: free taken\nparticipant R: free taken\n\
        a.left: A idle -> holds, L free -> taken\na.right: A holds -> done, R free -> taken\n\
        b.right: B idle -> holds, R free -> taken\nb.left: B holds -> done, L free -> taken\n";
    let lines =
        ["1", "b", "undo 2", "goto deadlock", "undo", "# a comment", "changes", "state", "restart"];
    check(
        ("locks.net", net),
        &[],
        &lines,
        &expect![[r#"
        exit 0
        --- stdout
        start
          A: idle   B: idle   L: free   R: free
        what can happen next:
          1  a.left
          2  b.right
        > 1
        step 1: a.left
          A: idle → holds   L: free → taken
        what can happen next:
          1  a.right
          2  b.right
        > b
        step 2: b.right
          B: idle → holds   R: free → taken
        stuck: no step is possible, and the system may not end here
          A waits for a.right: R is taken, not free
          B waits for b.left: L is taken, not free
        > undo 2
        took back 2 steps
        start
          A: idle   B: idle   L: free   R: free
        what can happen next:
          1  a.left
          2  b.right
        > goto deadlock
        deadlock: after 2 steps  (6 states, 6 transitions; no reduction, no bounds)

             start     A: idle   B: idle   L: free   R: free
          1  a.left    A: idle → holds   L: free → taken
          2  a.right   A: holds → done   R: free → taken
          stuck: no step is possible, and the system may not end here
            B waits for b.right: R is taken, not free

        > undo
        took back 1 step
        step 1: a.left
          A: idle → holds   L: free → taken
        what can happen next:
          1  a.right
          2  b.right
        > # a comment
        > changes
          A: idle → holds   L: free → taken
        > state
          A: holds   B: idle   L: taken   R: free
        > restart
        start
          A: idle   B: idle   L: free   R: free
        what can happen next:
          1  a.left
          2  b.right
    "#]],
    );
}

#[test]
fn a_protocol_is_walked_through_by_what_its_roles_do() {
    let quad = "message Ask, Yes, No; role a, b;\n\
        protocol p { Ask from a to b; either { Yes from b to a; } or { No from b to a; } }\n\
        property answered: F (b sends Yes);\n";
    let lines = ["a sends", "1", "list", "b sends No", "1", "goto answered", "goto F a sends Ask"];
    check(
        ("ask.quad", quad),
        &[],
        &lines,
        &expect![[r#"
            exit 0
            --- stdout
            start
            what can happen next:
              1  a sends Ask to b
            > a sends
            step 1: a sends Ask to b
            what can happen next:
              1  b receives Ask from a
            > 1
            step 2: b receives Ask from a
            what can happen next:
              1  b sends Yes to a
              2  b sends No to a
            > list
            what can happen next:
              1  b sends Yes to a
              2  b sends No to a
            > b sends No
            step 3: b sends No to a
            what can happen next:
              1  a receives No from b
            > 1
            step 4: a receives No from b
            finished: no step is possible, and the system may end here
            > goto answered
            violated: answered  (6 states, 6 transitions; maximal runs, no fairness, no reduction, no bounds)

              1  a sends Ask to b
              2  b receives Ask from a
              3  b sends No to a
              4  a receives No from b
              finished: the system may stop here, and nothing more need happen

            > goto F a sends Ask
            holds: F a sends Ask  (6 states, 6 transitions; maximal runs, no fairness, no reduction, no bounds)
            the walk stays where it is
        "#]],
    );
}

#[test]
fn a_discourje_protocol_is_walked_through() {
    let dcj = "(s/defrole ::a) (s/defrole ::b)\n(s/defsession ::p [] (s/-->> Long ::a ::b))\n";
    check(
        ("long.dcj", dcj),
        &[],
        &["1", "1", "trace"],
        &expect![[r#"
        exit 0
        --- stdout
        start
        what can happen next:
          1  a sends Long to b
        > 1
        step 1: a sends Long to b
        what can happen next:
          1  b receives Long from a
        > 1
        step 2: b receives Long from a
        finished: no step is possible, and the system may end here
        > trace
          1  a sends Long to b
          2  b receives Long from a
          finished: the system may stop here, and nothing more need happen
    "#]],
    );
}

#[test]
fn components_are_walked_through_to_where_they_do_not_fit() {
    let bp = "Client !Desk.ask ; !Desk.ask\nClerk ?Desk.ask\n";
    check(
        ("shop.bp", bp),
        &[],
        &["Desk.ask^", "goto error", "trace"],
        &expect![[r#"
        exit 0
        --- stdout
        start
        what can happen next:
          1  τDesk.ask^
        > Desk.ask^
        step 1: τDesk.ask^
        what can happen next:
          1  τDesk.ask$
        > goto error
        violated: components fit together  (3 states, 2 transitions; no reduction, no bounds)

          1  τDesk.ask^
          2  τDesk.ask$
          Client emits Desk.ask^, and no one accepts it

        > trace
          1  τDesk.ask^
          2  τDesk.ask$
          stuck: no step is possible, and the system may not end here
            Client waits for τDesk.ask^: Clerk is 2, not 0
    "#]],
    );
}

#[test]
fn an_architecture_is_walked_through() {
    let arch = "interface Desk { ask }
component Client { requires Desk protocol { !Desk.ask } }
component Clerk { provides Desk protocol { ?Desk.ask* } }
component Office { contains client : Client contains clerk : Clerk bind client.Desk to clerk.Desk }
";
    check(
        ("office.arch", arch),
        &[],
        &["1", "1", "goto error"],
        &expect![[r#"
        exit 0
        --- stdout
        start
        what can happen next:
          1  τDesk.ask^
        > 1
        step 1: τDesk.ask^
        what can happen next:
          1  τDesk.ask$
        > 1
        step 2: τDesk.ask$
        finished: no step is possible, and the system may end here
        > goto error
        holds: Office, horizontal  (3 states, 2 transitions; no reduction, no bounds)
        the walk stays where it is
    "#]],
    );
}

#[test]
fn a_design_is_walked_through_by_its_events() {
    let qev = "enum Light { Red, Green }
sig Lamp { var shows : one Light }
event change[l : Lamp] { l.shows' in Light - l.shows }
event any { some l : Lamp | l.shows' = Green }
init { some Lamp.shows & Red } for 2 Lamp
check red { always some Lamp.shows & Red } expect 1
";
    let lines = [
        "start",
        "start 3",
        "any",
        "list change",
        "show state",
        "change[Lamp$2]",
        "goto red",
        "random 2",
    ];
    check(
        ("lamps.qev", qev),
        &["--seed", "5"],
        &lines,
        &expect![[r#"
            exit 2
            --- stdout
            start, initial state 1 of 3 (`start` shows them)
              Lamp$1.shows: Red   Lamp$2.shows: Red
            what can happen next:
              1  change[Lamp$1]
              2  change[Lamp$2]
              3  any   Lamp$1.shows: Red → Green
              4  any   Lamp$2.shows: Red → Green
            > start
            1
              Lamp$1.shows: Red   Lamp$2.shows: Red
            2
              Lamp$1.shows: Red   Lamp$2.shows: Green
            3
              Lamp$1.shows: Green   Lamp$2.shows: Red
            > start 3
            start, initial state 3 of 3 (`start` shows them)
              Lamp$1.shows: Green   Lamp$2.shows: Red
            what can happen next:
              1  change[Lamp$1]
              2  change[Lamp$2]
              3  any   (nothing that is shown changes)
              4  any   Lamp$2.shows: Red → Green
            > any
            `any` fits 2 steps, take one by its number:
              3  any   (nothing that is shown changes)
              4  any   Lamp$2.shows: Red → Green
            > list change
            what can happen next:
              1  change[Lamp$1]
              2  change[Lamp$2]
            > show state
            > change[Lamp$2]
            step 1: change[Lamp$2]
              Lamp$1.shows: Green   Lamp$2.shows: Green
            what can happen next:
              1  change[Lamp$1]
              2  change[Lamp$2]
              3  any
            > goto red
            violated as expected: red  (4 states, 8 transitions; maximal runs, no fairness, no reduction, no bounds)

                 start            Lamp$1.shows: Red   Lamp$2.shows: Green
              1  change[Lamp$1]   Lamp$1.shows: Red → Green

            what can happen next:
              1  change[Lamp$1]
              2  change[Lamp$2]
              3  any
            > random 2
            step 2: change[Lamp$2]
              Lamp$1.shows: Green   Lamp$2.shows: Red
            step 3: any
              Lamp$1.shows: Green   Lamp$2.shows: Green
            what can happen next:
              1  change[Lamp$1]
              2  change[Lamp$2]
              3  any
        "#]],
    );
}

#[test]
fn a_table_is_walked_through_and_the_walk_is_saved() {
    let aut =
        "des (0, 4, 3)\n(0, \"open\", 1)\n(1, \"close\", 0)\n(1, \"break\", 2)\n(0, \"list\", 2)\n";
    let folder = Folder::new([("door.aut", aut.as_bytes())]);
    let lines = ["open", "break", "save run.json", "undo", "save run.txt", "restart", "take list"];
    expect![[r#"
        exit 0
        --- stdout
        start
          state: 0
        what can happen next:
          1  open
          2  list
        > open
        step 1: open
          state: 0 → 1
        what can happen next:
          1  close
          2  break
        > break
        step 2: break
          state: 1 → 2
        stuck: no step is possible, and the system may not end here
        > save run.json
        saved 2 steps to run.json
        > undo
        took back 1 step
        step 1: open
          state: 0 → 1
        what can happen next:
          1  close
          2  break
        > save run.txt
        saved 1 step to run.txt
        > restart
        start
          state: 0
        what can happen next:
          1  open
          2  list
        > take list
        step 1: list
          state: 0 → 2
        stuck: no step is possible, and the system may not end here
        --- stderr
        wrote run.json
        wrote run.txt
    "#]]
    .assert_eq(&session(&folder, &["door.aut"], &lines));
    expect![[r#"
        exit 0
        --- stdout
        fits: the model performs all 2 steps and ends as told
        property: a walk

             start   state: 0
          1  open    state: 0 → 1
          2  break   state: 1 → 2
          stuck: no step is possible, and the system may not end here
    "#]]
    .assert_eq(&shown(&folder.run(&["replay", "door.aut", "run.json"])));
    expect![[r#"
        property: a walk

             start   state: 0
          1  open    state: 0 → 1
    "#]]
    .assert_eq(&folder.read("run.txt"));
}

#[test]
fn what_is_no_command_is_answered_with_advice() {
    let aut = "des (0, 2, 2)\n(0, \"open\", 1)\n(1, \"close\", 0)\n";
    let lines = [
        "close",
        "opne",
        "unod",
        "7",
        "undo",
        "undo x",
        "start 4",
        "show",
        "save",
        "save run.xyz",
        "goto",
        "goto G opened",
        "take",
        "quit now",
    ];
    check(
        ("door.aut", aut),
        &[],
        &lines,
        &expect![[r#"
            exit 2
            --- stdout
            start
              state: 0
            what can happen next:
              1  open
            > close
            `close` is not possible here; `list` shows what is
            > opne
            there is no step and no command `opne`; did you mean `open`?
            > unod
            there is no step and no command `unod`; did you mean `undo`?
            > 7
            there is no step 7, only step 1
            > undo
            there is no step to take back
            > undo x
            `undo` takes a number, `x` is none
            > start 4
            there is no initial state 4: the model has 1 initial state
            > show
            write `show state` or `show changes`
            > save
            save where? The name says how: trace.json, trace.txt, trace.svg
            > save run.xyz
            error[Q009]: cannot infer the trace format from `run.xyz`
             |
             = help: end the name in .txt, .json, .itf.json, .svg or .mmd
            > goto
            go to what? deadlock, or a formula
            > goto G opened
            error[Q007]: the model has no proposition `opened`
             --> formula:1:3
              |
            1 | G opened
              |   ^^^^^^
              |
              = help: the model has no propositions at all
            `goto` takes deadlock, or a formula
            > take
            take what? `list` shows the steps
            > quit now
            `quit` stands alone, `now` is too much
        "#]],
    );
}

#[test]
fn a_state_whose_steps_cannot_be_computed_says_why() {
    let qev = "one sig Clock { var time : one Int }
event tick { Clock.time' = plus[Clock.time, 1] }
init { Clock.time = 0 } for 0..1 Int
";
    check(
        ("clock.qev", qev),
        &[],
        &["tick", "undo"],
        &expect![[r#"
            exit 0
            --- stdout
            start
              Clock.time: 0
            what can happen next:
              1  tick
            > tick
            step 1: tick
              Clock.time: 0 → 1
            error[E014]: the number 2 is outside of 0 to 1
             --> clock.qev:2:28
              |
            2 | event tick { Clock.time' = plus[Clock.time, 1] }
              |                            ^^^^^^^^^^^^^^^^^^^
              |
              = note: in the state Clock.time: 1
              = help: give `Int` a larger range in the scope, or guard the event
            > undo
            took back 1 step
            start
              Clock.time: 0
            what can happen next:
              1  tick
        "#]],
    );
}

#[test]
fn the_same_seed_gives_the_same_walk_and_the_commands_are_in_the_help() {
    let folder = Folder::with_examples();
    let walk = |seed: &str| {
        session(&folder, &["philosophers.net", "--seed", seed], &["random 12", "quit", "1"])
    };
    assert_eq!(walk("1"), walk("1"));
    assert_ne!(walk("1"), walk("2"));
    assert!(!walk("1").contains("> 1\n"), "nothing is read after `quit`");
    let help = String::from_utf8_lossy(&folder.run(&["step", "--help"]).stdout).into_owned();
    let told = session(&folder, &["philosophers.net"], &["help"]);
    for word in ["goto deadlock", "save FILE", "random [N]", "show state"] {
        assert!(help.contains(word) && told.contains(word), "{word}: {help}{told}");
    }
}
