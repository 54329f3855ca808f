//! Components that do not fit: bad activity, no activity, activity for ever, exceptions nobody catches.

use expect_test::expect;

use super::{CLIENT, HASTY};
use crate::folder::Folder;

#[test]
fn bad_activity() {
    let folder = Folder::new([("client.bp", CLIENT), ("clerk.bp", HASTY)]);
    folder.check(
        &["check", "client.bp", "clerk.bp", "--trace-out", "trace.mmd"],
        &expect![[r#"
            exit 1
            --- stdout
            2 components: bad activity (1 configuration, 0 steps; no reduction, no bounds)

                 Client → no receiver  Desk.ask^

            error[S020]: `Client` calls `Desk.ask`, and no component accepts it
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
            --- stderr
            wrote trace.mmd
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
              "runs": null,
              "fairness": null,
              "reduction": null,
              "limits": {
                "states": null,
                "bytes": null
              },
              "form": "global",
              "engine": "breadth-first search",
              "trace": [
                "ε!Desk.ask^"
              ],
              "errors": [
                {
                  "kind": "bad activity",
                  "message": "`Client` calls `Desk.ask`, and no component accepts it",
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
                "property": "`Client` calls `Desk.ask`, and no component accepts it",
                "participants": [
                  "Client"
                ],
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
                  "kind": "refused",
                  "by": "Client",
                  "action": "Desk.ask^"
                }
              },
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
    folder.check(
        &["check", ".", "--bind", "Desk.ask", "--bind", "Desk.leave"],
        &expect![[r#"
            exit 1
            --- stdout
            2 components: bad activity (1 configuration, 0 steps; no reduction, no bounds)

                 Client → no receiver  Desk.ask^

            error[S020]: `Client` calls `Desk.ask`, and no component accepts it
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
            2 components: no error (25 configurations, 40 steps; no reduction, no bounds)
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
            3 components: no activity (3 configurations, 2 steps; no reduction, no bounds)

              1  A → B                      b.x^
              2  B → A                      b.x$
                 no component can continue

            error[S021]: no component can continue, and `A`, `B`, `C` have not finished
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
            2 components: infinite activity (2 configurations, 2 steps; no reduction, no bounds)

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
            --- stderr
            wrote endless.txt
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
        3 components: infinite activity (6 configurations, 6 steps; no reduction, no bounds)

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
            2 components: no error (3 configurations, 3 steps; no reduction, no bounds)
        "#]],
    );
    folder.check(&["check", "desk.bp", "--throws", "Desk.ask="], &expect![[r#"
        exit 1
        --- stdout
        2 components: bad activity (3 configurations, 2 steps; no reduction, no bounds)

          1  Client → Clerk       Desk.ask^
             Clerk → no receiver  Desk.Busy$

        error[S020]: `Clerk` throws `Desk.Busy`, and no component accepts it
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
          |
          = help: list it there, or correct the name
        see `quadrille explain C009`
    "#]]);
}

#[test]
fn item_13_unrelated_files_of_a_folder_are_separate_systems() {
    let lamp = b"Lamp\n?Lamp.on\nHand\n!Lamp.on ; !Lamp.off\n";
    let folder = Folder::new([("client.bp", CLIENT), ("clerk.bp", HASTY), ("lamp.bp", lamp)]);
    folder.check(
        &["check", ".", "-q"],
        &expect![[r#"
            exit 1
            --- stdout
            system of Clerk, Client: bad activity (1 configuration, 0 steps; no reduction, no bounds)

                 Client → no receiver  Desk.ask^

            error[S020]: `Client` calls `Desk.ask`, and no component accepts it
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
            replay: quadrille check ./clerk.bp ./client.bp --trace-out trace.json
                    quadrille replay ./clerk.bp trace.json
            system of Lamp, Hand: bad activity (3 configurations, 2 steps; no reduction, no bounds)

              1  Hand → Lamp         Lamp.on^
              2  Lamp → Hand         Lamp.on$
                 Hand → no receiver  Lamp.off^

            error[S020]: `Hand` calls `Lamp.off`, and no component accepts it
             --> ./lamp.bp:4:13
              |
            4 | !Lamp.on ; !Lamp.off
              |             ^^^^^^^^ `Hand` calls it here
              |
              = note: no other component accepts it at all
            replay: quadrille check ./lamp.bp --trace-out trace.json
                    quadrille replay ./lamp.bp trace.json
            bad activity: 2 of 2 checks found an error
        "#]],
    );
}
