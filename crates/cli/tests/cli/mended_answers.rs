//! Mended items of the review: what is certain is answered, and pictures show what they are of.

use std::process::Output;

use expect_test::expect;

use crate::folder::Folder;

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Three counters that go round: 64 million states.
fn counters() -> String {
    let states: Vec<String> = (0..400).map(|state| format!("s{state}")).collect();
    let mut net = format!("participant A, B, C: {}\n", states.join(" "));
    for counter in ["A", "B", "C"] {
        for state in 0..400 {
            let next = (state + 1) % 400;
            net += &format!("tick{counter}: {counter} s{state} -> s{next}\n");
        }
    }
    net + "prop far = A in s399 and B in s399 and C in s399\n"
}

const HARD: [&str; 2] = ["--formula", "AG EF far"];
const EASY: [&str; 2] = ["--formula", "F \"tickC\""];

/// What is printed where both formulas share a bound in time. A share of seconds may be too small for the
/// easy one on a busy machine, but not a share of minutes.
fn with_enough_time(folder: &Folder, formulas: &[&str], option: &str, seconds: u64) -> String {
    let limits = [seconds, 4 * seconds, 16 * seconds].map(|seconds| format!("{seconds}s"));
    let ask = |limit: &String| {
        let explicit = ["check", "counters.net", "--engine", "explicit"];
        folder.run(&[&explicit[..], formulas, &[option, limit]].concat())
    };
    let outputs = limits.iter().map(ask);
    let mut answered =
        outputs.filter(|output| output.status.code() == Some(1)).map(|output| text(&output));
    answered.next().unwrap_or_else(|| panic!("the easy formula has no answer within {limits:?}"))
}

#[test]
fn item_31_one_hard_formula_does_not_starve_the_rest() {
    let folder = Folder::new([("counters.net", counters().as_bytes())]);
    for (option, seconds) in [("--timeout-each", 2), ("--timeout", 8)] {
        let shown = with_enough_time(&folder, &[EASY, HARD].concat(), option, seconds);
        assert!(shown.contains("violated: F \"tickC\""), "{shown}");
        assert!(shown.contains("unknown: AG EF far"), "{shown}");
    }
    let shown = with_enough_time(&folder, &[HARD, EASY].concat(), "--timeout-each", 2);
    assert!(shown.contains("violated: F \"tickC\""), "{shown}");
}

#[test]
fn item_31_a_bound_on_the_walk_does_not_hide_what_a_search_in_depth_finds() {
    let folder = Folder::new([("counters.net", counters().as_bytes())]);
    let arguments = [&["check", "counters.net", "--max-states", "5000"][..], &EASY].concat();
    let shown = text(&folder.run(&arguments));
    assert!(shown.contains("violated: F \"tickC\""), "{shown}");
    assert!(shown.contains("unknown: no deadlock"), "{shown}");
}

