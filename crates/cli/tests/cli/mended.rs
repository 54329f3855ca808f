//! One test per mended item of the review: what misled shows the better behaviour.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::expect;

use crate::folder::Folder;

/// Gets stuck after a property that holds.
const STUCK: &[u8] = b"message Go; role a, b;
protocol p { Go from a to b; q(); }
protocol q { q(); }
property starts of p: eventually (a sends Go);
";

/// A counter with an expected violation.
const COUNTER: &[u8] = b"message Go; role a, b;
protocol p { Go from a to b; }
property never of p (violated): always not (a sends Go);
property once of p: eventually (a sends Go);
";

/// Gets stuck after one step.
const TRAP: &[u8] = b"participant P: here there\ngo: P here -> there\nprop arrived = P in there\n";

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn item_01_deadlock_counts_by_default() {
    let folder = Folder::new([("trap.net", TRAP)]);
    let arguments = ["check", "trap.net", "--formula", "F arrived"];
    let output = folder.run(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("\ndeadlock: after 1 step "), "{}", text(&output));
    let allowed = folder.run(&[&arguments[..], &["--allow-deadlock"]].concat());
    assert_eq!(allowed.status.code(), Some(0), "{}", text(&allowed));
    let nothing = folder.run(&["check", "trap.net", "--allow-deadlock"]);
    assert_eq!(nothing.status.code(), Some(2));
}

#[test]
fn item_01_deadlock_fails_tests() {
    let folder = Folder::new([
        ("stuck.quad", STUCK),
        ("suite.toml", b"[[check]]\nfile = \"stuck.quad\"\n"),
        ("allowed.toml", b"[[check]]\nfile = \"stuck.quad\"\nallow_deadlock = true\n"),
    ]);
    for arguments in [&["test", "stuck.quad"][..], &["test", "suite.toml"]] {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{}{}", text(&output), errors(&output));
        assert!(text(&output).contains("FAIL deadlock"), "{}", text(&output));
    }
    assert_eq!(folder.run(&["test", "allowed.toml"]).status.code(), Some(0));
    assert_eq!(folder.run(&["test", "stuck.quad", "--allow-deadlock"]).status.code(), Some(0));
}

