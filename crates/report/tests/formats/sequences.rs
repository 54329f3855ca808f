//! Traces as text, diagrams and ITF.

use expect_test::{Expect, expect};
use quadrille_report::{itf, sequence_mermaid, sequence_svg, sequence_text, story_text};

use crate::fixture::story;

#[track_caller]
fn check_text(input: &str, expected: &Expect) {
    expected.assert_eq(&story_text(&story(input)));
}

#[track_caller]
fn check_sketch(input: &str, expected: &Expect) {
    // The first line keeps the margin: what all lines have in common is cut off.
    expected.assert_eq(&format!("sequence:\n{}", sequence_text(&story(input))));
}

#[track_caller]
fn check_mermaid(input: &str, expected: &Expect) {
    expected.assert_eq(&sequence_mermaid(&story(input)));
}

/// The drawing without its style sheet.
#[track_caller]
fn check_svg(input: &str, expected: &Expect) {
    let svg = sequence_svg(&story(input));
    let body = svg.split_once("</defs>\n").expect("definitions").1;
    expected.assert_eq(body);
}

const PING_PONG: &str = "
    Alice, Bob
    Alice ! Bob: ping | n=1
    loop
    Alice ? Bob: ping | n=2, b=busy
    Bob ! Alice: pong
    Alice ? Bob: other
    Alice, Bob: sync | n=1, b=0
";

