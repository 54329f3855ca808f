//! Searches in sorted runs: the same answers as in memory, and nothing lost when the process dies.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::folder::Folder;

/// Exit code and output of a run.
fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let output = folder.run(arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// What was counted, where counting ended.
fn counts(folder: &Folder, file: &str, more: &[&str]) -> Option<[Value; 4]> {
    let asked = ["states", file, "--format", "json", "--engine", "explicit", "-q"];
    let output = folder.run(&[&asked[..], more].concat());
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let names = ["states", "transitions", "deadlocks", "depth"];
    (document["complete"] == true).then(|| names.map(|name| document[name].clone()))
}

fn examples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let is_model = |ending: &std::ffi::OsStr| {
            ["quad", "net", "aut", "qev", "arch"].iter().any(|known| *known == ending)
        };
        if path.is_dir() && !path.ends_with("components") {
            examples(&path, found);
        } else if path.extension().is_some_and(is_model) {
            found.push(path);
        }
    }
}

#[test]
fn every_example_has_as_many_states_in_runs() {
    let folder = Folder::with_examples();
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for part in ["designs", "protocols"] {
        examples(&root.join(part), &mut files);
    }
    files.extend(["philosophers.net", "mailbox.net", "door.aut"].map(|name| root.join(name)));
    files.sort();
    let mut n_compared = 0;
    for file in files {
        let file = file.display().to_string();
        let Some(expected) = counts(&folder, &file, &["--max-states", "300"]) else { continue };
        n_compared += 1;
        assert_eq!(counts(&folder, &file, &["--store", "runs"]), Some(expected.clone()), "{file}");
        let disk = format!("disk={}", folder.path().join(format!("runs-{n_compared}")).display());
        assert_eq!(counts(&folder, &file, &["--store", &disk]), Some(expected.clone()), "{file}");
        let again = counts(&folder, &file, &["--store", &disk, "--resume"]);
        assert_eq!(again, Some(expected), "{file}");
    }
    assert!(n_compared > 12, "{n_compared}");
}

/// Counters that a step each moves on.
fn counters(n: usize) -> Folder {
    let mut text = String::new();
    for i in 0..n {
        text += &format!("participant C{i}: a* b c d\nup{i}: C{i} a -> b\nmore{i}: C{i} b -> c\n");
        text += &format!("on{i}: C{i} c -> d\n");
    }
    Folder::new([("counters.net", text.as_bytes())])
}

#[test]
fn a_killed_search_goes_on_and_counts_the_same() {
    let n_kills = match std::env::var("QUADRILLE_ROUNDS") {
        Ok(rounds) => 4 * rounds.parse::<usize>().unwrap_or(1),
        Err(_) => 4,
    };
    let folder = counters(9);
    let search = ["states", "counters.net", "--store", "disk=kept", "--resume", "-q"];
    let mut n_killed = 0;
    for number in 0..n_kills {
        let mut command = folder.command(&search);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process");
        // Before it has begun, amid a level, while a manifest is written, or when all is over.
        std::thread::sleep(Duration::from_millis((number as u64 * 61 + 20) % 500));
        n_killed += usize::from(child.try_wait().expect("a process").is_none());
        let _ = child.kill();
        child.wait().expect("a process");
    }
    let expected = counts(&folder, "counters.net", &[]);
    assert_eq!(counts(&folder, "counters.net", &["--store", "disk=kept", "--resume"]), expected);
    assert!(n_killed > 0, "it was over before it could be killed");
    let (code, text) = run(&folder, &["runs", "kept"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("counters.net\n  complete\n"), "{text}");
}

#[test]
fn what_cannot_be_done_with_runs_says_so() {
    let folder = counters(2);
    let cannot = |arguments: &[&str], expected: &str| {
        let (code, text) = run(&folder, arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    };
    let check = |more: &[&'static str]| [&["check", "counters.net"], more].concat();
    cannot(&check(&["--store", "disk=counters.net"]), "`counters.net`: cannot make the folder");
    cannot(&check(&["--store", "drum"]), "write `memory`, `runs`, or `disk=FOLDER`");
    cannot(&check(&["--resume"]), "--store disk=FOLDER --resume");
    cannot(&check(&["--store", "runs", "--order", "dfs"]), "cannot be combined with --order dfs");
    cannot(&check(&["--store", "runs", "--lossy", "hash-compact"]), "combined with --lossy");
    let formula = ["--store", "runs", "--formula", "AG EF \"up0\""];
    cannot(&check(&formula), "ask it with --store memory, or use --engine symbolic");
    let fair = ["--store", "runs", "--formula", "F \"up0\"", "--fair", "weak"];
    cannot(&check(&fair), "leave --fair out, or ask it with --store memory");
    cannot(&["runs", "nowhere"], "no search is kept in `nowhere`");
    cannot(&["runs", "nowhere", "--delete"], "no search is kept in `nowhere`");
    let (code, _) = run(&folder, &check(&["--store", "disk=kept", "-q"]));
    assert_eq!(code, Some(1));
    cannot(&check(&["--store", "disk=kept"]), "a search is kept in this folder already");
    let other = ["check", "counters.net", "--store", "disk=kept", "--resume"];
    let asked_else = [&other[..], &["--formula", "G !\"up0\""]].concat();
    cannot(&asked_else, "the search in it was asked something else");
    let (code, text) = run(&folder, &other);
    assert_eq!((code, text.contains("deadlock: after 6 steps")), (Some(1), true), "{text}");
    let (code, text) = run(&folder, &["runs", "kept", "--delete"]);
    assert_eq!((code, folder.path().join("kept").exists()), (Some(0), false), "{text}");
}

/// A ring that may go round for ever without ever coming to rest, and formulas of linear time about it.
#[test]
fn formulas_of_linear_time_are_answered_in_runs_and_on_disk() {
    let ring = b"participant P: a* b c\nparticipant Q: x* y\ngo: P a -> b\non: P b -> c\n\
        round: P c -> a\nswing: Q x -> y\nback: Q y -> x\n";
    let folder = Folder::new([("ring.net", &ring[..])]);
    let essence = |more: &[&str]| {
        let asked = ["check", "ring.net", "--format", "json", "-q", "--formula", "G F \"swing\""];
        let others = ["--formula", "G (\"go\" -> F \"on\")", "--formula", "G F (\"go\" | !\"go\")"];
        let output = folder.run(&[&asked[..], &others, more].concat());
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        let findings = document["findings"].as_array().cloned().unwrap_or_default();
        let each = findings.iter().map(|it| [it["property"].clone(), it["verdict"].clone()]);
        (output.status.code(), each.collect::<Vec<_>>())
    };
    let expected = essence(&["--algorithm", "scc"]);
    assert_eq!(expected.0, Some(1));
    assert_eq!(essence(&["--store", "runs"]), expected);
    for more in [&[][..], &["--resume"]] {
        let asked = [&["--store", "disk=kept"][..], more].concat();
        assert_eq!(essence(&asked), expected, "{more:?}");
    }
    let (code, text) = run(&folder, &["runs", "kept"]);
    assert_eq!((code, text.matches("ring.net").count()), (Some(0), 4), "{text}");
    let again = ["check", "ring.net", "--formula", "G F \"swing\"", "--store", "disk=kept"];
    let (code, text) = run(&folder, &again);
    assert!(code == Some(2) && text.contains("kept in this folder already"), "{text}");
    let (code, text) = run(&folder, &["runs", "kept", "--delete"]);
    assert_eq!((code, folder.path().join("kept").exists()), (Some(0), false), "{text}");
}