#[test]
fn item_31_what_was_refuted_before_a_problem_is_refuted() {
    let folder = Folder::new([(
        "wrong.quad",
        b"message Go; message Stop; role a, b;
variable left: 0..4 = 3;
protocol p { loop { Go from a to b with left := 6 / left - 2; } }
property never_goes of p: always not (a sends Go);
property stops of p: eventually (a sends Stop);
property fine of p: always not (b sends Stop);
" as &[u8],
    )]);
    let output = folder.run(&["check", "wrong.quad"]);
    assert_eq!(output.status.code(), Some(2), "{}{}", text(&output), errors(&output));
    assert!(text(&output).contains("violated: never_goes"), "{}", text(&output));
    assert!(!text(&output).contains("holds"), "{}", text(&output));
    assert!(errors(&output).contains("P003"), "{}", errors(&output));
    let output = folder.run(&["check", "wrong.quad", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(json["diagnostics"][0]["code"], "P003", "{json}");
}

#[test]
fn item_18_roles_stand_in_the_order_of_the_file() {
    let folder = Folder::new([(
        "order.quad",
        b"message Go; role first, second, third;
protocol p { Go from third to first; Go from second to third; }
" as &[u8],
    )]);
    let arguments = ["draw", "order.quad", "--view", "sequence", "--to", "mermaid"];
    // Each message is one arrow.
    folder.check(
        &arguments,
        &expect![[r#"
            exit 0
            --- stdout
            sequenceDiagram
              participant p0 as first
              participant p1 as second
              participant p2 as third
              Note over p0,p2: order.quad
              p2->>p0: Go
              p1->>p2: Go
              Note over p0,p2: finished
        "#]],
    );
}

#[test]
fn item_18_pictures_of_named_properties_have_name_and_formula_as_title() {
    let text = b"message Go; role a, b;
protocol p { Go from a to b; }
property calm of p: always not (a sends Go);
" as &[u8];
    let folder = Folder::new([("calm.quad", text)]);
    folder.run(&["check", "calm.quad", "--trace-out", "calm.svg"]);
    let picture = folder.read("calm.svg");
    assert!(picture.contains(">calm: G !a sends Go to *</text>"), "{picture}");
    // A formula that has no name is its own title.
    folder.run(&["check", "calm.quad", "--formula", "G !a sends Go", "--trace-out", "own.svg"]);
    let picture = folder.read("own.svg");
    assert!(picture.contains(">G !a sends Go</text>"), "{picture}");
}

#[test]
fn item_18_the_picture_of_a_bad_activity_shows_it() {
    let folder =
        Folder::new([("a.bp", b"A\n!I.b ; !I.c\n" as &[u8]), ("b.bp", b"B\n?I.b ; ?I.d\n")]);
    let arguments = ["-q", "check", "a.bp", "b.bp", "--format", "diagram"];
    let files = ["--trace-out", "t.svg", "--trace-out", "t.mmd", "--trace-out", "t.json"];
    let shown = text(&folder.run(&[&arguments[..], &files].concat()));
    assert!(shown.contains("[I.c^ ✗ not accepted]"), "{shown}");
    assert!(folder.read("t.svg").contains("A emits I.c^, and no one accepts it"));
    assert!(folder.read("t.mmd").contains("I.c^#58; no one accepts it"));
    let replayed = folder.run(&["replay", "a.bp", "t.json"]);
    assert_eq!(replayed.status.code(), Some(0), "{}{}", text(&replayed), errors(&replayed));
}

#[test]
fn item_18_architectures_are_boxes_and_wires() {
    let folder = Folder::new([(
        "shop.arch",
        b"interface Store { put }
interface Log { note }
component Client { requires Store protocol { !Store.put } }
component Storage { provides Store requires Log protocol { ?Store.put { !Log.note }* } }
component Shop {
  requires Log
  contains c : Client
  contains s : Storage
  bind c.Store to s.Store
  subsume s.Log to Log
}
" as &[u8],
    )]);
    folder.check(
        &["draw", "shop.arch", "--to", "mermaid"],
        &expect![[r#"
            exit 0
            --- stdout
            flowchart TD
              s2(["Log"])
              subgraph whole["shop.arch: Shop"]
                s0["c : Client"]
                s1["s : Storage"]
              end
              s0 -->|"Store"| s1
              s1 --> s2
        "#]],
    );
    let svg = text(&folder.run(&["draw", "shop.arch"]));
    for word in ["c : Client", "s : Storage", ">Store<", ">Log<", "class=\"frame\""] {
        assert!(svg.contains(word), "{word}: {svg}");
    }
    let states = text(&folder.run(&["draw", "shop.arch", "--view", "states", "--to", "mermaid"]));
    assert!(states.starts_with("stateDiagram-v2"), "{states}");
}

/// At most one of two lights at a time, as a deterministic automaton.
const EXCLUSIVE: &str = "HOA: v1
States: 1
Start: 0
AP: 2 \"left\" \"right\"
Acceptance: 0 t
--BODY--
State: 0
[!0 | !1] 0
--END--
";

#[test]
fn item_25_a_property_may_be_an_automaton() {
    let lights = "participant L: off on\nparticipant R: off on
l: L off -> on, R off -> off\nr: R off -> on, L off -> off\nlo: L on -> off\nro: R on -> off
prop left = L in on\nprop right = R in on\n";
    let broken = format!("{lights}both: L off -> on, R on -> on\n");
    let folder = Folder::new([
        ("lights.net", lights.as_bytes()),
        ("broken.net", broken.as_bytes()),
        ("exclusive.hoa", EXCLUSIVE.as_bytes()),
        (
            "suite.toml",
            b"[[check]]\nfile = \"lights.net\"\nformulas = [\"exclusive.hoa\"]\nnever = [\"both.hoa\"]
[[check]]\nfile = \"broken.net\"\nnever = [\"both.hoa\"]\nexpect = { \"both.hoa\" = \"violated\" }\n",
        ),
    ]);
    let make = ["convert", "--formula", "F (left & right)", "--out", "both.hoa"];
    assert_eq!(folder.run(&make).status.code(), Some(0));
    let make = ["convert", "--formula", "G F \"both\"", "--out", "again.hoa"];
    assert_eq!(folder.run(&make).status.code(), Some(0));
    let expected = [
        ("lights.net", "--formula-file", "exclusive.hoa", 0),
        ("broken.net", "--formula-file", "exclusive.hoa", 1),
        ("lights.net", "--never", "both.hoa", 0),
        ("broken.net", "--never", "both.hoa", 1),
        // Unquoted in the file: an action of the model.
        ("broken.net", "--never", "again.hoa", 1),
        ("lights.net", "--never", "again.hoa", 2),
    ];
    for (model, option, file, code) in expected {
        let output = folder.run(&["check", model, option, file, "--trace-out", "t.json"]);
        assert_eq!(output.status.code(), Some(code), "{model} {file}: {}", text(&output));
        if code == 1 {
            let replayed = folder.run(&["replay", model, "t.json"]);
            assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed));
        }
    }
    let output = folder.run(&["check", "lights.net", "--formula-file", "both.hoa"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(errors(&output).contains("--never"), "{}", errors(&output));
    let output = folder.run(&["test", "suite.toml", "--allow-deadlock"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output), errors(&output));
}

#[test]
fn item_01_a_text_may_expect_a_deadlock() {
    let stuck =
        "message Go; role a, b;\nprotocol p { Go from a to b; q(); }\nprotocol q { q(); }\n";
    let fine = "message Go; role a, b;\nprotocol p { Go from a to b; }\n";
    let expected = "property gets_stuck of p (violated): no deadlock;\n";
    let folder = Folder::new([
        ("stuck.quad", format!("{stuck}{expected}").as_bytes()),
        ("fine.quad", format!("{fine}{expected}").as_bytes()),
        ("plain.quad", format!("{stuck}property p1 of p: no deadlock;\n").as_bytes()),
    ]);
    for (file, code) in [("stuck.quad", 0), ("fine.quad", 1), ("plain.quad", 1)] {
        for command in ["check", "test"] {
            let output = folder.run(&["-q", command, file]);
            let shown = text(&output);
            assert_eq!(output.status.code(), Some(code), "{file}: {shown}{}", errors(&output));
            if file == "stuck.quad" {
                assert!(shown.contains("as expected"), "{shown}");
            }
        }
    }
    assert!(!text(&folder.run(&["lint", "stuck.quad"])).contains("L009"));
}
