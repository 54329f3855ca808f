//! Components and architectures as models like any other: formulas about events, states, drawings,
//! replay; and reduced before they are checked.

use expect_test::expect;

use crate::folder::Folder;

const SHOP: &[u8] = b"\
interface Desk { ask; leave }
interface Log { write }
component Client { requires Desk protocol { !Desk.ask ; !Desk.leave } }
component Clerk {
  provides Desk
  requires Log
  protocol { ?Desk.ask { !Log.write + NULL } ; ?Desk.leave }
}
component Shop {
  requires Log
  contains client : Client
  contains clerk : Clerk
  bind client.Desk to clerk.Desk
  subsume clerk.Log to Log
  protocol { !Log.write + NULL }
}
component Archive { provides Log protocol { ?Log.write } }
component Town {
  contains shop : Shop
  contains archive : Archive
  bind shop.Log to archive.Log
}
";

fn shop() -> Folder {
    Folder::new([("shop.arch", SHOP)])
}

#[test]
fn events_need_no_quotes() {
    let text = b"types { Mode = { ON, OFF } }\n\
        Hand (!lamp.set(ON) ; !lamp.set(OFF))*\nLamp (?lamp.set(Mode m))*\n";
    let folder = Folder::new([("lamp.bp", text)]);
    let check = |formula: &str, expected| {
        folder.check(&["check", "lamp.bp", "--formula", formula], expected);
    };
    check(
        "always (lamp.set(ON)^ -> eventually lamp.set$)",
        &expect![[r#"
            exit 0
            --- stdout
            holds: always (lamp.set(ON)^ -> eventually lamp.set$)  (4 states, 4 transitions; maximal runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (4 states, 4 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
    check(
        "AG (lamp.set(ON)↑ -> AF lamp.set↓)",
        &expect![[r#"
            exit 0
            --- stdout
            holds: AG (lamp.set(ON)↑ -> AF lamp.set↓)  (4 states, 4 transitions; no reduction, no bounds)
            holds: no deadlock  (4 states, 4 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
    check(
        "not lamp.set(OFF)^ U lamp.set(ON)^",
        &expect![[r#"
            exit 1
            --- stdout
            violated: not lamp.set(OFF)^ U lamp.set(ON)^  (4 states, 4 transitions; maximal runs, no fairness, no reduction, no bounds)

              finished: the system may stop here, and nothing more need happen

              replay: quadrille check lamp.bp --formula 'not lamp.set(OFF)^ U lamp.set(ON)^' --trace-out trace.json
                      quadrille replay lamp.bp trace.json

            holds: no deadlock  (4 states, 4 transitions; no reduction, no bounds)
            2 checks: 1 failed, 1 passed
        "#]],
    );
    check(
        "G !lamp.set(OFF)^",
        &expect![[r#"
            exit 1
            --- stdout
            violated: G !lamp.set(OFF)^  (4 states, 4 transitions; maximal runs, no fairness, no reduction, no bounds)

              1  τlamp.set(ON)^
              2  τlamp.set$
              3  τlamp.set(OFF)^

              replay: quadrille check lamp.bp --formula 'G !lamp.set(OFF)^' --trace-out trace.json
                      quadrille replay lamp.bp trace.json

            holds: no deadlock  (4 states, 4 transitions; no reduction, no bounds)
            2 checks: 1 failed, 1 passed
        "#]],
    );
    check(
        "F lamp.get^",
        &expect![[r#"
        exit 2
        --- stderr
        error[Q006]: the model has no action `lamp.get^`
         --> formula 1:1:3
          |
        1 | F lamp.get^
          |   ^^^^^^^^^
          |
          = help: did you mean lamp.set$?
        see `quadrille explain Q006`
    "#]],
    );
    check(
        "F lamp^$",
        &expect![[r#"
        exit 2
        --- stderr
        error[F001]: expected an operator or the end
         --> formula 1:1:8
          |
        1 | F lamp^$
          |        ^ an operand already stands before this
          |
          = help: join the two with `and`, `or`, `implies`, `until` …
        error[F001]: expected an event such as `Desk.ask^`, a proposition, an action in double quotes, `(` or `not`
         --> formula 1:1:8
          |
        1 | F lamp^$
          |        ^ no operand starts with this
        see `quadrille explain F001`
    "#]],
    );
}

#[test]
fn formulas_about_a_composite() {
    let folder = shop();
    let formula = "eventually Log.write^";
    folder.check(
        &["check", "shop.arch", "--formula", formula],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: the architecture has the composites `Shop`, `Town`
         |
         = help: name one of them with --composite
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["check", "shop.arch", "--composite", "Shop", "--formula", formula],
        &expect![[r#"
            exit 1
            --- stdout
            violated: eventually Log.write^  (10 states, 9 transitions; maximal runs, no fairness, no reduction, no bounds)

              1  τDesk.ask^
              2  τDesk.ask$
              3  τDesk.leave^
              4  τDesk.leave$
              finished: the system may stop here, and nothing more need happen

              replay: quadrille check shop.arch --composite Shop --compliance vertical --formula 'eventually Log.write^' --trace-out trace.json
                      quadrille replay shop.arch trace.json

            holds: no deadlock  (10 states, 9 transitions; no reduction, no bounds)
            2 checks: 1 failed, 1 passed
        "#]],
    );
    let answered = "always (Desk.ask^ -> eventually Desk.ask$)";
    let horizontal = ["--composite", "Shop", "--compliance", "horizontal"];
    let mut command = vec!["check", "shop.arch", "--formula", answered];
    command.extend(horizontal);
    folder.check(
        &command,
        &expect![[r#"
            exit 0
            --- stdout
            holds: always (Desk.ask^ -> eventually Desk.ask$)  (7 states, 7 transitions; maximal runs, no fairness, no reduction, no bounds)
            holds: no deadlock  (7 states, 7 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
}

#[test]
fn one_composite_of_several() {
    let folder = shop();
    folder.check(
        &["check", "shop.arch", "--composite", "Shop"],
        &expect![[r#"
            exit 0
            --- stdout
            Shop, horizontal: no error (7 configurations, 7 steps; no reduction, no bounds)
            Shop, vertical: no error (10 configurations, 9 steps; no reduction, no bounds)
            no error in 2 checks
        "#]],
    );
    folder.check(
        &["check", "shop.arch", "--compliance", "vertical"],
        &expect![[r#"
            exit 0
            --- stdout
            Shop, vertical: no error (10 configurations, 9 steps; no reduction, no bounds)
            no error in 1 check
        "#]],
    );
    folder.check(
        &["check", "shop.arch", "--composite", "Shp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[S002]: the architecture has no component `Shp`
         |
         = help: did you mean `Shop`?
        see `quadrille explain S002`
    "#]],
    );
    folder.check(
        &["check", "shop.arch", "--composite", "Clerk"],
        &expect![[r#"
        exit 2
        --- stderr
        error[S002]: `Clerk` has no parts
         --> shop.arch:4:11
          |
        4 | component Clerk {
          |           ^^^^^
        see `quadrille explain S002`
    "#]],
    );
    folder.check(
        &["states", "shop.arch", "--composite", "Town", "--compliance", "vertical"],
        &expect![[r#"
            exit 2
            --- stderr
            error[S011]: none of the selected composites has a frame protocol
            see `quadrille explain S011`
        "#]],
    );
    folder.check(
        &["states", "shop.arch", "--composite", "Shop"],
        &expect![[r#"
            exit 0
            --- stdout
            states           10
            transitions      9
            deadlocks        0
            depth            6
            memory           512 B
            bytes per state  51.2
            seconds          …
        "#]],
    );
    folder.check(
        &["draw", "shop.arch", "--composite", "Town", "--to", "mermaid"],
        &expect![[r#"
            exit 0
            --- stdout
            flowchart TD
              subgraph whole["shop.arch: Town"]
                s0["shop : Shop"]
                s1["archive : Archive"]
              end
              s0 -->|"Log"| s1
        "#]],
    );
}

#[test]
fn the_trace_of_a_composite_is_replayed() {
    let text = String::from_utf8_lossy(SHOP);
    let silent = text
        .replace("{ !Log.write + NULL }\n}\ncomponent Archive", "{ NULL }\n}\ncomponent Archive");
    let folder = Folder::new([("shop.arch", silent.as_bytes())]);
    folder.run(&["check", "shop.arch", "--trace-out", "trace.json"]);
    folder.check(
        &["replay", "shop.arch", "trace.json"],
        &expect![[r#"
            exit 0
            --- stdout
            fits: the model performs all 1 step and ends as told
            property: `clerk` calls `Log.write`, and no component accepts it

              1  τDesk.ask^
              clerk emits Log.write^, and no one accepts it
        "#]],
    );
    folder.check(
        &["draw", "shop.arch", "--trace", "trace.json", "--to", "mermaid"],
        &expect![[r#"
            exit 0
            --- stdout
            sequenceDiagram
              participant p0 as client
              participant p1 as clerk
              Note over p0,p1: #96;clerk#96; calls #96;Log.write#96;, and no component accepts it
              p0->>p1: Desk.ask^
              Note over p1: Log.write^#58; no one accepts it
        "#]],
    );
}

#[test]
fn a_trace_records_how_components_were_put_together() {
    let folder = Folder::new([
        ("client.bp", b"Client !Desk.ask ; !Log.write ; !Desk.leave\n"),
        ("clerk.bp", b"Clerk ?Desk.ask\n"),
    ]);
    let command = ["check", "client.bp", "clerk.bp", "--bind", "Desk.ask", "--external", "Log"];
    let mut asked = command.to_vec();
    asked.extend(["--formula", "G !Log.write$"]);
    folder.check(&asked, &expect![[r#"
        exit 1
        --- stdout
        violated: G !Log.write$  (7 states, 6 transitions; maximal runs, no fairness, no reduction, no bounds)

          1  τDesk.ask^
          2  τDesk.ask$
          3  !Log.write^
          4  ?Log.write$

          replay: quadrille check client.bp clerk.bp --bind Desk.ask --external Log --formula 'G !Log.write$' --trace-out trace.json
                  quadrille replay client.bp trace.json

        holds: no deadlock  (7 states, 6 transitions; no reduction, no bounds)
        2 checks: 1 failed, 1 passed
    "#]]);
    asked.extend(["--trace-out", "trace.json", "-q"]);
    folder.run(&asked);
    folder.check(
        &["replay", "client.bp", "trace.json"],
        &expect![[r#"
        exit 0
        --- stdout
        fits: the model performs all 4 steps and ends as told
        property: G !Log.write$

          1  τDesk.ask^
          2  τDesk.ask$
          3  !Log.write^
          4  ?Log.write$
    "#]],
    );
    // Put together in another way, the same trace fits no longer.
    let told = folder.read("trace.json").replace("\"Desk.ask\"", "\"Desk\"");
    let other = Folder::new([
        ("client.bp", folder.read("client.bp").as_bytes()),
        ("clerk.bp", b"Clerk ?Desk.leave ; ?Desk.ask\n"),
        ("trace.json", told.as_bytes()),
        ("strange.json", told.replace("--bind", "--blind").as_bytes()),
    ]);
    other.check(
        &["replay", "client.bp", "trace.json"],
        &expect![[r#"
        exit 1
        --- stdout
        does not fit: step 1, `τDesk.ask^`, is not possible there; the model offers nothing
        property: G !Log.write$

          1  τDesk.ask^
          2  τDesk.ask$
          3  !Log.write^
          4  ?Log.write$
    "#]],
    );
    other.check(
        &["replay", "client.bp", "strange.json"],
        &expect![[r#"
        exit 2
        --- stderr
        error[R001]: the trace has unknown options: clerk.bp --blind Desk --external Log
         --> strange.json:1:1
          |
        1 | {
          | ^
          |
          = help: check again to get a trace of the model as it is now
        see `quadrille explain R001`
    "#]],
    );
}

#[test]
fn what_is_printed_as_json_is_replayed() {
    let files = [
        ("client.bp", &b"Client !Desk.ask ; !Desk.leave\n"[..]),
        ("clerk.bp", b"Clerk ?Desk.ask\n"),
    ];
    let command = ["check", "client.bp", "clerk.bp", "--bind", "Desk", "--format", "json"];
    let printed = Folder::new(files).run(&command).stdout;
    let folder = Folder::new([files[0], files[1], ("found.json", &printed)]);
    folder.check(
        &["replay", "client.bp", "found.json"],
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
    let silent = String::from_utf8_lossy(SHOP).replace("!Log.write + NULL }\n}", "NULL }\n}");
    let files = [("shop.arch", silent.as_bytes())];
    let printed = Folder::new(files).run(&["check", "shop.arch", "--format", "json"]).stdout;
    let folder = Folder::new([files[0], ("found.json", &printed)]);
    folder.check(
        &["replay", "shop.arch", "found.json"],
        &expect![[r#"
            exit 0
            --- stdout
            fits: the model performs all 1 step and ends as told
            property: `clerk` calls `Log.write`, and no component accepts it

              1  τDesk.ask^
              clerk emits Log.write^, and no one accepts it
        "#]],
    );
}

#[test]
fn reduced_before_they_are_checked() {
    let folder = Folder::new([
        ("fit.bp", b"A (!x.a ; !x.b)*\nB (?x.a)* | (?x.b)*\n"),
        ("late.bp", b"A !x.a ; !x.b ; !x.c\nB ?x.a ; ?x.b\nC ?x.c ; ?x.d\nD NULL + !x.d\n"),
        ("shop.arch", SHOP),
    ]);
    folder.check(
        &["check", "fit.bp", "--reduce"],
        &expect![[r#"
            exit 0
            --- stdout
            2 components: no error (1 configuration, 0 steps; 4 configurations, 4 steps unreduced; components reduced before composition, no bounds)
        "#]],
    );
    folder.check(
        &["check", "fit.bp", "--reduce", "--format", "json"],
        &expect![[r#"
            exit 0
            --- stdout
            {
              "schema": "quadrille/1",
              "files": [
                "fit.bp"
              ],
              "verdict": "no error",
              "configurations": 1,
              "steps": 0,
              "unreduced": {
                "configurations": 4,
                "steps": 4
              },
              "bound": null,
              "runs": null,
              "fairness": null,
              "reduction": "components reduced before composition",
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
    folder.check(
        &["check", "late.bp", "--reduce"],
        &expect![[r#"
            exit 1
            --- stdout
            4 components: bad activity (3 configurations, 2 steps; 9 configurations, 8 steps unreduced; components reduced before composition, no bounds)

              1  A → B            x.a^
              2  B → A            x.a$
              3  A → B            x.b^
              4  B → A            x.b$
              5  A → C            x.c^
                 D → no receiver  x.d^

            error[S020]: `D` calls `x.d`, and no component accepts it
             --> late.bp:4:11
              |
            3 | C ?x.c ; ?x.d
              |           --- `C` accepts it here, but not at this moment
            4 | D NULL + !x.d
              |           ^^^ `D` calls it here
              |
              = note: `C` is ready for !x.c$
            replay: quadrille check late.bp --trace-out trace.json
                    quadrille replay late.bp trace.json
        "#]],
    );
    folder.check(
        &["check", "shop.arch", "--reduce"],
        &expect![[r#"
            exit 0
            --- stdout
            Shop, horizontal: no error (1 configuration, 0 steps; 7 configurations, 7 steps unreduced; components reduced before composition, no bounds)
            Shop, vertical: no error (4 configurations, 3 steps; 10 configurations, 9 steps unreduced; components reduced before composition, no bounds)
            Town, horizontal: no error (2 configurations, 1 step; 3 configurations, 2 steps unreduced; components reduced before composition, no bounds)
            no error in 3 checks
        "#]],
    );
    folder.check(
        &["check", "fit.bp", "--reduce", "--formula", "G true"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q012]: --reduce preserves only compatibility verdicts, so it cannot be combined with formulas
             |
             = help: leave --reduce out, or ask no formula
            see `quadrille explain Q012`
        "#]],
    );
}