#[test]
fn text_names_the_property_then_actions_then_changes() {
    check_text(
        "left, right
         left: take | left=1, fork=1
         right: take_the_other_one | right=1
         stuck",
        &expect![[r#"
            property: G !"bad"

                 start                left: 0   fork: 0   right: 0
              1  take                 left: 0 → 1   fork: 0 → 1
              2  take_the_other_one   right: 0 → 1
              stuck: no step is possible, and the system may not end here
        "#]],
    );
}

#[test]
fn text_marks_the_loop() {
    check_text(
        PING_PONG,
        &expect![[r#"
        property: G !"bad"

               start                n: 0   b: 0
          1    Alice ! Bob: ping    n: 0 → 1
             ┌─ these steps repeat for ever
          2  │ Alice ? Bob: ping    n: 1 → 2   b: 0 → busy
          3  │ Bob ! Alice: pong
          4  │ Alice ? Bob: other
          5  │ sync                 n: 2 → 1   b: busy → 0
             └─ back to the state before step 2
    "#]],
    );
}

#[test]
fn text_wraps_what_is_too_long() {
    let changes = (0..12).map(|i| format!("a_rather_long_slot_name_{i}=1")).collect::<Vec<_>>();
    let input = format!(
        "P\nloop\nP: a label that is longer than what shares the column | {}\n",
        changes.join(", ")
    );
    check_text(
        &input,
        &expect![[r#"
        property: G !"bad"

               start   a_rather_long_slot_name_0: 0   a_rather_long_slot_name_1: 0
                       a_rather_long_slot_name_2: 0   a_rather_long_slot_name_3: 0
                       a_rather_long_slot_name_4: 0   a_rather_long_slot_name_5: 0
                       a_rather_long_slot_name_6: 0   a_rather_long_slot_name_7: 0
                       a_rather_long_slot_name_8: 0   a_rather_long_slot_name_9: 0
                       a_rather_long_slot_name_10: 0   a_rather_long_slot_name_11: 0
             ┌─ this step repeats for ever
          1  │ a label that is longer than what shares the column
             │         a_rather_long_slot_name_0: 0 → 1   a_rather_long_slot_name_1: 0 → 1
             │         a_rather_long_slot_name_2: 0 → 1   a_rather_long_slot_name_3: 0 → 1
             │         a_rather_long_slot_name_4: 0 → 1   a_rather_long_slot_name_5: 0 → 1
             │         a_rather_long_slot_name_6: 0 → 1   a_rather_long_slot_name_7: 0 → 1
             │         a_rather_long_slot_name_8: 0 → 1   a_rather_long_slot_name_9: 0 → 1
             │         a_rather_long_slot_name_10: 0 → 1   a_rather_long_slot_name_11: 0 → 1
             └─ back to the state before step 1
    "#]],
    );
}

#[test]
fn text_of_an_empty_run() {
    check_text(
        "P\nfinished",
        &expect![[r#"
            property: G !"bad"

                 start
              finished: the system may stop here, and nothing more need happen
        "#]],
    );
}

#[test]
fn characters_draw_flights_and_loops() {
    check_sketch(
        PING_PONG,
        &expect![[r#"
            sequence:
                   Alice         Bob
              1      ├─── ping ─▷ │
                 ┌─ these steps repeat for ever
              2  │   │ ╌╌ ping ╌╌▶│
              3  │   │ ◁─ pong ───┤
              4  │   │ ╌ other ╌╌▶│
              5  │   │   [sync]   │
                 └─ back to the state before step 2
        "#]],
    );
}

#[test]
fn characters_draw_several_receivers_and_those_in_between() {
    check_sketch(
        "master, worker[0], worker[1]
         master ! worker[0], worker[1]: a rather long message
         master ? worker[1]: a rather long message
         worker[1] -> master: done
         master ? worker[0]: a rather long message
         worker[0] x master
         worker[0]: crash
         : everybody
         ? master: from nowhere
         worker[1] ! worker[1]: note
         stuck",
        &expect![[r#"
            sequence:
                       master                      worker[0]  worker[1]
              1           ├── a rather long message ─▷ │          │
                          ├──────── a rather long message ──────▷ │
              2           │ ╌╌╌╌╌╌╌ a rather long message ╌╌╌╌╌╌╌▶│
              3           │◀──────────────── done ─────┼──────────┤
              4           │ ╌ a rather long message ╌╌▶│          │  sent in step 1
              5           │×───────── close ───────────┤          │
              6           │                         [crash]       │
              7           │              [everybody]   │          │
              8     [from nowhere]                     │          │
              9           │                            │   [note to itself]
              stuck: no step is possible, and the system may not end here
        "#]],
    );
}

#[test]
fn characters_draw_an_empty_run() {
    check_sketch(
        "P\nfinished",
        &expect![[r#"
            sequence:
                 P
              finished: the system may stop here, and nothing more need happen
        "#]],
    );
}

#[test]
fn mermaid_draws_flights_and_loops() {
    check_mermaid(
        PING_PONG,
        &expect![[r#"
            sequenceDiagram
              participant p0 as Alice
              participant p1 as Bob
              Note over p0,p1: G !#34;bad#34;
              p0->>p1: ping
              loop for ever
                p1-)p0: pong (not received)
                Note over p1: receives other
                Note over p0,p1: sync
              end
        "#]],
    );
}

#[test]
fn mermaid_escapes_its_own_syntax() {
    check_mermaid(
        "the end, b;c\nthe end -> b;c: <a> # end of {it}\n: friend end",
        &expect![[r#"
        sequenceDiagram
          participant p0 as the #101;nd
          participant p1 as b#59;c
          Note over p0,p1: G !#34;bad#34;
          p0->>p1: #60;a#62; #35; #101;nd of #123;it#125;
          Note over p0,p1: friend #101;nd
    "#]],
    );
}

#[test]
fn svg_slants_a_flight_from_its_send_to_its_receive() {
    check_svg(
        PING_PONG,
        &expect![[r#"
            <rect class="bg" width="279" height="332"/>
            <rect class="loop" x="16" y="120" width="205" height="162" rx="6"/>
            <text class="loopword" x="24" y="134" text-anchor="start">↻ repeats for ever</text>
            <line class="life" x1="88" y1="64" x2="88" y2="290"/>
            <line class="life" x1="188" y1="64" x2="188" y2="290"/>
            <line class="arrow" x1="88" y1="100" x2="188" y2="154" marker-end="url(#quadrille-tip)"/>
            <line class="arrow lost" x1="188" y1="190" x2="104" y2="190"/>
            <circle class="open" cx="104" cy="190" r="4"/>
            <g><title>1. Alice ! Bob: ping
            n: 0 → 1</title>
            <text class="muted" x="42" y="104" text-anchor="end">1</text>
            <text class="halo" x="96" y="94" text-anchor="start">ping</text>
            </g>
            <g><title>2. Alice ? Bob: ping
            n: 1 → 2
            b: 0 → busy</title>
            <text class="muted" x="42" y="158" text-anchor="end">2</text>
            </g>
            <g><title>3. Bob ! Alice: pong</title>
            <text class="muted" x="42" y="194" text-anchor="end">3</text>
            <text class="halo" x="180" y="184" text-anchor="end">pong</text>
            </g>
            <g><title>4. Alice ? Bob: other</title>
            <text class="muted" x="42" y="230" text-anchor="end">4</text>
            <circle class="tip" cx="144" cy="226" r="4"/>
            <line class="arrow" x1="144" y1="226" x2="188" y2="226" marker-end="url(#quadrille-tip)"/>
            <text class="halo" x="182" y="220" text-anchor="end">other</text>
            </g>
            <g><title>5. sync
            n: 2 → 1
            b: busy → 0</title>
            <text class="muted" x="42" y="266" text-anchor="end">5</text>
            <rect class="box" x="76" y="250" width="124" height="24" rx="4"/>
            <text class="label" x="138" y="266" text-anchor="middle">sync</text>
            </g>
            <rect class="head" x="60" y="38" width="57" height="26" rx="5"/>
            <text class="label" x="88" y="55" text-anchor="middle">Alice</text>
            <rect class="head" x="167" y="38" width="42" height="26" rx="5"/>
            <text class="label" x="188" y="55" text-anchor="middle">Bob</text>
            <text class="loopword" x="16" y="316" text-anchor="start">loop: steps 2 to 5 repeat for ever</text>
            <text class="title" x="16" y="24" text-anchor="start">G !&quot;bad&quot;</text>
            </svg>
        "#]],
    );
}

#[test]
fn svg_ties_those_who_step_together_past_a_bystander() {
    check_svg(
        "A, B, C\nA, C: meet\nA, B: talk\nB: rest",
        &expect![[r#"
            <rect class="bg" width="316" height="242"/>
            <rect class="guilty" x="16" y="154" width="284" height="32" rx="6"/>
            <line class="life" x1="74" y1="64" x2="74" y2="200"/>
            <line class="life" x1="174" y1="64" x2="174" y2="200"/>
            <line class="life" x1="274" y1="64" x2="274" y2="200"/>
            <g><title>1. meet</title>
            <text class="muted" x="42" y="104" text-anchor="end">1</text>
            <line class="bar" x1="74" y1="100" x2="274" y2="100"/>
            <circle class="dot" cx="74" cy="100" r="5"/>
            <circle class="dot" cx="274" cy="100" r="5"/>
            <text class="halo" x="174" y="94" text-anchor="middle">meet</text>
            </g>
            <g><title>2. talk</title>
            <text class="muted" x="42" y="140" text-anchor="end">2</text>
            <rect class="box" x="62" y="124" width="124" height="24" rx="4"/>
            <text class="label" x="124" y="140" text-anchor="middle">talk</text>
            </g>
            <g><title>3. rest</title>
            <text class="muted" x="42" y="176" text-anchor="end">3</text>
            <rect class="box" x="152" y="160" width="45" height="24" rx="4"/>
            <text class="label" x="174" y="176" text-anchor="middle">rest</text>
            </g>
            <rect class="head" x="60" y="38" width="28" height="26" rx="5"/>
            <text class="label" x="74" y="55" text-anchor="middle">A</text>
            <rect class="head" x="160" y="38" width="28" height="26" rx="5"/>
            <text class="label" x="174" y="55" text-anchor="middle">B</text>
            <rect class="head" x="260" y="38" width="28" height="26" rx="5"/>
            <text class="label" x="274" y="55" text-anchor="middle">C</text>
            <text class="bad" x="16" y="226" text-anchor="start">violated: step 3 breaks the property</text>
            <text class="title" x="16" y="24" text-anchor="start">G !&quot;bad&quot;</text>
            </svg>
        "#]],
    );
}

#[test]
fn itf_leaves_out_the_repeated_state() {
    expect![[r##"
        {
          "#meta": {
            "description": "G !\"bad\"",
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"
          },
          "loop": 1,
          "states": [
            {
              "#meta": {
                "index": 0,
                "next-action": "Alice ! Bob: ping"
              },
              "b": 0,
              "n": 0
            },
            {
              "#meta": {
                "index": 1,
                "next-action": "Alice ? Bob: ping"
              },
              "b": 0,
              "n": 1
            },
            {
              "#meta": {
                "index": 2,
                "next-action": "Bob ! Alice: pong"
              },
              "b": "busy",
              "n": 2
            },
            {
              "#meta": {
                "index": 3,
                "next-action": "Alice ? Bob: other"
              },
              "b": "busy",
              "n": 2
            },
            {
              "#meta": {
                "index": 4,
                "next-action": "sync"
              },
              "b": "busy",
              "n": 2
            }
          ],
          "vars": [
            "n",
            "b"
          ]
        }
    "##]]
    .assert_eq(&itf(&story(PING_PONG)));
}
