//! Architectures of components: compliance, substitution, and every mistake with its place.

mod mistakes;

use expect_test::expect;

use crate::folder::Folder;

const SHOP: &str = "\
interface Desk { ask throws Busy; leave }
interface Log { write }
component Client {
  requires Desk
  protocol { try { !Desk.ask } catch { ?Desk.Busy : NULL } ; !Desk.leave }
}
component Clerk {
  provides Desk
  requires Log
  protocol in \"clerk.bp\"
}
component Shop {
  requires Log
  contains client : Client
  contains clerk : Clerk
  bind client.Desk to clerk.Desk
  subsume clerk.Log to Log
  protocol { !Log.write + NULL }
}
component Archive { provides Log protocol { ?Log.write* } }
component Town {
  contains shop : Shop
  contains archive : Archive
  bind shop.Log to archive.Log
}
";
const CLERK: &[u8] = b"Clerk\n?Desk.ask { !Log.write + throw !Busy } ; ?Desk.leave\n";

fn shop() -> Folder {
    Folder::new([
        ("shop.arch", SHOP.as_bytes()),
        ("clerk.bp", CLERK),
        ("talkative.bp", b"Clerk\n?Desk.ask { !Log.write } ; ?Desk.leave { !Log.write }\n"),
        ("silent.bp", b"Clerk\n?Desk.ask ; ?Desk.leave\n"),
        ("strange.bp", b"Clerk\n?Counter.ask ; ?Desk.leave ; throw !Busy\n"),
        ("two.bp", b"A NULL\nB NULL\n"),
    ])
}

