//! `lint`, `project`, `monitor` and the views of `draw`: what is asked of protocols only.

mod drawing;
pub mod monitoring;
mod replacing;

use expect_test::expect;

use crate::folder::Folder;

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
            exit 0
            --- stdout
            note[L029]: the liberal form is the same as the protocol up to reordering (shop.quad:7:5)
            note[L018]: no action of the protocol matches `buyer sends Goods to *` (shop.quad:10:17)
            2 findings: 2 notes; see `quadrille explain L029`
        "#]],
    );
    folder.check(&["lint", "race.quad", "--formula", "F a receives Hello"], &expect![[r#"
        exit 0
        --- stdout
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
        1 finding: 1 warning; see `quadrille explain L011`
    "#]]);
    folder.check(
        &["lint", "shop.quad", "--format", "json"],
        &expect![[r#"
            exit 0
            --- stdout
            {
              "schema": "quadrille/1",
              "file": "shop.quad",
              "allowed": 0,
              "findings": [
                {
                  "level": "note",
                  "code": "L029",
                  "severity": "note",
                  "message": "the liberal form is the same as the protocol up to reordering",
                  "places": [
                    {
                      "file": "shop.quad",
                      "line": 7,
                      "column": 5,
                      "text": "may happen before what other roles do first in the protocol"
                    }
                  ],
                  "notes": [
                    "each role keeps its own order, every message is received where the protocol has it, and no role gets stuck"
                  ],
                  "help": null,
                  "channel": null,
                  "trace": null
                },
                {
                  "level": "note",
                  "code": "L018",
                  "severity": "note",
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
    let quad = "message Go; role a, b;\nprotocol p { Go from a to b; Go from b to a; }\n";
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
fn names_of_states_are_shown() {
    let quad = "message Ask, Answer; role a, b;
protocol p { loop { Ask from a to b; state Thinking of b; Answer from b to a; } }
";
    let folder = Folder::new([("p.quad", quad.as_bytes())]);
    folder.check(
        &["project", "p.quad"],
        &expect![[r#"
            exit 0
            --- stdout
            p: faithful: the liberal form does exactly what the protocol says
              roles   b 2 states, a 2 states
              names   b: Thinking = 1
              queues  b->a at most 1, a->b at most 1
        "#]],
    );
    let json = folder.run(&["project", "p.quad", "--format", "json"]).stdout;
    let json = String::from_utf8_lossy(&json);
    let names = "\"names\": [ { \"state\": 1, \"name\": \"Thinking\" } ]";
    let words: Vec<&str> = json.split_whitespace().collect();
    assert!(words.join(" ").contains(names), "{json}");
    assert_eq!(json.matches("names").count(), 1, "of roles that have some");
    folder.check(
        &["draw", "p.quad", "--view", "role=b", "--to", "mermaid"],
        &expect![[r#"
            exit 0
            --- stdout
            stateDiagram-v2
              s0 : 0
              [*] --> s0
              s0 --> [*]
              s1 : Thinking
              s0 --> s1 : receives Ask from a
              s1 --> s0 : sends Answer to a
        "#]],
    );
}

#[test]
fn projection_keeps_or_changes_behaviour() {
    let folder = folder();
    folder.check(&["project", "shop.quad"], &expect![[r#"
        exit 0
        --- stdout
        shopping: same up to reordering: the liberal form differs from the protocol in the order of steps of different roles only
          roles   shop 4 states, buyer 4 states
          queues  shop->buyer at most 1, buyer->shop at most 1
        note[L029]: the liberal form is the same as the protocol up to reordering
         --> shop.quad:7:5
          |
        7 |     shop closes buyer;
          |     ^^^^^^^^^^^^^^^^^^ may happen before what other roles do first in the protocol
          |
          = note: each role keeps its own order, every message is received where the protocol has it, and no role gets stuck
    "#]]);
    folder.check(
        &["project", "race.quad"],
        &expect![[r#"
            exit 1
            --- stdout
            greet: not faithful: the liberal form does more than the protocol says
              roles   b 2 states, a 2 states
              queues  b->a at most 1, a->b at most 1
            warning[L020]: the liberal form allows `a sends Hello to b` where the protocol does not
             --> race.quad:4:14
              |
            4 |     either { Hello from a to b; } or { Hello from b to a; }
              |              ^^^^^^^^^^^^^^^^^^        ------------------ the protocol goes on here
              |              |
              |              happens out of turn
              |
              = note: after: b sends Hello to a
              = note: `a` cannot tell from what it has done so far that it must wait
              = help: send a message to the role that must wait, or run the strict form

                 start                b->a: []   a->b: []
              1  b sends Hello to a   b->a: [] → [Hello]
              2  a sends Hello to b   a->b: [] → [Hello]

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
        exit 0
        --- stdout
        {
          "schema": "quadrille/1",
          "file": "shop.quad",
          "protocols": [
            {
              "protocol": "shopping",
              "arguments": [],
              "verdict": "reordered",
              "message": "same up to reordering: the liberal form differs from the protocol in the order of steps of different roles only",
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
                  "code": "L029",
                  "severity": "note",
                  "message": "the liberal form is the same as the protocol up to reordering",
                  "places": [
                    {
                      "file": "shop.quad",
                      "line": 7,
                      "column": 5,
                      "text": "may happen before what other roles do first in the protocol"
                    }
                  ],
                  "notes": [
                    "each role keeps its own order, every message is received where the protocol has it, and no role gets stuck"
                  ],
                  "help": null
                }
              ],
              "trace": null
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
