//! `lint`, `project`, `monitor` and the views of `draw`: what is asked of protocols only.

use std::io::Write as _;
use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::folder::{Folder, shown};

const SHOP: &str = "message Order, Goods, Bill;
role buyer, shop;
protocol shopping {
    Order from buyer to shop;
    either { Goods from shop to buyer; } or { Bill from shop to buyer; }
    buyer closes shop;
    shop closes buyer;
}
property served: F (buyer receives Goods or buyer receives Bill);
property vague: G (buyer sends Goods -> F shop sends Bill);
";

/// Both may begin at once.
const RACE: &str = "message Hello;
role a, b;
protocol greet {
    either { Hello from a to b; } or { Hello from b to a; }
}
";

fn folder() -> Folder {
    Folder::new([
        ("shop.quad", SHOP.as_bytes()),
        ("race.quad", RACE.as_bytes()),
        ("door.aut", b"des (0, 1, 2)\n(0, \"open\", 1)\n"),
    ])
}

#[test]
fn lint_finds_mistakes() {
    let folder = folder();
    folder.check(
        &["lint", "shop.quad"],
        &expect![[r#"
        exit 1
        --- stdout
        warning[L018]: no action of the protocol matches `buyer sends Goods to *`
          --> shop.quad:10:17
           |
        10 | property vague: G (buyer sends Goods -> F shop sends Bill);
           |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ never true
           |
           = help: compare roles, messages and spelling with the protocol
        1 finding
    "#]],
    );
    folder.check(&["lint", "race.quad", "--formula", "F a receives Hello"], &expect![[r#"
        exit 1
        --- stdout
        warning[L002]: the channel from b to a is used and not always closed
         --> race.quad:4:40
          |
        4 |     either { Hello from a to b; } or { Hello from b to a; }
          |                                        ^^^^^^^^^^^^^^^^^^ here
          |
          = note: shown by: b sends Hello to a; a receives Hello from b
          = help: close it where the protocol ends
        warning[L002]: the channel from a to b is used and not always closed
         --> race.quad:4:14
          |
        4 |     either { Hello from a to b; } or { Hello from b to a; }
          |              ^^^^^^^^^^^^^^^^^^ here
          |
          = note: shown by: a sends Hello to b; b receives Hello from a
          = help: close it where the protocol ends
        warning[L011]: a choice between `a sends Hello to b` and `b sends Hello to a` is not decided by one role
         --> race.quad:4:14
          |
        4 |     either { Hello from a to b; } or { Hello from b to a; }
          |              ^^^^^^^^^^^^^^^^^^        ------------------ or this
          |              |
          |              either this
          |
          = note: at the start
          = help: let one role decide and tell the others
        3 findings
    "#]]);
    folder.check(
        &["lint", "shop.quad", "--format", "json"],
        &expect![[r#"
        exit 1
        --- stdout
        {
          "schema": "quadrille/1",
          "file": "shop.quad",
          "findings": [
            {
              "code": "L018",
              "severity": "warning",
              "message": "no action of the protocol matches `buyer sends Goods to *`",
              "places": [
                {
                  "file": "shop.quad",
                  "line": 10,
                  "column": 17,
                  "text": "never true"
                }
              ],
              "notes": [],
              "help": "compare roles, messages and spelling with the protocol",
              "channel": null,
              "trace": null
            }
          ]
        }
    "#]],
    );
    folder.check(
        &["lint", "door.aut"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q023]: `door.aut` is no protocol
         |
         = help: name a .quad or .dcj file
        see `quadrille explain Q023`
    "#]],
    );
    folder.check(
        &["lint", "shop.quad", "--protocol", "shoping"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q103]: there is no protocol `shoping`
         --> shop.quad:1:1
          |
        1 | message Order, Goods, Bill;
          | ^ not declared in this text
          |
          = help: did you mean `shopping`?
        see `quadrille explain Q103`
    "#]],
    );
}

#[test]
fn lint_without_findings() {
    let quad = "message Go; role a, b;\nprotocol p { Go from a to b; a closes b; }\n";
    Folder::new([("p.quad", quad.as_bytes())]).check(
        &["lint", "p.quad"],
        &expect![[r#"
        exit 0
        --- stdout
        no findings
    "#]],
    );
}

#[test]
fn projection_keeps_or_changes_behaviour() {
    let folder = folder();
    folder.check(&["project", "shop.quad"], &expect![[r#"
        exit 1
        --- stdout
        shopping: not faithful: the liberal form does more than the protocol says
          roles   shop 4 states, buyer 4 states
          queues  shop->buyer at most 1, buyer->shop at most 1
        warning[L020]: the liberal form allows `shop closes to buyer` where the protocol does not
         --> shop.quad:7:5
          |
        5 |     either { Goods from shop to buyer; } or { Bill from shop to buyer; }
          |              ------------------------- the protocol goes on here
        6 |     buyer closes shop;
        7 |     shop closes buyer;
          |     ^^^^^^^^^^^^^^^^^^ happens out of turn
          |
          = note: after: buyer sends Order to shop; shop receives Order from buyer; shop sends Goods to buyer
          = note: `shop` cannot tell from what it has done so far that it must wait
          = help: send a message to the role that must wait, or run the strict form

             start                            shop: 0   buyer: 0   shop->buyer: []   buyer->shop: []
          1  buyer sends Order to shop        buyer: 0 → 1   buyer->shop: [] → [Order]
          2  shop receives Order from buyer   shop: 0 → 1   buyer->shop: [Order] → []
          3  shop sends Goods to buyer        shop: 1 → 2   shop->buyer: [] → [Goods]
          4  shop closes to buyer             shop: 2 → 3

    "#]]);
    folder.check(
        &["project", "race.quad"],
        &expect![[r#"
        exit 1
        --- stdout
        greet: not faithful: the liberal form does more than the protocol says
          roles   b 2 states, a 2 states
          queues  b->a at most 1, a->b at most 1
        warning[L020]: the liberal form allows `b sends Hello to a` where the protocol does not
         --> race.quad:4:40
          |
        4 |     either { Hello from a to b; } or { Hello from b to a; }
          |              ------------------        ^^^^^^^^^^^^^^^^^^ happens out of turn
          |              |
          |              the protocol goes on here
          |
          = note: after: a sends Hello to b
          = note: `b` cannot tell from what it has done so far that it must wait
          = help: send a message to the role that must wait, or run the strict form

             start                b: 0   a: 0   b->a: []   a->b: []
          1  a sends Hello to b   a: 0 → 1   a->b: [] → [Hello]
          2  b sends Hello to a   b: 0 → 1   b->a: [] → [Hello]

    "#]],
    );
    folder.check(
        &["project", "race.quad", "--max-states", "2"],
        &expect![[r#"
        exit 3
        --- stderr
        unknown: the bound of 2 states was reached; raise --max-states, or check a smaller instance
    "#]],
    );
    folder.check(&["project", "shop.quad", "--format", "json"], &expect![[r#"
        exit 1
        --- stdout
        {
          "schema": "quadrille/1",
          "file": "shop.quad",
          "protocols": [
            {
              "protocol": "shopping",
              "arguments": [],
              "verdict": "added",
              "message": "not faithful: the liberal form does more than the protocol says",
              "roles": [
                {
                  "role": "shop",
                  "states": 4
                },
                {
                  "role": "buyer",
                  "states": 4
                }
              ],
              "queues": [
                {
                  "name": "shop->buyer",
                  "most": 1,
                  "unbounded": false
                },
                {
                  "name": "buyer->shop",
                  "most": 1,
                  "unbounded": false
                }
              ],
              "findings": [
                {
                  "code": "L020",
                  "severity": "warning",
                  "message": "the liberal form allows `shop closes to buyer` where the protocol does not",
                  "places": [
                    {
                      "file": "shop.quad",
                      "line": 7,
                      "column": 5,
                      "text": "happens out of turn"
                    },
                    {
                      "file": "shop.quad",
                      "line": 5,
                      "column": 14,
                      "text": "the protocol goes on here"
                    }
                  ],
                  "notes": [
                    "after: buyer sends Order to shop; shop receives Order from buyer; shop sends Goods to buyer",
                    "`shop` cannot tell from what it has done so far that it must wait"
                  ],
                  "help": "send a message to the role that must wait, or run the strict form"
                }
              ],
              "trace": {
                "property": "the liberal form does what the protocol says",
                "participants": [
                  "shop",
                  "buyer"
                ],
                "initial": {
                  "shop": 0,
                  "buyer": 0,
                  "shop->buyer": "[]",
                  "buyer->shop": "[]"
                },
                "steps": [
                  {
                    "action": "buyer sends Order to shop",
                    "shape": {
                      "kind": "send",
                      "from": "buyer",
                      "to": [
                        "shop"
                      ],
                      "message": "Order"
                    },
                    "changes": {
                      "buyer": 1,
                      "buyer->shop": "[Order]"
                    }
                  },
                  {
                    "action": "shop receives Order from buyer",
                    "shape": {
                      "kind": "receive",
                      "from": "buyer",
                      "to": "shop",
                      "message": "Order"
                    },
                    "changes": {
                      "shop": 1,
                      "buyer->shop": "[]"
                    }
                  },
                  {
                    "action": "shop sends Goods to buyer",
                    "shape": {
                      "kind": "send",
                      "from": "shop",
                      "to": [
                        "buyer"
                      ],
                      "message": "Goods"
                    },
                    "changes": {
                      "shop": 2,
                      "shop->buyer": "[Goods]"
                    }
                  },
                  {
                    "action": "shop closes to buyer",
                    "shape": {
                      "kind": "close",
                      "from": "shop",
                      "to": "buyer"
                    },
                    "changes": {
                      "shop": 3
                    }
                  }
                ],
                "ending": {
                  "kind": "prefix"
                }
              }
            }
          ]
        }
    "#]]);
    folder.check(
        &["project", "door.aut"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q023]: `door.aut` is no protocol
         |
         = help: name a .quad or .dcj file
        see `quadrille explain Q023`
    "#]],
    );
}

/// Runs the monitor on a log.
#[track_caller]
fn monitored(log: &str, expected: &Expect) {
    monitor(&folder(), &["monitor", "shop.quad"], log, expected);
}

/// Runs a monitor on a log.
#[track_caller]
pub fn monitor(folder: &Folder, arguments: &[&str], log: &str, expected: &Expect) {
    let mut command = folder.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("stdin").write_all(log.as_bytes()).expect("a log");
    expected.assert_eq(&shown(&child.wait_with_output().expect("it ends")));
}

#[test]
fn a_log_is_followed() {
    let order = "{\"event\": \"send\", \"role\": \"buyer\", \"message\": \"Order\", \"to\": \"shop\"}\n\
                 {\"event\": \"receive\", \"role\": \"shop\", \"message\": \"Order\"}\n";
    monitored(
        order,
        &expect![[r#"
        exit 3
        --- stdout
        conforms so far: 2 events
        warning[M004]: the log ends after action 2, and the protocol does not
         --> shop.quad:5:47
          |
        5 |     either { Goods from shop to buyer; } or { Bill from shop to buyer; }
          |              -------------------------        ^^^^^^^^^^^^^^^^^^^^^^^^ allowed: shop sends Bill to buyer
          |              |
          |              allowed: shop sends Goods to buyer
    "#]],
    );
    let again = "\n{\"event\": \"send\", \"role\": \"buyer\", \"message\": \"Order\"}\n";
    monitored(
        &format!("{order}{again}"),
        &expect![[r#"
        exit 1
        --- stdout
        error[M002]: action 3 deviates: buyer sends Order to somebody
         --> shop.quad:5:47
          |
        5 |     either { Goods from shop to buyer; } or { Bill from shop to buyer; }
          |              -------------------------        ^^^^^^^^^^^^^^^^^^^^^^^^ allowed: shop sends Bill to buyer
          |              |
          |              allowed: shop sends Goods to buyer
          |
          = note: at line 4 of the log
    "#]],
    );
    monitored(
        &format!("{order}{{\"event\": \"send\"}}\n"),
        &expect![[r#"
        exit 2
        --- stderr
        error[M001]: the event cannot be read: missing field `role`
         --> line 3:1:1
          |
        1 | {"event": "send"}
          | ^ here
          |
          = help: write one JSON object per line, as in `quadrille explain M001`
        see `quadrille explain M001`
    "#]],
    );
    monitored(
        &format!("{order}{{\"event\": \"leave\", \"role\": \"shop\"}}\n"),
        &expect![[r#"
        exit 1
        --- stdout
        error[M003]: the system is stuck after action 2
         --> shop.quad:5:47
          |
        5 |     either { Goods from shop to buyer; } or { Bill from shop to buyer; }
          |              -------------------------        ^^^^^^^^^^^^^^^^^^^^^^^^ allowed: shop sends Bill to buyer
          |              |
          |              allowed: shop sends Goods to buyer
          |
          = note: `shop` has left
          = note: at line 3 of the log
    "#]],
    );
    let rest = "{\"event\": \"send\", \"role\": \"shop\", \"message\": \"Goods\"}\n\
                {\"event\": \"receive\", \"role\": \"buyer\", \"message\": \"Goods\"}\n\
                {\"event\": \"close\", \"role\": \"buyer\", \"to\": \"shop\"}\n\
                {\"event\": \"close\", \"role\": \"shop\", \"to\": \"buyer\"}\n";
    monitored(
        &format!("{order}{rest}"),
        &expect![[r#"
        exit 0
        --- stdout
        conforms: 6 events, and the protocol may end here
    "#]],
    );
}

#[test]
fn a_monitor_needs_a_protocol() {
    folder().check(
        &["monitor", "door.aut"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q023]: `door.aut` is no protocol
         |
         = help: name a .quad or .dcj file
        see `quadrille explain Q023`
    "#]],
    );
}

#[test]
fn protocols_are_drawn() {
    let folder = folder();
    let draw = |view: &str, to: &str, expected: &Expect| {
        folder.check(&["draw", "shop.quad", "--view", view, "--to", to], expected);
    };
    draw(
        "role=shop",
        "mermaid",
        &expect![[r#"
        exit 0
        --- stdout
        stateDiagram-v2
          s0 : 0
          [*] --> s0
          s1 : 1
          s2 : 2
          s3 : 3
          s3 --> [*]
          s0 --> s1 : receives Order from buyer
          s1 --> s2 : sends Goods to buyer<br/>sends Bill to buyer
          s2 --> s3 : closes to buyer
    "#]],
    );
    draw(
        "sequence",
        "mermaid",
        &expect![[r#"
        exit 0
        --- stdout
        sequenceDiagram
          participant p0 as shop
          participant p1 as buyer
          Note over p0,p1: shop.quad
          p1-)p0: Order leaves
          p1-->>p0: Order arrives
          p0-)p1: Goods leaves
          p0-->>p1: Goods arrives
          p1-xp0: close
          p0-xp1: close
          Note over p0,p1: finished
    "#]],
    );
    draw(
        "protocol",
        "mermaid",
        &expect![[r#"
        exit 0
        --- stdout
        stateDiagram-v2
          s0 : 0
          [*] --> s0
          s1 : 1
          s2 : 2
          s3 : 3
          s4 : 4
          s5 : 5
          s6 : 6
          s7 : 7
          s7 --> [*]
          s0 --> s1 : buyer sends Order to shop
          s1 --> s2 : shop receives Order from buyer
          s2 --> s3 : shop sends Goods to buyer
          s2 --> s4 : shop sends Bill to buyer
          s3 --> s5 : buyer receives Goods from shop
          s4 --> s5 : buyer receives Bill from shop
          s5 --> s6 : buyer closes to shop
          s6 --> s7 : shop closes to buyer
    "#]],
    );
    draw(
        "role=buyer",
        "dot",
        &expect![[r#"
        exit 0
        --- stdout
        digraph "shop.quad: buyer" {
          node [shape=box, style=rounded, fontname=monospace]
          edge [fontname=monospace]
          s0 [label="0", tooltip="buyer: 0"]
          start0 [shape=point]
          start0 -> s0
          s1 [label="1", tooltip="buyer: 1"]
          s2 [label="2", tooltip="buyer: 2"]
          s3 [label="3", tooltip="buyer: 3", peripheries=2]
          s0 -> s1 [label="sends Order to shop"]
          s1 -> s2 [label="receives Goods from shop\nreceives Bill from shop"]
          s2 -> s3 [label="closes to shop"]
        }
    "#]],
    );
    draw(
        "role=seller",
        "svg",
        &expect![[r#"
        exit 2
        --- stderr
        error[Q022]: the protocol has no role `seller`
         |
         = help: its roles are shop, buyer
        see `quadrille explain Q022`
    "#]],
    );
    draw(
        "sequence",
        "dot",
        &expect![[r#"
        exit 2
        --- stderr
        error[Q009]: a trace cannot be drawn in DOT
         |
         = help: end the name in .svg or .mmd
        see `quadrille explain Q009`
    "#]],
    );
    for view in ["role=shop", "sequence", "protocol"] {
        let output = folder.run(&["draw", "shop.quad", "--view", view, "-o", "out.svg"]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        assert!(folder.read("out.svg").starts_with("<svg"), "{view}");
    }
    folder.check(
        &["draw", "door.aut", "--view", "sequence"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q023]: `door.aut` is no protocol
         |
         = help: name a .quad or .dcj file
        see `quadrille explain Q023`
    "#]],
    );
    let usage = folder.run(&["draw", "shop.quad", "--view", "roles"]);
    assert_eq!(usage.status.code(), Some(2));
}

/// A protocol without end: the run goes round a loop.
#[test]
fn a_run_of_an_endless_protocol_ends_in_a_loop() {
    let quad = "message Ping, Pong; role a, b;\n\
                protocol p { repeat forever { Ping from a to b; Pong from b to a; } }\n";
    let folder = Folder::new([("p.quad", quad.as_bytes())]);
    let view = ["draw", "p.quad", "--view", "sequence", "--to", "mermaid"];
    folder.check(
        &view,
        &expect![[r#"
        exit 0
        --- stdout
        sequenceDiagram
          participant p0 as b
          participant p1 as a
          Note over p0,p1: p.quad
          p1-)p0: Ping leaves
          loop for ever
            p1-->>p0: Ping arrives
            p0-)p1: Pong leaves
            p0-->>p1: Pong arrives
            p1-)p0: Ping leaves
          end
    "#]],
    );
}