#[test]
fn item_07_every_verdict_names_runs_fairness_reduction_and_bounds() {
    let folder = Folder::with_examples();
    let arguments = ["check", "philosophers.net", "--formula", "G F plato_eats", "--fair", "weak"];
    let output = text(&folder.run(&arguments));
    let scope = "maximal runs, weak fairness of all steps, no reduction, no bounds)";
    assert!(output.lines().next().is_some_and(|line| line.ends_with(scope)), "{output}");
    let output = folder.run(&[&arguments[..4], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for finding in json["findings"].as_array().expect("findings") {
        assert!(finding["limits"].is_object() && finding["engine"].is_string(), "{finding}");
    }
    assert_eq!(json["findings"][0]["runs"], "maximal");
    assert_eq!(json["findings"][0]["fairness"], "no fairness");
}

#[test]
fn item_07_evidence_that_ends_early_says_that_the_system_may_stop() {
    let folder = Folder::with_examples();
    let output = text(&folder.run(&["check", "philosophers.net", "--formula", "F plato_eats"]));
    assert!(output.contains("the system may stop here"), "{output}");
}

#[test]
fn item_08_expected_violations_pass_unless_strict() {
    let folder = Folder::new([("counter.quad", COUNTER)]);
    let output = folder.run(&["check", "counter.quad"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("violated as expected: never"), "{}", text(&output));
    assert_eq!(folder.run(&["check", "counter.quad", "--strict"]).status.code(), Some(1));
    assert_eq!(folder.run(&["test", "counter.quad"]).status.code(), Some(0));
}

#[test]
fn item_08_no_double_negatives() {
    let folder = Folder::with_examples();
    let stuck = text(&folder.run(&["check", "philosophers.net"]));
    assert!(stuck.starts_with("deadlock: after 3 steps"), "{stuck}");
    let different = text(&folder.run(&["compare", "door.aut", "mailbox.net"]));
    assert!(
        different.starts_with("different: door.aut and mailbox.net are not strongly bisimilar"),
        "{different}"
    );
}

#[test]
fn item_09_one_model_has_one_size() {
    let folder = Folder::with_examples();
    let formulas = ["G !feast", "G F plato_eats", "AG EF plato_eats", "F true"];
    let mut arguments = vec!["check", "philosophers.net", "--format", "json"];
    formulas.iter().for_each(|formula| arguments.extend(["--formula", formula]));
    let output = folder.run(&arguments);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = json["findings"].as_array().expect("findings");
    let sizes: Vec<_> = findings.iter().map(|it| (&it["states"], &it["transitions"])).collect();
    assert_eq!(sizes.len(), 5, "four formulas and deadlock: {json}");
    let output = folder.run(&["states", "philosophers.net", "--format", "json"]);
    let counted: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let size = (&counted["states"], &counted["transitions"]);
    assert!(size.0.is_u64() && sizes.iter().all(|other| *other == size), "{sizes:?}, {size:?}");
}

#[test]
fn item_15_diagnostics_have_a_json_form() {
    let folder = Folder::new([("bad.net", b"participant\n")]);
    for command in ["check", "states", "replay", "compare", "lint", "project", "test"] {
        let second = matches!(command, "replay" | "compare").then_some("bad.net");
        let arguments: Vec<&str> =
            [command, "bad.net"].into_iter().chain(second).chain(["--format", "json"]).collect();
        let output = folder.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["schema"], "quadrille/1");
        assert!(json["diagnostics"][0]["code"].is_string(), "{command}: {json}");
    }
}

/// The commands that the help of a command shows as examples.
fn examples(folder: &Folder, command: &str) -> Vec<String> {
    let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
    let help = text(&folder.run(&words));
    let lines = help.lines().map(str::trim).filter(|line| line.starts_with("quadrille "));
    // Other machines are not here.
    lines.filter(|line| !line.contains("--hosts")).map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn item_16_the_examples_of_every_help_text_run() {
    let folder = Folder::new([
        ("ring.dcj", b"(s/defsession ::ring [k i] (s/-->> Token (::worker 0) (::worker 1)))"),
        ("fair.owl", b"F \"worker[0] SEND Token\""),
        (
            "suite.toml",
            b"[[check]]\nfile = \"ring.dcj\"\nargs = [4, 0]\nformulas = [\"fair.owl\"]\n",
        ),
        (
            "shop.arch",
            b"interface Store { put }
component Client { requires Store protocol { !Store.put } }
component Storage { provides Store protocol { ?Store.put* } }
component Shop { contains c : Client contains s : Storage bind c.Store to s.Store }\n",
        ),
        ("new-storage.bp", b"Storage ?Store.put*\n"),
        ("shop.quad", b"message M; role buyer, shop; protocol p { M from buyer to shop; }"),
        ("new-shop.quad", b"message M; role buyer, shop; protocol p { M from buyer to shop; }"),
        ("till.bp", b"Till\n?Till.open ; ?Till.close\n"),
        ("implementation.net", b"participant P: a b\ngo: P a -> b\nlog: P b -> a\n"),
        ("specification.net", b"participant P: a b\ngo: P a -> b\nlog: P b -> a\n"),
        ("log.jsonl", b""),
    ]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let petri = ["petri", "petri/buffer", "petri/forks", "petri/philosophers"];
    for part in ["protocols", "components", "alloy", "designs"].iter().chain(&petri) {
        copy(&root.join("examples").join(part), &folder.path().join("examples").join(part));
    }
    for name in ["philosophers.net", "door.aut", "mailbox.net"] {
        let to = folder.path().join("examples").join(name);
        std::fs::copy(root.join("examples").join(name), to).expect("a copy");
    }
    for name in ["src", "src/till", "tests"] {
        std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
    }
    let till = "/// protocol: starts closed, ends closed\npub trait Till {\n    \
                /// protocol: closed -> open\n    fn open(&mut self);\n    \
                /// protocol: open -> closed\n    fn close(&mut self);\n}\n";
    std::fs::write(folder.path().join("src/till.rs"), till).expect("a file");
    let home = folder.path().join("home");
    for name in [".local/share/bash-completion/completions", ".config/fish/completions"] {
        std::fs::create_dir_all(home.join(name)).expect("a folder");
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_quadrille"));
    let path = format!("{}:/usr/bin:/bin", binary.parent().expect("a folder").display());
    let commands = [
        "check",
        "test",
        "reduce",
        "substitute",
        "lint",
        "project",
        "generate",
        "monitor",
        "frame",
        "double",
        "states",
        "draw",
        "replay",
        "compare",
        "convert",
        "minimise",
        "explain",
        "runs",
        "cluster",
        "cluster local",
        "eval",
        "estimate",
        "simulate",
        "step",
        "examine",
        "completions",
        "man",
    ];
    for command in commands {
        // `frame` writes this file, which earlier examples read.
        if command == "frame" {
            let _ = std::fs::remove_file(folder.path().join("till.bp"));
        }
        let examples = examples(&folder, command);
        assert!(!examples.is_empty(), "{command} has no example");
        for example in examples {
            let mut shell = Command::new("sh");
            shell.args(["-c", &example]).current_dir(folder.path()).stdin(Stdio::null());
            let shell = shell.env_clear().env("PATH", &path).env("HOME", &home);
            let output = shell.output().expect("a shell");
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1 | 3)), "{example}: {code:?} {}", errors(&output));
        }
    }
}

#[cfg(unix)]
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("examples") {
        let path = entry.expect("an example").path();
        if path.is_file() {
            std::fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
}

#[test]
fn item_17_traces_remember_which_protocol_they_are_of() {
    let folder = Folder::new([(
        "two.quad",
        b"message Go; role a, b;
protocol zeroth { Go from b to a; }
protocol first { Go from a to b; }
protocol second { Go from b to a; }
" as &[u8],
    )]);
    let arguments = [
        "check",
        "two.quad",
        "--protocol",
        "first",
        "--formula",
        "always not (a sends Go)",
        "--trace-out",
        "t.json",
    ];
    let output = folder.run(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}{}", text(&output), errors(&output));
    assert!(folder.read("t.json").contains("--protocol"), "{}", folder.read("t.json"));
    let replayed = folder.run(&["replay", "two.quad", "t.json"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed));
    assert!(errors(&output).contains("wrote t.json"), "{}", errors(&output));
}

#[test]
fn item_17_quiet_silences_warnings_and_remarks() {
    let folder = Folder::with_examples();
    let arguments = ["-q", "draw", "door.aut", "-o", "door.svg"];
    assert_eq!(errors(&folder.run(&arguments)), "");
    assert_eq!(errors(&folder.run(&arguments[1..])), "wrote door.svg\n");
    let warned = b"(s/defsession ::main [] (s/--> Long ::a ::b))\n(println 1)\n" as &[u8];
    let folder = Folder::new([("warned.dcj", warned)]);
    assert!(errors(&folder.run(&["check", "warned.dcj"])).contains("warning["));
    assert_eq!(errors(&folder.run(&["-q", "check", "warned.dcj"])), "");
}

#[test]
fn item_17_generate_makes_its_folder() {
    let folder = Folder::new([("p.quad", COUNTER)]);
    let output = folder.run(&["generate", "p.quad", "--out", "new/folder"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(folder.path().join("new/folder/p.rs").is_file());
}

#[test]
fn item_17_no_more_states_are_reported_than_the_bound_allows() {
    let folder = Folder::with_examples();
    for command in ["states", "check"] {
        let output = folder.run(&[command, "philosophers.net", "--max-states", "3"]);
        assert_eq!(output.status.code(), Some(3));
        let shown = text(&output);
        let (counted, told) = ("states           3\n", "(3 states, ");
        assert!(shown.contains(if command == "states" { counted } else { told }), "{shown}");
    }
}

#[test]
fn item_24_options_stand_in_groups() {
    let folder = Folder::new([]);
    let help = text(&folder.run(&["check", "--help"]));
    for heading in ["Formulas:", "Bounds:", "Output:", "Protocols (.quad, .dcj):"] {
        assert!(help.contains(&format!("\n{heading}\n")), "{heading}: {help}");
    }
}

#[test]
fn item_25_convert_and_minimise() {
    let folder = Folder::with_examples();
    for to in ["p.aut", "p.net", "p.dot"] {
        let output = folder.run(&["convert", "philosophers.net", "--out", to]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    }
    for other in ["p.aut", "p.net"] {
        let relation = ["--relation", "traces"];
        let output = folder.run(&[&["compare", "p.net", other][..], &relation].concat());
        let is_same = other == "p.net";
        assert_eq!(output.status.code() == Some(0), is_same, "{}", text(&output));
    }
    let output = folder.run(&["compare", "p.net", "philosophers.net"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let twice = b"des (0,4,5)\n(0,\"a\",1)\n(0,\"a\",2)\n(1,\"b\",3)\n(2,\"b\",4)\n" as &[u8];
    let twins = Folder::new([("twins.aut", twice)]);
    let output = twins.run(&["minimise", "twins.aut", "--relation", "traces"]);
    assert_eq!(text(&output), "des (0,2,3)\n(0,\"a\",1)\n(1,\"b\",2)\n");
    let output = folder.run(&["convert", "--formula", "G F eats", "--out", "eats.hoa"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(folder.read("eats.hoa").starts_with("HOA: v1"));
}

#[test]
fn item_25_divergence() {
    let folder = Folder::new([
        ("busy.aut", b"des (0,2,2)\n(0,\"tau\",0)\n(0,\"go\",1)\n"),
        ("calm.aut", b"des (0,1,2)\n(0,\"go\",1)\n"),
    ]);
    let arguments = ["compare", "busy.aut", "calm.aut", "--relation", "branching"];
    assert_eq!(folder.run(&arguments).status.code(), Some(0));
    let output = folder.run(&[&arguments[..], &["--divergence"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
}

#[test]
fn item_25_a_run_as_a_diagram() {
    let folder = Folder::new([("counter.quad", COUNTER)]);
    folder.check(
        &["check", "counter.quad", "--property", "never", "--format", "diagram"],
        &expect![[r#"
            exit 0
            --- stdout
            violated as expected: never  (3 states, 2 transitions; maximal runs, no fairness, no reduction, no bounds)

                 a         b
              1  ├─── Go ▷ │

              replay: quadrille check counter.quad --property never --trace-out trace.json
                      quadrille replay counter.quad trace.json

            holds: no deadlock  (3 states, 2 transitions; no reduction, no bounds)
            2 checks: 2 passed
        "#]],
    );
}