#[test]
fn one_verdict_per_composite_and_an_overall_one() {
    let folder = shop();
    folder.check(
        &["check", "shop.arch"],
        &expect![[r#"
            exit 0
            --- stdout
            Shop, horizontal: no error (7 configurations, 7 steps; no reduction, no bounds)
            Shop, vertical: no error (10 configurations, 9 steps; no reduction, no bounds)
            Town, horizontal: no error (3 configurations, 2 steps; no reduction, no bounds)
            no error in 3 checks
        "#]],
    );
    std::fs::copy(folder.path().join("talkative.bp"), folder.path().join("clerk.bp"))
        .expect("a copy");
    folder.check(
        &["check", "shop.arch", "--trace-out", "trace.mmd"],
        &expect![[r#"
            exit 1
            --- stdout
            Shop, horizontal: no error (9 configurations, 8 steps; no reduction, no bounds)
            never happens: shop.arch:5:41  Desk.Busy : NULL
            Shop, vertical: bad activity (6 configurations, 5 steps; no reduction, no bounds)

              1  client → clerk       Desk.ask^
              2  clerk → environment  Log.write^
              3  environment → clerk  Log.write$
              4  clerk → client       Desk.ask$
              5  client → clerk       Desk.leave^
                 clerk → no receiver  Log.write^

            error[S020]: `clerk` calls `Log.write`, and no component accepts it
              --> clerk.bp:2:43
               |
             2 | ?Desk.ask { !Log.write } ; ?Desk.leave { !Log.write }
               |                                           ^^^^^^^^^ `clerk` calls it here
               |
              ::: shop.arch:18:15
               |
            18 |   protocol { !Log.write + NULL }
               |               --------- `environment` accepts it here, but not at this moment
               |
               = note: `environment` can do nothing more
            replay: quadrille check shop.arch --composite Shop --compliance vertical --trace-out trace.json
                    quadrille replay shop.arch trace.json
            Town, horizontal: no error (3 configurations, 2 steps; no reduction, no bounds)
            bad activity: 1 of 3 checks found an error
            --- stderr
            wrote trace.mmd
        "#]],
    );
    expect![[r#"
        sequenceDiagram
          participant p0 as client
          participant p1 as clerk
          participant p2 as environment
          Note over p0,p2: #96;clerk#96; calls #96;Log.write#96;, and no component accepts it
          p0->>p1: Desk.ask^
          p1->>p2: Log.write^
          p2->>p1: Log.write$
          p1->>p0: Desk.ask$
          p0->>p1: Desk.leave^
          Note over p1: Log.write^#58; no one accepts it
    "#]]
    .assert_eq(&folder.read("trace.mmd"));
    folder.check(
        &["check", "shop.arch", "--format", "json"],
        &expect![[r#"
            exit 1
            --- stdout
            {
              "schema": "quadrille/1",
              "files": [
                "shop.arch"
              ],
              "verdict": "bad activity",
              "checks": [
                {
                  "check": {
                    "name": "Shop",
                    "kind": "horizontal",
                    "verdict": "no error"
                  },
                  "configurations": 9,
                  "steps": 8,
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
                    "statements": [
                      {
                        "file": "shop.arch",
                        "line": 5,
                        "column": 41,
                        "text": "Desk.Busy : NULL"
                      }
                    ]
                  },
                  "seconds": …
                },
                {
                  "check": {
                    "name": "Shop",
                    "kind": "vertical",
                    "verdict": "bad activity"
                  },
                  "configurations": 6,
                  "steps": 5,
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
                    "τDesk.ask^",
                    "τLog.write^",
                    "τLog.write$",
                    "τDesk.ask$",
                    "τDesk.leave^",
                    "ε!Log.write^"
                  ],
                  "errors": [
                    {
                      "kind": "bad activity",
                      "message": "`clerk` calls `Log.write`, and no component accepts it",
                      "event": "Log.write^",
                      "components": [
                        "clerk"
                      ],
                      "places": [
                        {
                          "file": "clerk.bp",
                          "line": 2,
                          "column": 43,
                          "text": "`clerk` calls it here"
                        },
                        {
                          "file": "shop.arch",
                          "line": 18,
                          "column": 15,
                          "text": "`environment` accepts it here, but not at this moment"
                        }
                      ],
                      "trace": [
                        "τDesk.ask^",
                        "τLog.write^",
                        "τLog.write$",
                        "τDesk.ask$",
                        "τDesk.leave^",
                        "ε!Log.write^"
                      ]
                    }
                  ],
                  "story": {
                    "property": "`clerk` calls `Log.write`, and no component accepts it",
                    "participants": [
                      "client",
                      "clerk",
                      "environment"
                    ],
                    "initial": {
                      "client": "0",
                      "clerk": "0",
                      "environment": "0"
                    },
                    "hidden": [
                      "client",
                      "clerk",
                      "environment"
                    ],
                    "options": [
                      "--composite",
                      "Shop",
                      "--compliance",
                      "vertical"
                    ],
                    "steps": [
                      {
                        "action": "τDesk.ask^",
                        "shape": {
                          "kind": "exchange",
                          "from": "client",
                          "to": [
                            "clerk"
                          ],
                          "message": "Desk.ask^"
                        },
                        "changes": {
                          "client": "1",
                          "clerk": "1"
                        }
                      },
                      {
                        "action": "τLog.write^",
                        "shape": {
                          "kind": "exchange",
                          "from": "clerk",
                          "to": [
                            "environment"
                          ],
                          "message": "Log.write^"
                        },
                        "changes": {
                          "clerk": "2",
                          "environment": "1"
                        }
                      },
                      {
                        "action": "τLog.write$",
                        "shape": {
                          "kind": "exchange",
                          "from": "environment",
                          "to": [
                            "clerk"
                          ],
                          "message": "Log.write$"
                        },
                        "changes": {
                          "clerk": "3",
                          "environment": "2"
                        }
                      },
                      {
                        "action": "τDesk.ask$",
                        "shape": {
                          "kind": "exchange",
                          "from": "clerk",
                          "to": [
                            "client"
                          ],
                          "message": "Desk.ask$"
                        },
                        "changes": {
                          "client": "2",
                          "clerk": "4"
                        }
                      },
                      {
                        "action": "τDesk.leave^",
                        "shape": {
                          "kind": "exchange",
                          "from": "client",
                          "to": [
                            "clerk"
                          ],
                          "message": "Desk.leave^"
                        },
                        "changes": {
                          "client": "3",
                          "clerk": "5"
                        }
                      }
                    ],
                    "ending": {
                      "kind": "refused",
                      "by": "clerk",
                      "action": "Log.write^"
                    }
                  },
                  "never": {
                    "taken": [],
                    "lines": [],
                    "reached": [],
                    "statements": []
                  },
                  "seconds": …
                },
                {
                  "check": {
                    "name": "Town",
                    "kind": "horizontal",
                    "verdict": "no error"
                  },
                  "configurations": 3,
                  "steps": 2,
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
              ]
            }
        "#]],
    );
    folder.check(&["check", "shop.arch", "--max-states", "1", "-q"], &expect![[r#"
        exit 3
        --- stdout
        Shop, horizontal: unknown: the bound of 1 state was reached; raise --max-states, or check a smaller instance
        Shop, vertical: unknown: the bound of 1 state was reached; raise --max-states, or check a smaller instance
        Town, horizontal: unknown: the bound of 1 state was reached; raise --max-states, or check a smaller instance
        unknown: 3 of 3 checks did not finish
    "#]]);
}

#[test]
fn replacing_a_component() {
    let folder = shop();
    folder.check(
        &["substitute", "shop.arch", "Clerk", "silent.bp"],
        &expect![[r#"
            exit 0
            --- stdout
            Shop, horizontal: no error (5 configurations, 4 steps; no reduction, no bounds)
            Shop, vertical: no error (5 configurations, 4 steps; no reduction, no bounds)
            Clerk, anywhere: bad activity (2 configurations, 1 step; no reduction, no bounds)

              1  environment → Clerk  Desk.ask^
                 Clerk → no receiver  Desk.ask$

            error[S020]: `Clerk` answers `Desk.ask`, and no component accepts it
             --> silent.bp:2:2
              |
            2 | ?Desk.ask ; ?Desk.leave
              |  ^^^^^^^^ `Clerk` answers it here
              |
             ::: clerk.bp:2:2
              |
            2 | ?Desk.ask { !Log.write + throw !Busy } ; ?Desk.leave
              |  -------- `environment` accepts it here, but not at this moment
              |
              = note: `environment` is ready for ?Desk.Busy$, ?Log.write^
            `silent.bp` may replace `Clerk` here, but not anywhere
        "#]],
    );
    folder.check(
        &["substitute", "shop.arch", "Clerk", "talkative.bp"],
        &expect![[r#"
            exit 1
            --- stdout
            Shop, horizontal: no error (9 configurations, 8 steps; no reduction, no bounds)
            Shop, vertical: bad activity (6 configurations, 5 steps; no reduction, no bounds)

              1  client → clerk       Desk.ask^
              2  clerk → environment  Log.write^
              3  environment → clerk  Log.write$
              4  clerk → client       Desk.ask$
              5  client → clerk       Desk.leave^
                 clerk → no receiver  Log.write^

            error[S020]: `clerk` calls `Log.write`, and no component accepts it
              --> talkative.bp:2:43
               |
             2 | ?Desk.ask { !Log.write } ; ?Desk.leave { !Log.write }
               |                                           ^^^^^^^^^ `clerk` calls it here
               |
              ::: shop.arch:18:15
               |
            18 |   protocol { !Log.write + NULL }
               |               --------- `environment` accepts it here, but not at this moment
               |
               = note: `environment` can do nothing more
            Clerk, anywhere: bad activity (6 configurations, 5 steps; no reduction, no bounds)

              1  environment → Clerk  Desk.ask^
              2  Clerk → environment  Log.write^
              3  environment → Clerk  Log.write$
              4  Clerk → environment  Desk.ask$
              5  environment → Clerk  Desk.leave^
                 Clerk → no receiver  Log.write^

            error[S020]: `Clerk` calls `Log.write`, and no component accepts it
             --> talkative.bp:2:43
              |
            2 | ?Desk.ask { !Log.write } ; ?Desk.leave { !Log.write }
              |                                           ^^^^^^^^^ `Clerk` calls it here
              |
             ::: clerk.bp:2:14
              |
            2 | ?Desk.ask { !Log.write + throw !Busy } ; ?Desk.leave
              |              --------- `environment` accepts it here, but not at this moment
              |
              = note: `environment` is ready for ?Desk.leave$
            `talkative.bp` may not replace `Clerk` here
        "#]],
    );
    folder.check(
        &["substitute", "shop.arch", "Clerk", "strange.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[S001]: `Clerk` has no interface `Counter`
         --> strange.bp:2:2
          |
        2 | ?Counter.ask ; ?Desk.leave ; throw !Busy
          |  ^^^^^^^^^^^
          |
          = help: there is `Desk`, `Log`
        error[S001]: `Busy` is on no interface
         --> strange.bp:2:37
          |
        2 | ?Counter.ask ; ?Desk.leave ; throw !Busy
          |                                     ^^^^
          |
          = help: there is `Desk`, `Log`
        see `quadrille explain S001`
    "#]],
    );
    folder.check(
        &["substitute", "shop.arch", "Clark", "silent.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[S002]: the architecture has no component `Clark`
         |
         = help: did you mean `Clerk`?
        see `quadrille explain S002`
    "#]],
    );
    folder.check(
        &["substitute", "shop.arch", "Clerk", "two.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[S002]: `two.bp` has no component `Clerk`
         |
         = help: a file with one component needs no name in common
        see `quadrille explain S002`
    "#]],
    );
}
