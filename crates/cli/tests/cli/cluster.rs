//! Searches that processes share: the same answers as of one, and a clear end where one dies, stops or
//! disagrees. `QUADRILLE_ROUNDS=5` kills as often as the tests of disks do.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::Folder;

fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = folder.run(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Verdicts, counts where everything was explored, and lengths of counterexamples.
fn essence(folder: &Folder, arguments: &[&str]) -> (Option<i32>, Value) {
    let (code, output, errors) = run(folder, arguments);
    let document: Value = serde_json::from_str(&output)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{output}{errors}"));
    let results = document["findings"].as_array().cloned().unwrap_or_default();
    let all_violated = results.iter().all(|result| result["verdict"] == "violated");
    let essence = results.iter().map(|result| {
        let steps = result["trace"]["steps"].as_array().map(Vec::len);
        let names = ["states", "transitions"];
        let counts: Vec<&Value> = match all_violated {
            // What was met beyond the first violation depends on how it was searched.
            true => Vec::new(),
            false => names.iter().map(|name| &result[name]).collect(),
        };
        serde_json::json!([result["property"], result["verdict"], steps, counts])
    });
    (code, essence.collect())
}

/// What may be a model, in the examples of all languages.
fn examples(folder: &Path, found: &mut Vec<PathBuf>) {
    let languages = ["quad", "net", "aut", "qev", "arch", "bp", "pnml", "dcj", "als"];
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let ending = path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if path.is_dir() && !path.ends_with("target") {
            examples(&path, found);
        } else if languages.contains(&ending) {
            found.push(path);
        }
    }
}

/// Every example of every language, and one in a dialect that has none of its own.
fn all_examples() -> (Folder, Vec<String>) {
    let ring = b"(s/defsession ::ring [] (s/-->> Token (::worker 0) (::worker 1)))";
    let folder = Folder::new([("ring.dcj", &ring[..])]);
    let mut files = vec![folder.path().join("ring.dcj")];
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut files);
    files.sort();
    (folder, files.iter().map(|file| file.display().to_string()).collect())
}

#[test]
fn every_example_is_answered_like_by_one_process() {
    let (folder, files) = all_examples();
    let (mut n_compared, mut n_refused) = (0, 0);
    for file in files {
        let one =
            ["check", &file, "--store", "runs", "--format", "json", "-q", "--max-states", "2000"];
        let (code, expected) = essence(&folder, &one);
        if code == Some(3) {
            continue;
        }
        for processes in ["1", "2", "4"] {
            let cluster = ["cluster", "local", "--processes", processes, "--workers", "1", &file];
            let asked = [&cluster[..], &["--format", "json", "-q"]].concat();
            let told = essence(&folder, &asked);
            if told.0 == Some(2) {
                // What it cannot do, it says, whatever runs can.
                let (_, _, errors) = run(&folder, &asked[..asked.len() - 3]);
                let says = errors.contains("error[") && errors.contains("= help: ");
                assert!(says, "{file}: {errors}");
                n_refused += 1;
                break;
            }
            assert_eq!(told, (code, expected.clone()), "{file} with {processes} processes");
            n_compared += 1;
        }
    }
    assert!(n_compared > 20 && n_refused > 3, "{n_compared} {n_refused}");
}

