//! Components: do they fit together?

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
        2 components: no error (5 configurations, 4 steps)
    "#]],
    );
    folder.check(
        &["check", "."],
        &expect![[r#"
        exit 0
        --- stdout
        2 components: no error (5 configurations, 4 steps)
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
          "trace": [],
          "errors": [],
          "story": null,
          "seconds": …
        }
    "#]],
    );
    folder.check(&["check", ".", "--max-states", "1", "-q"], &expect![[r#"
        exit 3
        --- stdout
        2 components: unknown: the bound of 1 states was reached; raise --max-states, or check a smaller instance
    "#]]);
    folder.check(
        &["check", ".", "--junit", "fit.xml", "-q"],
        &expect![[r#"
        exit 0
        --- stdout
        2 components: no error (5 configurations, 4 steps)
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
        memory           368 B
        bytes per state  73.6
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
        2 components: no error (6 configurations, 6 steps)
    "#]],
    );
    folder.check(
        &["check", "pair.bp", "--construction", "published"],
        &expect![[r#"
        exit 0
        --- stdout
        2 components: no error (9 configurations, 8 steps)
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
        memory           432 B
        bytes per state  48.0
        seconds          …
    "#]],
    );
}

#[test]
fn bad_activity() {
    let folder = Folder::new([("client.bp", CLIENT), ("clerk.bp", HASTY)]);
    folder.check(
        &["check", "client.bp", "clerk.bp", "--trace-out", "trace.mmd"],
        &expect![[r#"
            exit 1
            --- stdout
            2 components: bad activity (1 configuration, 0 steps)

                 Client → nobody  Desk.ask^

            error[S020]: `Client` calls `Desk.ask`, and nobody accepts it
             --> client.bp:2:2
              |
            2 | !Desk.ask ; !Desk.leave
              |  ^^^^^^^^ `Client` calls it here
              |
             ::: clerk.bp:2:16
              |
            2 | ?Desk.leave ; ?Desk.ask
              |                -------- `Clerk` accepts it here, but not at this moment
              |
              = note: `Clerk` is ready for ?Desk.leave^
            replay: quadrille check client.bp clerk.bp --trace-out trace.json
                    quadrille replay client.bp trace.json
        "#]],
    );
    folder.check(
        &["check", ".", "--format", "json"],
        &expect![[r#"
        exit 1
        --- stdout
        {
          "schema": "quadrille/1",
          "files": [
            "."
          ],
          "verdict": "bad activity",
          "configurations": 1,
          "steps": 0,
          "bound": null,
          "trace": [
            "ε!Desk.ask^"
          ],
          "errors": [
            {
              "kind": "bad activity",
              "message": "`Client` calls `Desk.ask`, and nobody accepts it",
              "event": "Desk.ask^",
              "components": [
                "Client"
              ],
              "places": [
                {
                  "file": "./client.bp",
                  "line": 2,
                  "column": 2,
                  "text": "`Client` calls it here"
                },
                {
                  "file": "./clerk.bp",
                  "line": 2,
                  "column": 16,
                  "text": "`Clerk` accepts it here, but not at this moment"
                }
              ],
              "trace": [
                "ε!Desk.ask^"
              ]
            }
          ],
          "story": {
            "property": "`Client` calls `Desk.ask`, and nobody accepts it",
            "participants": [],
            "initial": {
              "Clerk": "0",
              "Client": "0"
            },
            "hidden": [
              "Clerk",
              "Client"
            ],
            "steps": [],
            "ending": {
              "kind": "prefix"
            }
          },
          "seconds": …
        }
    "#]],
    );
    folder.check(
        &["check", ".", "--bind", "Desk.ask", "--bind", "Desk.leave"],
        &expect![[r#"
            exit 1
            --- stdout
            2 components: bad activity (1 configuration, 0 steps)

                 Client → nobody  Desk.ask^

            error[S020]: `Client` calls `Desk.ask`, and nobody accepts it
             --> ./client.bp:2:2
              |
            2 | !Desk.ask ; !Desk.leave
              |  ^^^^^^^^ `Client` calls it here
              |
             ::: ./clerk.bp:2:16
              |
            2 | ?Desk.leave ; ?Desk.ask
              |                -------- `Clerk` accepts it here, but not at this moment
              |
              = note: `Clerk` is ready for ?Desk.leave^
            replay: quadrille check . --bind Desk.ask --bind Desk.leave --trace-out trace.json
                    quadrille replay . trace.json
        "#]],
    );
    folder.check(
        &["check", ".", "--external", "Desk"],
        &expect![[r#"
        exit 0
        --- stdout
        2 components: no error (25 configurations, 40 steps)
    "#]],
    );
}

#[test]
fn no_activity_and_infinite_activity() {
    let stuck = b"A !b.x ; ?a.x\nB ?b.x ; ?a.y\nC ?c.go ; !a.y\n";
    let endless = b"A (!a^ ; !b^)*\nB ?a^ ; (?b^ ; ?a^)*\n";
    let folder = Folder::new([("stuck.bp", stuck), ("endless.bp", endless)]);
    folder.check(
        &["check", "stuck.bp", "--bind", "a", "--bind", "b", "--bind", "c"],
        &expect![[r#"
            exit 1
            --- stdout
            3 components: no activity (3 configurations, 2 steps)

              1  A → B             b.x^
              2  B → A             b.x$
                 nobody can go on

            error[S021]: nobody can go on, and `A`, `B`, `C` have not finished
             --> stuck.bp:1:11
              |
            1 | A !b.x ; ?a.x
              |           ^^^ `A` waits for `a.x^`
            2 | B ?b.x ; ?a.y
              |           --- `B` waits for `a.y^`
            3 | C ?c.go ; !a.y
              |    ---- `C` waits for `c.go^`
              |
              = note: `A` is ready for ?a.x^
              = note: `B` is ready for ?a.y^
              = note: `C` is ready for ?c.go^
            replay: quadrille check stuck.bp --bind a --bind b --bind c --trace-out trace.json
                    quadrille replay stuck.bp trace.json
        "#]],
    );
    folder.check(
        &["check", "endless.bp", "--trace-out", "endless.txt"],
        &expect![[r#"
            exit 1
            --- stdout
            2 components: infinite activity (2 configurations, 2 steps)

                 for ever:
              1  A → B  a^
              2  A → B  b^

            error[S022]: the components run for ever and can never finish
             --> endless.bp:1:5
              |
            1 | A (!a^ ; !b^)*
              |     ^     - step 2, for ever: `A` emits `b^`
              |     |
              |     step 1, for ever: `A` emits `a^`
            2 | B ?a^ ; (?b^ ; ?a^)*
              |           -     - step 1, for ever: `B` accepts `a^`
              |           |
              |           step 2, for ever: `B` accepts `b^`
              |
              = note: `A` may finish before step 1 only
              = note: `B` may finish before step 2 only
              = help: let one of them leave the loop together with the others
            replay: quadrille check endless.bp --trace-out trace.json
                    quadrille replay endless.bp trace.json
        "#]],
    );
    expect![[r#"
        property: the components run for ever and can never finish

             ┌─ these steps repeat for ever
          1  │ τa^
          2  │ τb^
             └─ back to the state before step 1
    "#]]
    .assert_eq(&folder.read("endless.txt"));
}

#[test]
fn running_for_ever_has_a_place() {
    let text = b"Ping\n!Net.start ; ( !Net.go^ ; ?Net.back^ ; !Log.note )*\n\
                 Pong\n?Net.start ; ( ?Net.go^ ; !Net.back^ )* ; ?Net.go^\n\
                 Clock\n?Net.tick*\n";
    let folder = Folder::new([("net.bp", text)]);
    folder.check(&["check", "net.bp"], &expect![[r#"
        exit 1
        --- stdout
        3 components: infinite activity (12 configurations, 24 steps)

          1  Ping → Pong     Net.start^
          2  Pong → Ping     Net.start$
             for ever:
          3  Ping → Pong     Net.go^
          4  Pong → Ping     Net.back^
          5  Ping → outside  Log.note^
          6  outside → Ping  Log.note$

        error[S022]: the components run for ever and can never finish
         --> net.bp:2:17
          |
        2 | !Net.start ; ( !Net.go^ ; ?Net.back^ ; !Log.note )*
          |                 ^^^^^^     --------     -------- step 5, for ever: `Ping` emits `Log.note^`
          |                 |          |
          |                 |          step 4, for ever: `Ping` accepts `Net.back^`
          |                 step 3, for ever: `Ping` emits `Net.go^`
        3 | Pong
        4 | ?Net.start ; ( ?Net.go^ ; !Net.back^ )* ; ?Net.go^
          |                 ------     --------        ------ step 3, for ever: `Pong` accepts `Net.go^`
          |                 |          |
          |                 |          step 4, for ever: `Pong` emits `Net.back^`
          |                 step 3, for ever: `Pong` accepts `Net.go^`
          |
          = note: `Ping` may finish before step 3 only
          = note: `Pong` may finish before step 4 only
          = help: let one of them leave the loop together with the others
        replay: quadrille check net.bp --trace-out trace.json
                quadrille replay net.bp trace.json
    "#]]);
}

#[test]
fn exceptions_without_an_architecture() {
    let text = b"Client try { !Desk.ask } catch { ?Desk.Busy : NULL }\nClerk ?Desk.ask { NULL + throw !Busy }\n";
    let folder = Folder::new([("desk.bp", text)]);
    folder.check(
        &["check", "desk.bp", "--throws", "Desk.ask=Busy"],
        &expect![[r#"
        exit 0
        --- stdout
        2 components: no error (3 configurations, 3 steps)
    "#]],
    );
    folder.check(&["check", "desk.bp", "--throws", "Desk.ask="], &expect![[r#"
        exit 1
        --- stdout
        2 components: bad activity (3 configurations, 2 steps)

          1  Client → Clerk  Desk.ask^
             Clerk → nobody  Desk.Busy$

        error[S020]: `Clerk` throws `Desk.Busy`, and nobody accepts it
         --> desk.bp:2:33
          |
        1 | Client try { !Desk.ask } catch { ?Desk.Busy : NULL }
          |                                   --------- `Client` accepts it here, but not at this moment
        2 | Clerk ?Desk.ask { NULL + throw !Busy }
          |                                 ^^^^ `Clerk` throws it here
          |
          = note: `Client` is ready for ?Desk.ask$
        replay: quadrille check desk.bp --throws Desk.ask= --trace-out trace.json
                quadrille replay desk.bp trace.json
        --- stderr
        warning[C009]: exception Desk.Busy of Desk.ask is not listed by its interface
         --> desk.bp:2:26
          |
        2 | Clerk ?Desk.ask { NULL + throw !Busy }
          |                          ^^^^^^^^^^^
        see `quadrille explain C009`
    "#]]);
}

#[test]
fn formulas_about_events() {
    let text = b"Client (!Desk.ask)*\nClerk (?Desk.ask)*\n";
    let folder = Folder::new([("desk.bp", text)]);
    let answered = r#"always ("Desk.ask^" -> eventually "Desk.ask$")"#;
    folder.check(&["check", "desk.bp", "--formula", answered], &expect![[r#"
        exit 0
        --- stdout
        holds: always ("Desk.ask^" -> eventually "Desk.ask$")  (3 states, 3 transitions, maximal runs)
        note: no deadlock
    "#]]);
    folder.check(
        &["check", "desk.bp", "--formula", r#"G !"Desk.ask$""#],
        &expect![[r#"
        exit 1
        --- stdout
        violated: G !"Desk.ask$"  (2 states, 2 transitions, maximal runs)

          1  τDesk.ask^
          2  τDesk.ask$

          replay: quadrille check desk.bp --formula 'G !"Desk.ask$"' --trace-out trace.json
                  quadrille replay desk.bp trace.json

        note: no deadlock
    "#]],
    );
    folder.check(
        &["check", "desk.bp", "--formula", r#"AG EF "Desk.ask^""#],
        &expect![[r#"
        exit 0
        --- stdout
        holds: AG EF "Desk.ask^"  (2 states, 2 transitions)
        note: no deadlock
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
            property: `Client` calls `Desk.leave`, and nobody accepts it

              1  τDesk.ask^
              2  τDesk.ask$
        "#]],
    );
    folder.check(
        &["draw", ".", "--trace", "trace.json", "-o", "trace.mmd"],
        &expect![[r#"
            exit 0
        "#]],
    );
    expect![[r#"
        sequenceDiagram
          participant p0 as Clerk
          participant p1 as Client
          Note over p0,p1: #96;Client#96; calls #96;Desk.leave#96;, and nobody accepts it
          p1->>p0: Desk.ask^
          p0->>p1: Desk.ask$
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
             = help: leave --protocol, --arg, --parameter and --variant out
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
         = help: check the path; it is relative to the present folder
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

#[test]
fn lint_of_components() {
    let folder = Folder::new([
        ("client.bp", b"Client\n!Desk.ask ; NULL + !Desk.leave\n"),
        ("clerk.bp", b"Clerk\n(?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave\n"),
        ("fine.bp", CLERK),
        ("shop.arch", SHOP),
    ]);
    folder.check(
        &["lint", "client.bp", "clerk.bp"],
        &expect![[r#"
        exit 1
        --- stdout
        warning[C005]: an alternative behind `;` without parentheses
         --> client.bp:2:1
          |
        2 | !Desk.ask ; NULL + !Desk.leave
          | ^^^^^^^^^^^^^^^^ `;` binds tighter than `+`: all of this is one alternative
          |
          = help: write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is meant
        warning[C011]: Desk.leave is called and never accepted by Clerk
         --> client.bp:2:21
          |
        2 | !Desk.ask ; NULL + !Desk.leave
          |                     ^^^^^^^^^^
          |
          = help: did you mean `Desk.Leave`?
        warning[C017]: it is left open which branch accepts Desk.ask^
         --> clerk.bp:2:3
          |
        2 | (?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave
          |   ^^^^^^^^             --------
          |
          = help: give the branches different methods: `m_1` and `m_2`
        warning[C003]: `;` with nothing behind it
         --> clerk.bp:2:40
          |
        2 | (?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave
          |                                        ^
          |
          = help: `;` separates; leave the last one out
        warning[C014]: `Desk.Leave` is not `Desk.leave`: names are case-sensitive
         --> clerk.bp:2:48
          |
        2 | (?Desk.ask ; !Log.a | ?Desk.ask { NULL ; }) + ?Desk.Leave
          |                                                ^^^^^^^^^^
          |
          = help: spell both alike
        5 findings
    "#]],
    );
    folder.check(
        &["lint", "client.bp", "--format", "json"],
        &expect![[r#"
        exit 1
        --- stdout
        {
          "schema": "quadrille/1",
          "file": "client.bp",
          "findings": [
            {
              "code": "C005",
              "severity": "warning",
              "message": "an alternative behind `;` without parentheses",
              "places": [
                {
                  "file": "client.bp",
                  "line": 2,
                  "column": 1,
                  "text": "`;` binds tighter than `+`: all of this is one alternative"
                }
              ],
              "notes": [],
              "help": "write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is meant",
              "channel": null,
              "trace": null
            }
          ]
        }
    "#]],
    );
    folder.check(
        &["lint", "fine.bp"],
        &expect![[r#"
        exit 0
        --- stdout
        no findings
    "#]],
    );
    folder.check(
        &["lint", "fine.bp", "--throws", "Desk.ask=Busy"],
        &expect![[r#"
        exit 0
        --- stdout
        no findings
    "#]],
    );
    folder.check(
        &["lint", "client.bp", "--throws", "Desk.ask=Busy"],
        &expect![[r#"
        exit 1
        --- stdout
        warning[C005]: an alternative behind `;` without parentheses
         --> client.bp:2:1
          |
        2 | !Desk.ask ; NULL + !Desk.leave
          | ^^^^^^^^^^^^^^^^ `;` binds tighter than `+`: all of this is one alternative
          |
          = help: write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is meant
        error[C008]: exception Desk.Busy of Desk.ask is not caught
         --> client.bp:2:2
          |
        2 | !Desk.ask ; NULL + !Desk.leave
          |  ^^^^^^^^
          |
          = help: add `catch { ?Desk.Busy : … }` to a `try` around the call
        2 findings
    "#]],
    );
    folder.check(&["lint", "shop.arch"], &expect![[r#"
        exit 1
        --- stdout
        warning[C018]: clerk calls Log.write while it answers Desk.leave
         --> shop.arch:7:57
          |
        7 |   protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
          |                                                         ^^^^^^^^^ environment expects it during Desk.ask only
          |
          = help: let both say the same about the method
        warning[C011]: Log.flush is called and never accepted by environment
         --> shop.arch:7:70
          |
        7 |   protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
          |                                                                      ^^^^^^^^^
        warning[C012]: Back.count is accepted on an interface that is not bound to clerk; it never happens
         --> shop.arch:7:85
          |
        7 |   protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
          |                                                                                     ^^^^^^^^^^
        3 findings
    "#]]);
    folder.check(
        &["lint", "shop.arch", "--formula", "true"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `shop.arch` is no protocol
         |
         = help: formulas are looked at beside protocols only
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["lint", "none.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q001]: cannot read `none.bp`
         |
         = note: No such file or directory (os error 2)
         = help: check the path; it is relative to the present folder
        see `quadrille explain Q001`
    "#]],
    );
}

/// The clerk writes while it answers `leave`, the frame of the shop only during `ask`; and `count` is
/// on an interface that nobody is bound to.
const SHOP: &[u8] = b"interface Desk { ask; leave; count }
interface Log { write; flush }
component Clerk {
  provides Desk
  provides Back : Desk
  requires Log
  protocol { (?Desk.ask { !Log.write } + ?Desk.leave { !Log.write ; !Log.flush } + ?Back.count)* }
}
component Shop {
  provides Front : Desk
  requires Log
  contains clerk : Clerk
  delegate Front to clerk.Desk
  subsume clerk.Log to Log
  protocol { (?Front.ask { !Log.write } + ?Front.leave)* }
}
";

#[test]
fn an_exception_that_is_not_caught_is_an_error() {
    let folder = Folder::new([
        ("client.bp", CLIENT),
        ("clerk.bp", CLERK),
        ("busy.bp", b"Clerk\n?Desk.ask { throw !Busy + NULL } ; ?Desk.leave\n"),
    ]);
    let throws = ["--throws", "Desk.ask=Busy"];
    let check = |file: &str, expected: &expect_test::Expect| {
        folder.check(&["check", "client.bp", file, throws[0], throws[1]], expected);
    };
    check(
        "clerk.bp",
        &expect![[r#"
        exit 2
        --- stderr
        error[C008]: exception Desk.Busy of Desk.ask is not caught
         --> client.bp:2:2
          |
        2 | !Desk.ask ; !Desk.leave
          |  ^^^^^^^^
          |
          = help: add `catch { ?Desk.Busy : … }` to a `try` around the call
        see `quadrille explain C008`
    "#]],
    );
    check(
        "busy.bp",
        &expect![[r#"
            exit 1
            --- stdout
            2 components: bad activity (5 configurations, 4 steps)

              1  Client → Clerk  Desk.ask^
                 Clerk → nobody  Desk.Busy$

            error[S020]: `Clerk` throws `Desk.Busy`, and nobody accepts it
             --> busy.bp:2:20
              |
            2 | ?Desk.ask { throw !Busy + NULL } ; ?Desk.leave
              |                    ^^^^ `Clerk` throws it here
              |
              = note: no other component accepts it at all
            replay: quadrille check client.bp busy.bp --throws Desk.ask=Busy --trace-out trace.json
                    quadrille replay client.bp trace.json
            --- stderr
            error[C008]: exception Desk.Busy of Desk.ask is not caught
             --> client.bp:2:2
              |
            2 | !Desk.ask ; !Desk.leave
              |  ^^^^^^^^
              |
              = help: add `catch { ?Desk.Busy : … }` to a `try` around the call
            see `quadrille explain C008`
        "#]],
    );
}
