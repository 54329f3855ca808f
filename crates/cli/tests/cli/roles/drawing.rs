//! The views of `draw`: one role, or a run.

use expect_test::{Expect, expect};

use super::folder;
use crate::folder::{Folder, shown};

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
              participant p0 as buyer
              participant p1 as shop
              Note over p0,p1: shop.quad
              p0->>p1: Order
              p1->>p0: Goods
              p0-xp1: close
              p1-xp0: close
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
              participant p0 as a
              participant p1 as b
              Note over p0,p1: p.quad
              p0->>p1: Ping
              loop for ever
                p1->>p0: Pong
                p0-)p1: Ping (not received)
              end
        "#]],
    );
}
