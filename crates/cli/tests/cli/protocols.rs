//! Protocol files with the commands that take any model.

use expect_test::expect;

use crate::folder::{Folder, shown};
use crate::suites::{ANSWERED, GAME, NEVER};

const VOTE: &str = "message Ask, Vote(yes: bool);
role chair, member[0..2];
variable all: bool = true;
protocol vote {
    Ask from chair to member[*];
    par for i in 0..2 { Vote(any yes) from member[i] to chair with all := all and yes; }
}
property everybody_votes: for every i in 0..2: F member[i] sends Vote;
property no_veto (violated): G !(member[*] sends Vote(false));
property counted: G (chair receives Vote(false) -> X !all);
";

fn folder() -> Folder {
    Folder::new([
        ("game.dcj", GAME.as_bytes()),
        ("vote.quad", VOTE.as_bytes()),
        ("Answered.owl", ANSWERED.as_bytes()),
        ("Never.owl", NEVER.as_bytes()),
    ])
}

#[test]
fn a_session_is_checked() {
    let folder = folder();
    folder.check(
        &["check", "game.dcj", "--protocol", "game"],
        &expect![[r#"
            exit 0
            --- stdout
            holds: no deadlock  (5 states, 5 transitions; no reduction, no bounds)
        "#]],
    );
    folder.check(
        &["states", "game.dcj", "--protocol", "game"],
        &expect![[r#"
            exit 0
            --- stdout
            states           5
            transitions      5
            deadlocks        0
            depth            4
            memory           19.3 KiB
            bytes per state  3953.6
            seconds          …
        "#]],
    );
    let game = ["check", "game.dcj", "--protocol", "game"];
    let formulas = [
        "--formula-file",
        "Answered.owl",
        "--formula-file",
        "Never.owl",
        "--type",
        "Ball=Ball",
        "--runs",
        "infinite",
    ];
    folder.check(
        &[&game[..], &formulas].concat(),
        &expect![[r#"
            exit 0
            --- stdout
            holds: Answered.owl  (5 states, 5 transitions; infinite runs, no fairness, no reduction, no bounds)
            holds: Never.owl  (5 states, 5 transitions; infinite runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (5 states, 5 transitions; no reduction, no bounds)
            3 checks: 3 passed
            --- stderr
            warning[L023]: `FROM bob` is ignored after the type of a `RECV`
             --> Never.owl:1:4
              |
            1 | !F "alice RECV games.Ball FROM bob"
              |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ means the same without it
            see `quadrille explain L023`
            warning[L018]: no action of the protocol matches `alice RECV games.Ball FROM bob`
             --> Never.owl:1:4
              |
            1 | !F "alice RECV games.Ball FROM bob"
              |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ never true
            see `quadrille explain L018`
        "#]],
    );
    let own = [
        "--formula",
        "G (alice sends Ball -> X bob receives Ball from alice)",
        "--formula",
        "G !\"bob sends Ball to alice\"",
    ];
    folder.check(&[&game[..], &own].concat(), &expect![[r#"
        exit 1
        --- stdout
        holds: G (alice sends Ball -> X bob receives Ball from alice)  (5 states, 5 transitions; maximal runs, no fairness, no reduction, no bounds)
        violated: G !"bob sends Ball to alice"  (5 states, 5 transitions; maximal runs, no fairness, no reduction, no bounds)

          1  alice sends Ball to bob
          2  bob receives Ball from alice
          3  bob sends Ball to alice

          replay: quadrille check game.dcj --protocol game --formula 'G !"bob sends Ball to alice"' --trace-out trace.json
                  quadrille replay game.dcj trace.json

        holds: no deadlock  (5 states, 5 transitions; no reduction, no bounds)
        3 checks: 1 failed, 2 passed
    "#]]);
}

#[test]
fn arguments_choose_the_instance() {
    let folder = folder();
    let turn = ["check", "game.dcj", "--protocol", "turn", "--arg", "::x", "--arg", "::y"];
    folder.check(
        &[&turn[..], &["--formula", "F y receives Ball"]].concat(),
        &expect![[r#"
            exit 0
            --- stdout
            holds: F y receives Ball  (3 states, 2 transitions; maximal runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (3 states, 2 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
}

#[test]
fn properties_stand_beside_the_protocol() {
    let folder = folder();
    folder.check(
        &["check", "vote.quad"],
        &expect![[r#"
            exit 0
            --- stdout
            holds: everybody_votes  (25 states, 43 transitions; maximal runs, no fairness, no reduction, no bounds)
            violated as expected: no_veto  (25 states, 43 transitions; maximal runs, no fairness, no reduction, no bounds)

                 start                                  all: true
              1  chair sends Ask to member[0], member[1]
              2  member[0] receives Ask from chair
              3  member[1] receives Ask from chair
              4  member[0] sends Vote(false) to chair   all: true → false

              replay: quadrille check vote.quad --property no_veto --trace-out trace.json
                      quadrille replay vote.quad trace.json

            holds: counted  (25 states, 43 transitions; maximal runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (25 states, 43 transitions; no reduction, no bounds)
            4 checks: 4 passed
        "#]],
    );
    let one = ["check", "vote.quad", "--property", "counted", "--runs", "finite"];
    folder.check(
        &one,
        &expect![[r#"
            exit 0
            --- stdout
            holds: counted  (25 states, 43 transitions; finite runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (25 states, 43 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
    let formula = ["check", "vote.quad", "--formula", "G (all -> F member[0] sends Vote(true))"];
    folder.check(&formula, &expect![[r#"
        exit 1
        --- stdout
        violated: G (all -> F member[0] sends Vote(true))  (25 states, 43 transitions; maximal runs, no fairness, no reduction, no bounds)

             start                                  all: true
          1  chair sends Ask to member[0], member[1]
          2  member[0] receives Ask from chair
          3  member[1] receives Ask from chair
          4  member[0] sends Vote(false) to chair   all: true → false
          5  chair receives Vote(false) from member[0]
          6  member[1] sends Vote(false) to chair
          7  chair receives Vote(false) from member[1]
          finished: the system may stop here, and nothing more need happen

          replay: quadrille check vote.quad --formula 'G (all -> F member[0] sends Vote(true))' --trace-out trace.json
                  quadrille replay vote.quad trace.json

        holds: no deadlock  (25 states, 43 transitions; no reduction, no bounds)
        2 checks: 1 failed, 1 passed
    "#]]);
}

#[test]
fn forms_of_a_protocol_agree() {
    let folder = folder();
    for variant in ["strict", "liberal"] {
        for (formula, code) in [("F chair receives Vote", 0), ("G !(chair sends Ask)", 1)] {
            let arguments = ["check", "vote.quad", "--variant", variant, "--formula", formula];
            let output = folder.run(&arguments);
            assert_eq!(output.status.code(), Some(code), "{}", shown(&output));
        }
    }
    let liberal = ["check", "vote.quad", "--variant", "liberal"];
    let formula = ["--formula", "!F chair receives Vote from member[1]", "--trace-out", "t.json"];
    folder.check(
        &[&liberal[..], &formula].concat(),
        &expect![[r#"
            exit 1
            --- stdout
            violated: !F chair receives Vote from member[1]  (26 states, 51 transitions; maximal runs of the liberal form, no fairness, no reduction, no bounds)

                 start                                  member[0]->chair: []   member[1]->chair: []
                                                        chair->member[0]: []   chair->member[1]: []
              1  chair sends Ask to member[0], member[1]
                                                        chair->member[0]: [] → [Ask]
                                                        chair->member[1]: [] → [Ask]
              2  member[1] receives Ask from chair      chair->member[1]: [Ask] → []
              3  member[1] sends Vote(false) to chair   member[1]->chair: [] → [Vote(false)]
              4  chair receives Vote(false) from member[1]
                                                        member[1]->chair: [Vote(false)] → []

              replay: quadrille replay vote.quad t.json

            holds: no deadlock  (26 states, 51 transitions; the liberal form, no reduction, no bounds)
            2 checks: 1 failed, 1 passed
            --- stderr
            wrote t.json
        "#]],
    );
    let replay = ["replay", "vote.quad", "--variant", "liberal", "t.json"];
    assert_eq!(folder.run(&replay).status.code(), Some(0));
    folder.check(
        &liberal,
        &expect![[r#"
            exit 2
            --- stderr
            error[Q020]: this form of the protocol has no variables
              --> vote.quad:10:19
               |
            10 | property counted: G (chair receives Vote(false) -> X !all);
               |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ speaks about variables
               |
               = help: leave --form out, or write a formula about the messages
            see `quadrille explain Q020`
        "#]],
    );
}

#[test]
fn several_traces_are_numbered() {
    let folder = folder();
    let game = ["check", "game.dcj", "--protocol", "game", "--trace-out", "t.json"];
    let formulas =
        ["--formula", "G !(alice sends Ball)", "--formula", "F false", "--formula", "true"];
    folder.check(
        &[&game[..], &formulas].concat(),
        &expect![[r#"
            exit 1
            --- stdout
            violated: G !(alice sends Ball)  (5 states, 5 transitions; maximal runs, no fairness, no reduction, no bounds)

              1  alice sends Ball to bob

              replay: quadrille replay game.dcj t-1.json

            violated: F false  (5 states, 5 transitions; maximal runs, no fairness, no reduction, no bounds)

              finished: the system may stop here, and nothing more need happen

              replay: quadrille replay game.dcj t-2.json

            holds: true  (5 states, 5 transitions; maximal runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (5 states, 5 transitions; no reduction, no bounds)
            4 checks: 2 failed, 2 passed
            --- stderr
            wrote t-1.json
            wrote t-2.json
        "#]],
    );
    for file in ["t-1.json", "t-2.json"] {
        let replay = ["replay", "game.dcj", "--protocol", "game", file];
        assert_eq!(folder.run(&replay).status.code(), Some(0), "{file}");
    }
    assert!(!folder.path().join("t.json").exists());
}

#[test]
fn what_is_wrong_with_a_question() {
    let folder = folder();
    folder.check(
        &["check", "game.dcj"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q015]: `game.dcj` defines several sessions
             --> game.dcj:2:1
              |
            2 | (s/defsession ::turn [p q] (s/-->> Ball p q))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ turn p q
            3 | (s/defsession ::game [] (s/* [(::turn ::alice ::bob) (::turn ::bob ::alice)]))
              | ------------------------------------------------------------------------------ game
              |
              = help: name one with --protocol, and give its arguments with --arg
            see `quadrille explain Q015`
        "#]],
    );
    folder.check(
        &["check", "game.dcj", "--protocol", "gam"],
        &expect![[r#"
            exit 2
            --- stderr
            error[D007]: there is no session `gam`
             --> game.dcj:1:1
              |
            1 | (s/defroles ::alice ::bob)
              | ^ not defined here
              |
              = help: sessions here are: turn, game
            see `quadrille explain D007`
        "#]],
    );
    folder.check(
        &["check", "game.dcj", "--protocol", "turn", "--arg", "1"],
        &expect![[r#"
            exit 2
            --- stderr
            error[D008]: session `turn` takes 2 arguments, and 1 is given
             --> game.dcj:2:1
              |
            2 | (s/defsession ::turn [p q] (s/-->> Ball p q))
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ takes [p q]
              |
              = help: give as many arguments as it has, in order
            see `quadrille explain D008`
        "#]],
    );
    folder.check(
        &["check", "game.dcj", "--protocol", "turn", "--arg", "(", "--arg", "1"],
        &expect![[r#"
            exit 2
            --- stderr
            error[D001]: `)` is missing
             --> argument 1:1:1
              |
            1 | (
              | ^ opened here, never closed
            see `quadrille explain D001`
        "#]],
    );
    let formula =
        ["check", "game.dcj", "--protocol", "game", "--formula", "alice sends", "--formula", "p"];
    folder.check(&formula, &expect![[r#"
        exit 2
        --- stderr
        error[O002]: expected the type of the message or `*`, found the end
         --> formula 1:1:12
          |
        1 | alice sends
          |            ^ expected the type of the message or `*`
        error[F001]: expected an action such as `white sends Move to black`, a label in double quotes, `(` or `not`
         --> formula 2:1:1
          |
        1 | p
          | ^ no operand starts with this
          |
          = help: a proposition of this name is written `p` in back quotes
        see `quadrille explain O002`
    "#]]);
    let never = ["check", "game.dcj", "--protocol", "game", "--formula", "G !(alice sends Bal)"];
    folder.check(
        &never,
        &expect![[r#"
            exit 0
            --- stdout
            holds: G !(alice sends Bal)  (5 states, 5 transitions; maximal runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (5 states, 5 transitions; no reduction, no bounds)
            2 checks: 2 passed
            --- stderr
            warning[L018]: no action of the protocol matches `alice sends Bal to *`
             --> formula 1:1:5
              |
            1 | G !(alice sends Bal)
              |     ^^^^^^^^^^^^^^^ never true
            see `quadrille explain L018`
        "#]],
    );
    folder.check(
        &["check", "vote.quad", "--property", "count"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q019]: the protocol has no property `count`
         |
         = help: properties belong to a protocol; name it with --protocol
        see `quadrille explain Q019`
    "#]],
    );
    folder.check(
        &["check", "vote.quad", "--formula", "G (nobody sends Ask)"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q103]: there is no role `nobody`
         --> formula 1:1:4
          |
        1 | G (nobody sends Ask)
          |    ^^^^^^ not declared
          |
          = help: declare it, or correct the name
        see `quadrille explain Q103`
    "#]],
    );
    folder.check(
        &["check", "vote.quad", "--parameter", "k=3"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q103]: there is no parameter `k`
             --> parameter k:1:1
              |
            1 | 3
              | ^ a value for it
              |
              = help: declare it: `parameter k = 3;`
            see `quadrille explain Q103`
        "#]],
    );
    folder.check(
        &["check", "game.dcj", "--protocol", "game", "--parameter", "k=3"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q012]: --parameter is for .quad files
             |
             = help: give the arguments of the session with --arg, in order
            see `quadrille explain Q012`
        "#]],
    );
}

#[test]
fn what_goes_wrong_while_exploring() {
    let dcj = "(s/defsession ::down [n] [(s/-->> T ::a ::b) (::down (/ 1 (dec n)))])";
    let folder = Folder::new([("down.dcj", dcj.as_bytes()), ("none.dcj", b"(defn f [x] x)")]);
    folder.check(
        &["check", "down.dcj", "--arg", "2"],
        &expect![[r#"
        exit 2
        --- stderr
        error[D013]: division by zero
         --> down.dcj:1:54
          |
        1 | (s/defsession ::down [n] [(s/-->> T ::a ::b) (::down (/ 1 (dec n)))])
          |                                                      ^^^^^^^^^^^^^
          |
          = note: while unfolding `down(1)`
        see `quadrille explain D013`
    "#]],
    );
    folder.check(
        &["states", "down.dcj", "--arg", "1"],
        &expect![[r#"
        exit 2
        --- stderr
        error[D013]: division by zero
         --> down.dcj:1:54
          |
        1 | (s/defsession ::down [n] [(s/-->> T ::a ::b) (::down (/ 1 (dec n)))])
          |                                                      ^^^^^^^^^^^^^
          |
          = note: while unfolding `down(1)`
        see `quadrille explain D013`
    "#]],
    );
    folder.check(
        &["check", "down.dcj", "--arg", "2", "--variant", "liberal"],
        &expect![[r#"
        exit 2
        --- stderr
        error[D013]: division by zero
         --> down.dcj:1:54
          |
        1 | (s/defsession ::down [n] [(s/-->> T ::a ::b) (::down (/ 1 (dec n)))])
          |                                                      ^^^^^^^^^^^^^
          |
          = note: while unfolding `down(1)`
        see `quadrille explain D013`
    "#]],
    );
    folder.check(
        &["check", "none.dcj"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q015]: `none.dcj` defines no session
             --> none.dcj:1:1
              |
            1 | (defn f [x] x)
              | ^ nothing is defined here
              |
              = help: a session is written `(s/defsession ::name [parameter …] protocol)`
            see `quadrille explain Q015`
        "#]],
    );
    folder.check(
        &["check", "down.dcj", "--arg", "2", "--fair", "weak=x"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q014]: the model has no group of steps `x`
         |
         = help: without a name, --fair means all groups
        see `quadrille explain Q014`
    "#]],
    );
}

#[test]
fn options_for_protocols_are_for_protocols() {
    let folder = Folder::with_examples();
    folder.check(
        &["check", "door.aut", "--protocol", "door"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q012]: `door.aut` is no protocol
             |
             = help: leave --protocol, --arg, --parameter and --form out
            see `quadrille explain Q012`
        "#]],
    );
    folder.check(
        &["check", "door.aut", "--property", "p"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q012]: --property is for .quad and .qev files
            see `quadrille explain Q012`
        "#]],
    );
    std::fs::write(folder.path().join("f.owl"), "F \"a SEND b\"").expect("a file");
    folder.check(
        &["check", "door.aut", "--formula-file", "f.owl"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `f.owl` speaks about a protocol
         --> f.owl:1:1
          |
        1 | F "a SEND b"
          | ^ its atoms are sends and receives of roles
          |
          = help: write the formula with the model's own names, in a file of another kind
        see `quadrille explain Q012`
    "#]],
    );
}

#[test]
fn bounds_hold_for_protocols_too() {
    let endless = "(s/defsession ::grow [n] [(s/-->> T ::a ::b) (::grow (inc n))])";
    let folder = Folder::new([("grow.dcj", endless.as_bytes())]);
    let grow = ["grow.dcj", "--arg", "0", "--max-states", "50"];
    folder.check(
        &[&["check"], &grow[..]].concat(),
        &expect![[r#"
            exit 3
            --- stdout
            unknown: no deadlock  (50 states, 49 transitions; no reduction, at most 50 states)
              the bound of 50 states was reached; raise --max-states, or check a smaller instance
        "#]],
    );
    folder.check(
        &[&["check"], &grow[..], &["--variant", "liberal"]].concat(),
        &expect![[r#"
        exit 3
        --- stderr
        unknown: the bound of 50 states was reached; raise --max-states, or check a smaller instance
    "#]],
    );
}