#[test]
fn every_language_counts_alike_in_processes() {
    let (folder, files) = all_examples();
    let counts = |arguments: &[&str]| {
        let (code, output, errors) = run(&folder, arguments);
        let document: Value = serde_json::from_str(&output)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{output}{errors}"));
        let names = ["states", "transitions", "deadlocks", "depth", "complete"];
        (code, names.map(|name| document[name].clone()))
    };
    let mut compared = std::collections::BTreeSet::new();
    for file in files {
        let asked = ["states", &file, "--engine", "explicit", "--max-states", "2000"];
        let expected = counts(&[&asked[..], &["--format", "json", "-q"]].concat());
        if expected.0 == Some(3) {
            continue;
        }
        for processes in ["1", "2", "4"] {
            let cluster = ["cluster", "local", "--processes", processes, "--workers", "1"];
            let more = ["--count", &file, "--format", "json", "-q"];
            let told = counts(&[&cluster[..], &more].concat());
            assert_eq!(told, expected, "{file} with {processes} processes");
        }
        if expected.0 == Some(0) {
            compared.extend(Path::new(&file).extension().map(std::ffi::OsStr::to_owned));
        }
    }
    // Of the other languages, specifications have no states that are counted.
    assert!(compared.len() >= 6, "{compared:?}");
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

/// The processes that another one started.
fn children_of(parent: u32) -> Vec<u32> {
    let tasks = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    let tasks = tasks.unwrap_or_default();
    tasks.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn signal(signal: &str, process: u32) {
    let status = Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(status.is_ok());
}

/// Waits until `is_so`, but not for ever.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A cluster of three processes that has written down some levels.
fn begun(folder: &Folder, more: &[&str]) -> (Child, Vec<u32>) {
    let search = ["cluster", "local", "--processes", "3", "--workers", "1", "counters.net"];
    let on_disk = ["--store", "disk=kept", "--count"];
    let mut command = folder.command(&[&search[..], &on_disk, more].concat());
    let before = std::fs::read(folder.path().join("kept/worker-1/manifest")).ok();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("a process");
    wait_until("a level is written down", || {
        std::fs::read(folder.path().join("kept/worker-1/manifest")).ok() != before
            || child.try_wait().expect("a process").is_some()
    });
    let children = children_of(child.id());
    (child, children)
}

#[test]
fn one_of_three_processes_is_killed_and_the_search_goes_on() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let rounds = std::env::var("QUADRILLE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let n_kills = 4 * rounds.unwrap_or(1_usize);
    let folder = counters(9);
    let mut n_killed = 0;
    for number in 0..n_kills {
        let (child, children) = begun(&folder, &["--resume"]);
        std::thread::sleep(Duration::from_micros((number as u64 * 7919) % 50_000));
        let Some(&victim) = children.get(number % 3) else { break };
        signal("-KILL", victim);
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(0) {
            break;
        }
        n_killed += 1;
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let expected = format!("process {} of 3 was ended by signal 9", number % 3);
        assert!(errors.contains(&expected), "{errors}");
        assert!(errors.contains("--resume"), "{errors}");
    }
    assert!(n_killed > 0, "it was over before it could be killed");
    let search = ["cluster", "local", "--processes", "3", "--workers", "1", "counters.net"];
    let on_disk = ["--store", "disk=kept", "--count", "--resume", "--format", "json"];
    let (code, output, errors) = run(&folder, &[&search[..], &on_disk].concat());
    assert_eq!(code, Some(0), "{errors}");
    let document: Value = serde_json::from_str(&output).expect("a document");
    let names = ["states", "transitions", "deadlocks", "depth"];
    let counts = names.map(|name| document[name].as_u64().expect("a number"));
    assert_eq!(counts, [1 << 18, (9 * 3) << 16, 1, 27]);
    let (code, output, _) = run(&folder, &["runs", "kept"]);
    assert_eq!((code, output.matches("complete").count()), (Some(0), 3), "{output}");
    // As many processes as there were.
    let fewer = ["cluster", "local", "--processes", "2", "--workers", "1", "counters.net"];
    let (code, _, errors) = run(&folder, &[&fewer[..], &on_disk].concat());
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("as many processes and workers as there were"), "{errors}");
}

#[test]
fn a_process_that_is_stopped_ends_the_search_in_time() {
    if !cfg!(target_os = "linux") {
        return;
    }
    for victim in [0, 2] {
        let folder = counters(10);
        let (child, children) = begun(&folder, &["--patience", "1.5s"]);
        let Some(&stopped) = children.get(victim) else { continue };
        signal("-STOP", stopped);
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(0) {
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let expected = format!("process {victim} has said nothing for 1.5 s");
        assert!(errors.contains(&expected), "{errors}");
        wait_until("nothing is left running", || !Path::new(&format!("/proc/{stopped}")).exists());
    }
}

#[test]
fn what_a_cluster_cannot_do_says_so() {
    let folder = counters(2);
    std::fs::write(folder.path().join("hosts"), "127.0.0.1:9 # first\nnowhere\n").expect("written");
    std::fs::write(folder.path().join("two"), "127.0.0.1:1\n127.0.0.1:2\n").expect("written");
    std::fs::write(folder.path().join("short"), "short").expect("written");
    std::fs::write(folder.path().join("secret"), [7; 32]).expect("written");
    std::fs::write(folder.path().join("wrong.net"), "participant\n").expect("written");
    let cannot = |arguments: &[&str], expected: &str| {
        let (code, _, errors) = run(&folder, arguments);
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    };
    let local = |more: &[&'static str]| {
        [&["cluster", "local", "--processes", "2", "counters.net"], more].concat()
    };
    cannot(&local(&["--order", "dfs"]), "a cluster cannot be combined with --order dfs");
    cannot(&local(&["--formula", "AG EF \"up0\""]), "a cluster answers deadlock and invariants");
    cannot(&local(&["--formula", "F \"up0\""]), "ask it on one machine, with --store runs");
    cannot(&local(&["--count", "--formula", "G !\"up0\""]), "cannot be combined with formulas");
    cannot(&["cluster", "local", "--processes", "2", "wrong.net"], "wrong.net:1");
    cannot(&["cluster", "local", "--processes", "2", "missing.net"], "missing.net");
    cannot(&["cluster"], "cluster [OPTIONS] <COMMAND>");
    cannot(&["cluster", "--hosts", "two", "counters.net"], "--process <I>");
    let join = |hosts, process, secret| {
        ["cluster", "--hosts", hosts, "--process", process, "--secret", secret, "counters.net"]
    };
    cannot(&join("hosts", "0", "secret"), "hosts:2:1");
    cannot(&join("hosts", "0", "secret"), "expected `host:port`, found `nowhere`");
    cannot(&join("two", "2", "secret"), "there is no process 2 among the 2 of two");
    cannot(&join("two", "1", "short"), "`short` is no secret");
    cannot(&join("two", "1", "absent"), "cannot read the secret `absent`");
    let (code, output, _) = run(&folder, &local(&["--format", "json", "--order", "dfs"]));
    let document: Value = serde_json::from_str(&output).expect("a document");
    assert_eq!((code, document["diagnostics"].as_array().map(Vec::len)), (Some(2), Some(1)));
}

/// Ports that are free at the moment.
fn free_ports<const N: usize>() -> [u16; N] {
    let bind = || std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let all: [_; N] = std::array::from_fn(|_| bind());
    all.map(|it| it.local_addr().expect("an address").port())
}

#[test]
fn processes_that_are_named_in_a_file_find_each_other() {
    let folder = counters(4);
    let [one, two] = free_ports();
    let hosts = format!("localhost:{one}\nlocalhost:{two}\n");
    std::fs::write(folder.path().join("hosts"), hosts).expect("written");
    std::fs::write(folder.path().join("secret"), [7; 32]).expect("written");
    std::fs::write(folder.path().join("other"), [8; 32]).expect("written");
    let join = |process: &str, secret: &str, patience: &str| {
        let named = ["cluster", "--hosts", "hosts", "--process", process, "--secret", secret];
        let more = ["counters.net", "--workers", "2", "--patience", patience];
        let mut command = folder.command(&[&named[..], &more].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process")
    };
    let both = [join("0", "secret", "60s"), join("1", "secret", "60s")];
    let [first, second] = both.map(|it| it.wait_with_output().expect("it ends"));
    let text = String::from_utf8_lossy(&first.stdout);
    assert_eq!((first.status.code(), second.status.code()), (Some(1), Some(1)), "{text}");
    assert!(text.contains("deadlock: after 12 steps"), "{text}");
    assert!(second.stdout.is_empty(), "one report");
    let both = [join("0", "secret", "2s"), join("1", "other", "2s")];
    let [first, second] = both.map(|it| it.wait_with_output().expect("it ends"));
    assert_eq!((first.status.code(), second.status.code()), (Some(2), Some(2)));
    let errors = String::from_utf8_lossy(&second.stderr);
    assert!(errors.contains("it does not know the same secret"), "{errors}");
}
