//! Components: do they fit together?

mod activity;
mod lint;

use expect_test::expect;

use crate::folder::Folder;

const CLIENT: &[u8] = b"Client\n!Desk.ask ; !Desk.leave\n";
const CLERK: &[u8] = b"// sees to clients\nClerk\n?Desk.ask ; ?Desk.leave\n";
const HASTY: &[u8] = b"Clerk\n?Desk.leave ; ?Desk.ask\n";

#[test]
fn components_that_fit() {
    let folder = Folder::new([("client.bp", CLIENT), ("clerk.bp", CLERK)]);
    folder.check(
        &["check", "client.bp", "clerk.bp"],
        &expect![[r#"
            exit 0
            --- stdout
            2 components: no error (5 configurations, 4 steps; no reduction, no bounds)
        "#]],
    );
    folder.check(
        &["check", "."],
        &expect![[r#"
            exit 0
            --- stdout
            2 components: no error (5 configurations, 4 steps; no reduction, no bounds)
        "#]],
    );
    folder.check(
        &["check", ".", "--format", "json"],
        &expect![[r#"
            exit 0
            --- stdout
            {
              "schema": "quadrille/1",
              "files": [
                "."
              ],
              "verdict": "no error",
              "configurations": 5,
              "steps": 4,
              "bound": null,
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
                "states": null,
                "bytes": null
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": [],
              "errors": [],
              "story": null,
              "never": {
                "taken": [],
                "lines": [],
                "reached": [],
                "statements": []
              },
              "seconds": …
            }
        "#]],
    );
    folder.check(&["check", ".", "--max-states", "1", "-q"], &expect![[r#"
        exit 3
        --- stdout
        2 components: unknown: the bound of 1 state was reached; raise --max-states, or check a smaller instance
    "#]]);
    folder.check(
        &["check", ".", "--junit", "fit.xml", "-q"],
        &expect![[r#"
            exit 0
            --- stdout
            2 components: no error (5 configurations, 4 steps; no reduction, no bounds)
        "#]],
    );
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="quadrille" tests="1" failures="0" errors="0" time="…">
          <testsuite name="." tests="1" failures="0" errors="0" time="…">
            <testcase name="components fit together" classname="." time="…"/>
          </testsuite>
        </testsuites>
    "#]]
    .assert_eq(&crate::folder::without_times(&folder.read("fit.xml")));
    folder.check(
        &["states", "client.bp", "clerk.bp"],
        &expect![[r#"
            exit 0
            --- stdout
            states           5
            transitions      4
            deadlocks        0
            depth            4
            memory           448 B
            bytes per state  89.6
            seconds          …
        "#]],
    );
}

#[test]
fn automata_are_made_as_asked() {
    let folder = Folder::new([("pair.bp", b"A (!x.a + !x.b) ; !x.c\nB (?x.a + ?x.b) ; ?x.c\n")]);
    folder.check(
        &["check", "pair.bp"],
        &expect![[r#"
            exit 0
            --- stdout
            2 components: no error (6 configurations, 6 steps; no reduction, no bounds)
        "#]],
    );
    folder.check(
        &["check", "pair.bp", "--construction", "published"],
        &expect![[r#"
            exit 0
            --- stdout
            2 components: no error (9 configurations, 8 steps; no reduction, no bounds)
        "#]],
    );
    folder.check(
        &["states", "pair.bp", "--construction", "published"],
        &expect![[r#"
            exit 0
            --- stdout
            states           9
            transitions      8
            deadlocks        0
            depth            4
            memory           512 B
            bytes per state  56.9
            seconds          …
        "#]],
    );
}

#[test]
fn formulas_about_events() {
    let text = b"Client (!Desk.ask)*\nClerk (?Desk.ask)*\n";
    let folder = Folder::new([("desk.bp", text)]);
    let answered = r#"always ("Desk.ask^" -> eventually "Desk.ask$")"#;
    folder.check(&["check", "desk.bp", "--formula", answered], &expect![[r#"
        exit 0
        --- stdout
        holds: always ("Desk.ask^" -> eventually "Desk.ask$")  (2 states, 2 transitions; maximal runs, no fairness, no reduction, no bounds)
        holds: no deadlock  (2 states, 2 transitions; no reduction, no bounds)
        2 checks: 2 passed
    "#]]);
    folder.check(
        &["check", "desk.bp", "--formula", r#"G !"Desk.ask$""#],
        &expect![[r#"
            exit 1
            --- stdout
            violated: G !"Desk.ask$"  (2 states, 2 transitions; maximal runs, no fairness, no reduction, no bounds)

              1  τDesk.ask^
              2  τDesk.ask$

              replay: quadrille check desk.bp --formula 'G !"Desk.ask$"' --trace-out trace.json
                      quadrille replay desk.bp trace.json

            holds: no deadlock  (2 states, 2 transitions; no reduction, no bounds)
            2 checks: 1 failed, 1 passed
        "#]],
    );
    folder.check(
        &["check", "desk.bp", "--formula", r#"AG EF "Desk.ask^""#],
        &expect![[r#"
            exit 0
            --- stdout
            holds: AG EF "Desk.ask^"  (2 states, 2 transitions; no reduction, no bounds)
            holds: no deadlock  (2 states, 2 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
    folder.check(
        &["check", "desk.bp", "--formula", r#"G !"Desk.aks$""#],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q006]: the model has no action `Desk.aks$`
             --> formula 1:1:4
              |
            1 | G !"Desk.aks$"
              |    ^^^^^^^^^^^
              |
              = help: did you mean Desk.ask$ or Desk.ask^?
            see `quadrille explain Q006`
        "#]],
    );
}

#[test]
fn a_violation_is_replayed_and_drawn() {
    let late: &[u8] = b"Clerk\n?Desk.ask ; ?Desk.ask ; ?Desk.leave\n";
    let folder = Folder::new([("client.bp", CLIENT), ("clerk.bp", late)]);
    folder.run(&["check", ".", "--trace-out", "trace.json"]);
    folder.check(
        &["replay", ".", "trace.json"],
        &expect![[r#"
            exit 0
            --- stdout
            fits: the model performs all 2 steps and ends as told
            property: `Client` calls `Desk.leave`, and no component accepts it

              1  τDesk.ask^
              2  τDesk.ask$
              Client emits Desk.leave^, and no one accepts it
        "#]],
    );
    folder.check(
        &["draw", ".", "--trace", "trace.json", "-o", "trace.mmd"],
        &expect![[r#"
            exit 0
            --- stderr
            wrote trace.mmd
        "#]],
    );
    expect![[r#"
        sequenceDiagram
          participant p0 as Clerk
          participant p1 as Client
          Note over p0,p1: #96;Client#96; calls #96;Desk.leave#96;, and no component accepts it
          p1->>p0: Desk.ask^
          p0->>p1: Desk.ask$
          Note over p1: Desk.leave^#58; no one accepts it
    "#]]
    .assert_eq(&folder.read("trace.mmd"));
}

#[test]
fn bad_components() {
    let folder = Folder::new([
        ("client.bp", CLIENT),
        ("again.bp", CLIENT),
        ("open.bp", b"A ?x { !y ; ( !z\n"),
        ("throw.bp", b"A throw !e\n"),
        ("empty.bp", b"// nothing\n"),
        ("door.aut", b"des (0,1,1)\n(0,\"a\",0)\n"),
    ]);
    folder.check(
        &["check", "client.bp", "again.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[C004]: two components are called `Client`
         --> again.bp:1:1
          |
        1 | Client
          | ^^^^^^
          |
         ::: client.bp:1:1
          |
        1 | Client
          | ------ first here
          |
          = help: rename one of them
        see `quadrille explain C004`
    "#]],
    );
    folder.check(
        &["check", "open.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[C001]: expected `)`
         --> open.bp:1:18
          |
        1 | A ?x { !y ; ( !z
          |             -   ^ found the end of the text
          |             |
          |             opened here
          |
          = help: every bracket that is opened must be closed
        see `quadrille explain C001`
    "#]],
    );
    folder.check(
        &["check", "throw.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[C006]: throw is not inside the braces of an acceptance
         --> throw.bp:1:3
          |
        1 | A throw !e
          |   ^^^^^^^^
          |
          = help: an exception answers a call: `?i.m { … throw !e … }`
        see `quadrille explain C006`
    "#]],
    );
    folder.check(
        &["check", "empty.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q021]: `empty.bp` holds no component
         |
         = help: a file of components is a sequence of `NAME protocol`
        see `quadrille explain Q021`
    "#]],
    );
    folder.check(
        &["check", "client.bp", "--bind", "Dek.ask"],
        &expect![[r#"
        exit 2
        --- stderr
        error[S001]: no component mentions `Dek.ask`
         --> --bind:1:1
          |
        1 | Dek.ask
          | ^^^^^^^
          |
          = help: did you mean `Desk.ask`?
        see `quadrille explain S001`
    "#]],
    );
    folder.check(&["check", "client.bp", "--throws", "Desk.ask"], &expect![[r#"
        exit 2
        --- stderr
        error: invalid value 'Desk.ask' for '--throws <I.m=E,…>': write a method, `=` and its exceptions

        For more information, try '--help'.
    "#]]);
    folder.check(
        &["check", "door.aut", "client.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `door.aut` holds no components
         |
         = help: several files, --bind, --external, --throws and --construction are for .bp files
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["check", "client.bp", "--protocol", "p"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q012]: `client.bp` is no protocol
             |
             = help: leave --protocol, --arg, --parameter and --form out
            see `quadrille explain Q012`
        "#]],
    );
    folder.check(
        &["check", "missing.bp"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `missing.bp`
             |
             = note: No such file or directory (os error 2)
             = help: check the path; it is relative to the current folder
            see `quadrille explain Q001`
        "#]],
    );
}

#[test]
fn components_are_reduced() {
    let folder = Folder::new([("client.bp", CLIENT), ("clerk.bp", CLERK), ("hasty", b"")]);
    folder.check(
        &["reduce", ".", "--steps"],
        &expect![[r#"
        exit 0
        --- stdout
        rule                       applications   states  transitions  configurations       steps
        as written                                    10            8               5           4
        simple method call                    2        6            4               3           2
        serial invocation                     1        4            2               2           1
        initial state transition              1        2            0               1           0
        redundant state                       1        1            0               1           0

        nothing is left: the components fit together
    "#]],
    );
    folder.check(
        &["reduce", "hasty"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `hasty` holds no components
         |
         = help: give .bp files, or a folder of them
        see `quadrille explain Q012`
    "#]],
    );
    let folder = Folder::new([("client.bp", CLIENT), ("clerk.bp", HASTY)]);
    folder.check(
        &["reduce", "client.bp", "clerk.bp"],
        &expect![[r#"
        exit 0
        --- stdout
        Client
        !Desk.ask^ ; !Desk.leave^
        Clerk
        ?Desk.leave^ ; ?Desk.ask^
    "#]],
    );
    folder.check(
        &["reduce", "client.bp", "clerk.bp", "--format", "json"],
        &expect![[r#"
        exit 0
        --- stdout
        {
          "schema": "quadrille/1",
          "files": [
            "client.bp",
            "clerk.bp"
          ],
          "nothing_left": false,
          "text": "Client\n!Desk.ask^ ; !Desk.leave^\nClerk\n?Desk.leave^ ; ?Desk.ask^\n",
          "steps": []
        }
    "#]],
    );
}
