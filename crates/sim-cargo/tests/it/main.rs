//! The command from end to end: crates that know nothing of it are built against the simulated
//! `std` and explored. This binary is also what the command is: the wrapper that cargo calls.
#![allow(missing_docs, clippy::disallowed_methods, clippy::print_stdout)] // a test

mod crates;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Failed, Trial};
use quadrille_sim_cargo::{Ended, Request, is_wrapper, run, wrap};

/// The first argument of a call that stands for the command.
const COMMAND: &str = "explore";

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if is_wrapper() {
        return wrap(&words);
    }
    if words.get(1).is_some_and(|word| word == COMMAND) {
        let words: Vec<&str> = words.iter().skip(2).filter_map(|word| word.to_str()).collect();
        return explore(&words);
    }
    let fixture = crates::write(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let trial = |name: &str, test: fn(&Fixture) -> Result<(), Failed>| {
        let fixture = Fixture(fixture.clone());
        Trial::test(name, move || test(&fixture))
    };
    let mut arguments = Arguments::from_args();
    // They share one build.
    arguments.test_threads = Some(1);
    libtest_mimic::run(
        &arguments,
        vec![
            trial("an unmodified crate is explored", unmodified),
            trial("a failure is replayed by its schedule", replayed),
            trial("dependencies of old editions are explored, too", dependencies),
            trial("answers are JSON if asked for", json),
            trial("weak memory is explored if asked for", weak_memory),
            trial("visited states are counted if asked for", coverage),
            trial("threads of the system serve foreign functions", system_threads),
            trial("what should panic must", should_panic),
            trial("a schedule of another program is refused", other_program),
            trial("a schedule of another version is refused", other_version),
            trial("nothing under control is an error", nothing_controlled),
            trial("blocking outside of control is named", blocks_outside),
            trial("computing for ever is named", computes_for_ever),
            trial("a compiler that takes no other std gets copies", copies),
            trial("a compiler without any mechanism is told", no_mechanism),
            trial("memory that is freed twice is found", freed_twice),
            trial("memory that is written after it was freed is found", written_after),
            trial("memory that is never freed is found if asked for", leaked),
            trial("a crash is told with its schedule", crashed),
            trial("statics begin every execution anew", statics),
            trial("several workers answer like one", workers),
            trial("a manifest with errors is told", bad_manifest),
            trial("threads and a generated module are explored as one", modules),
            trial("a failing run is drawn if asked for", pictures),
            trial("everything is shown after each step of a replay", snapshots),
            trial("what is not under control is found by executing twice", hidden_entropy),
            trial("a value that outlives executions is told", leftover),
            trial("wake-ups without a cause happen if asked for", spurious),
        ],
    )
    .exit_code()
}

/// The command: a manifest, a package, and `name=value` for the rest.
fn explore(words: &[&str]) -> ExitCode {
    let (manifest, package) = (words[0], words[1]);
    let value = |name: &str| {
        let mut values = words[2..].iter().filter_map(|word| word.split_once('='));
        values.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    };
    let request = Request {
        manifest: Some(PathBuf::from(manifest)),
        packages: vec![package.to_owned()],
        names: value("test").into_iter().collect(),
        is_exact: true,
        strategies: vec![value("strategy").unwrap_or_else(|| "random".to_owned())],
        executions: 500,
        seed: 1,
        is_weak: value("memory").is_some_and(|memory| memory == "c11"),
        replay: value("replay"),
        max_steps: 10_000,
        workers: value("workers").and_then(|n| n.parse().ok()).unwrap_or(1),
        patience: 1,
        watches_memory: true,
        reports_leaks: value("leaks").is_some(),
        on_system_threads: value("threads").is_some(),
        covers: value("coverage").is_some(),
        saturation: value("saturation").and_then(|steps| steps.parse().ok()),
        spurious_wakeups: value("spurious").and_then(|n| n.parse().ok()).unwrap_or(0),
        shows_steps: value("snapshots").is_some(),
        pictures: value("svg").map(PathBuf::from),
        is_json: value("format").is_some(),
        ..Request::default()
    };
    ExitCode::from(match run(&request) {
        Ok(Ended::Holds) => 0,
        Ok(Ended::Violated) => 1,
        Ok(Ended::CannotRun) => 2,
        Ok(Ended::Unknown) => 3,
        Err(problem) => {
            println!("{problem}");
            2
        }
    })
}

/// The folder of the crates that are explored.
struct Fixture(PathBuf);

impl Fixture {
    fn command(&self, package: &str, words: &[&str]) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("this binary has a path"));
        command.arg(COMMAND).arg(self.0.join("Cargo.toml")).arg(package).args(words);
        command.env_remove("CARGO_TARGET_DIR").current_dir(&self.0);
        command
    }

    /// The exit code and what was printed.
    fn explore(&self, package: &str, words: &[&str]) -> (i32, String) {
        told(&self.command(package, words).output().expect("this binary starts"))
    }
}

fn told(output: &Output) -> (i32, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), text + &errors)
}

fn check(is_so: bool, text: &str) -> Result<(), Failed> {
    if is_so { Ok(()) } else { Err(Failed::from(text)) }
}

fn unmodified(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=check_then_act"]);
    let shows =
        ["check_then_act ... violated", "panic of main", "replay with q1:", "race/src/lib.rs:"];
    check(code == 1 && shows.iter().all(|part| text.contains(part)), &text)?;
    let (code, text) = fixture.explore("race", &["test=under_a_lock", "strategy=exhaustive"]);
    check(code == 0 && text.contains("2 executions, all orders, memory model SC"), &text)
}

/// The schedule that a failure was printed with.
fn schedule(text: &str) -> &str {
    let begin = text.find("q1:").expect("a failure has a schedule");
    text[begin..].split_whitespace().next().unwrap_or_default()
}

fn replayed(fixture: &Fixture) -> Result<(), Failed> {
    let (_, text) = fixture.explore("race", &["test=check_then_act"]);
    let replay = format!("replay={}", schedule(&text));
    let (code, again) = fixture.explore("race", &["test=check_then_act", &replay]);
    check(code == 1 && schedule(&again) == schedule(&text), &again)?;
    let (code, again) = fixture.explore("race", &[&replay]);
    check(code == 2 && again.contains("a schedule belongs to one test"), &again)
}

fn dependencies(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=through_a_dependency"]);
    check(code == 1 && text.contains("old/src/lib.rs:"), &text)
}

fn json(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=check_then_act", "format=json"]);
    let line = text.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let answer: serde_json::Value =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let is_so = answer["verdict"] == "violated" && answer["memory_model"] == "SC";
    let has_schedule = answer["schedule"].as_str().is_some_and(|text| text.starts_with("q1:"));
    check(code == 1 && is_so && has_schedule, &text)
}

fn weak_memory(fixture: &Fixture) -> Result<(), Failed> {
    let test = ["test=relaxed_message", "strategy=exhaustive"];
    let (code, text) = fixture.explore("race", &test);
    check(code == 0 && text.contains("all orders, memory model SC"), &text)?;
    let (code, text) = fixture.explore("race", &[test[0], test[1], "memory=c11"]);
    let shows = ["not there", "= 0 (overwritten)", "memory model C11, replay with q1c11:"];
    check(code == 1 && shows.iter().all(|part| text.contains(part)), &text)?;
    let begin = text.find("q1c11:").unwrap_or_default();
    let schedule = text[begin..].split_whitespace().next().unwrap_or_default();
    // The schedule brings its memory model with it.
    let replay = format!("replay={schedule}");
    let (code, again) = fixture.explore("race", &[test[0], &replay, "format=json"]);
    check(code == 1 && again.contains("\"memory_model\":\"C11\""), &again)
}

fn coverage(fixture: &Fixture) -> Result<(), Failed> {
    let test = ["test=under_a_lock", "strategy=exhaustive"];
    let (code, text) = fixture.explore("race", &[test[0], test[1], "coverage=yes"]);
    let shows = ["2 executions, all orders", "coverage: ", "nothing new in the last", "1 steps"];
    check(code == 0 && shows.iter().all(|part| text.contains(part)), &text)?;
    let (code, text) = fixture.explore("race", &[test[0], "saturation=100", "format=json"]);
    check(code == 3 && text.contains("until 100 steps showed nothing new"), &text)?;
    let line = text.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let answer: serde_json::Value =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let (executions, coverage) = (&answer["executions"], &answer["coverage"]);
    let curve = coverage["curve"].as_array().ok_or("no curve")?;
    let last = curve.last().ok_or("no point")?;
    let is_so = last[1] == coverage["states"] && last[2] == coverage["pairs"];
    check(is_so && executions.as_u64() < Some(500), &text)
}

/// The system knows its own threads, and nothing of coroutines.
fn system_threads(fixture: &Fixture) -> Result<(), Failed> {
    if !cfg!(unix) {
        return Ok(());
    }
    let test = ["test=knows_threads_of_the_system", "strategy=exhaustive"];
    let (code, text) = fixture.explore("race", &test);
    check(code == 1 && text.contains("one thread"), &text)?;
    let (code, text) = fixture.explore("race", &[test[0], test[1], "threads=system"]);
    check(code == 0 && text.contains("all orders"), &text)?;
    // The memory oracle sees through threads.
    let (code, text) = fixture.explore("race", &["test=frees_twice", "threads=system"]);
    check(code == 1 && text.contains("memory: a block is freed twice"), &text)?;
    // A test that unwinds with synchronising destructors cannot be explored whole on coroutines.
    let test = ["test=poisons", "strategy=exhaustive"];
    let (code, text) = fixture.explore("race", &test);
    check(code == 2 && text.contains("--system-threads"), &text)?;
    let (code, text) = fixture.explore("race", &[test[0], test[1], "threads=system"]);
    check(code == 0, &text)
}

fn should_panic(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=panics_as_it_should"]);
    check(code == 0 && text.contains("panics, as it should"), &text)?;
    let (code, text) = fixture.explore("race", &["test=panics_otherwise"]);
    check(code == 1 && text.contains("another reason"), &text)
}

fn other_program(fixture: &Fixture) -> Result<(), Failed> {
    let (_, text) = fixture.explore("race", &["test=check_then_act"]);
    let replay = format!("replay={}", schedule(&text));
    let (code, text) = fixture.explore("race", &["test=under_a_lock", &replay]);
    let shows = ["the schedule does not fit the program", "step ", "race/src/lib.rs:"];
    check(code == 2 && shows.iter().all(|part| text.contains(part)), &text)
}

fn other_version(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=check_then_act", "replay=q9:a3::AAA"]);
    check(code == 2 && text.contains("it does not begin with q1:"), &text)?;
    let (code, text) = fixture.explore("race", &["test=check_then_act", "replay=q1:a3b"]);
    check(code == 2 && text.contains("expected : at byte 6"), &text)
}

fn nothing_controlled(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("plain", &[]);
    check(code == 2 && text.contains("no controlled operation happened"), &text)
}

fn blocks_outside(fixture: &Fixture) -> Result<(), Failed> {
    if !cfg!(unix) {
        return Ok(());
    }
    let (code, text) = fixture.explore("stuck", &["test=waits_for_a_signal"]);
    let shows = ["blocks outside of the scheduler's control", "stuck/src/lib.rs:"];
    check(code == 2 && shows.iter().all(|part| text.contains(part)), &text)
}

fn computes_for_ever(fixture: &Fixture) -> Result<(), Failed> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let (code, text) = fixture.explore("stuck", &["test=computes"]);
    check(code == 2 && text.contains("computes without any visible operation"), &text)
}

/// A compiler that refuses another `std`: a script around the real one.
fn copies(fixture: &Fixture) -> Result<(), Failed> {
    if !cfg!(unix) {
        return Ok(());
    }
    let script = crates::write_refusing_compiler(&fixture.0, &["std"]);
    let explore = |package: &str, words: &[&str]| {
        let mut command = fixture.command(package, words);
        told(&command.env("RUSTC", &script).output().expect("this binary starts"))
    };
    let (code, text) = explore("race", &["test=check_then_act"]);
    let shows = ["old is of edition 2015", "--deny old", "does not compile"];
    check(code == 2 && shows.iter().all(|part| text.contains(part)), &text)?;
    let (code, text) = explore("own", &["test=locals_of_threads"]);
    let shows = ["copies that name it are built", "own/src/lib.rs:", "inner/src/lib.rs:"];
    check(code == 1 && shows.iter().all(|part| text.contains(part)), &text)?;
    // In the same way as where the compiler goes along.
    let replay = format!("replay={}", schedule(&text));
    let (code, again) = fixture.explore("own", &["test=locals_of_threads", &replay]);
    check(code == 1 && schedule(&again) == schedule(&text), &again)
}

fn no_mechanism(fixture: &Fixture) -> Result<(), Failed> {
    if !cfg!(unix) {
        return Ok(());
    }
    let script = crates::write_refusing_compiler(&fixture.0, &["std", "quadrille_sim_std"]);
    let mut command = fixture.command("race", &["test=under_a_lock"]);
    let (code, text) = told(&command.env("RUSTC", script).output()?);
    let shows = ["this compiler does not take another crate for std", "use the explicit way"];
    check(code == 2 && shows.iter().all(|part| text.contains(part)), &text)
}

fn pictures(fixture: &Fixture) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let svg = format!("svg={}", folder.path().join("new").display());
    let (code, text) = fixture.explore("race", &["test=check_then_act", &svg]);
    let drawn = std::fs::read_to_string(folder.path().join("new/race.check_then_act.svg"))?;
    check(code == 1 && text.contains("picture: ") && drawn.contains("<svg"), &text)?;
    std::fs::write(folder.path().join("file"), "")?;
    let svg = format!("svg={}", folder.path().join("file").display());
    let (code, text) = fixture.explore("race", &["test=check_then_act", &svg]);
    check(code == 2 && text.contains("no pictures can be written"), &text)
}

fn snapshots(fixture: &Fixture) -> Result<(), Failed> {
    let (_, text) = fixture.explore("race", &["test=check_then_act"]);
    let replay = format!("replay={}", schedule(&text));
    let words = ["test=check_then_act", &replay, "snapshots=yes"];
    let (code, text) = fixture.explore("race", &words);
    let shows = ["after step 1, at 0 s, no lock held", "main: runnable, next "];
    check(code == 1 && shows.iter().all(|part| text.contains(part)), &text)?;
    let (code, text) = fixture.explore("race", &[words[0], words[1], words[2], "format=json"]);
    let lines: Vec<serde_json::Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let (answer, steps) = lines.split_last().ok_or("no line")?;
    let n_operations = answer["trace"].as_array().map_or(0, Vec::len);
    let is_so = steps.iter().all(|step| step["schema"] == "quadrille-sim-snapshot/1")
        && steps.iter().any(|step| step["threads"][1]["state"] == "runnable");
    check(code == 1 && is_so && !steps.is_empty() && steps.len() <= n_operations, &text)
}

fn hidden_entropy(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=by_hash_order", "strategy=twice"]);
    let shows = ["not under control", "the order of a hash map", "race/src/lib.rs:"];
    check(code == 2 && shows.iter().all(|part| text.contains(part)), &text)?;
    let (code, text) = fixture.explore("race", &["test=under_a_lock", "strategy=twice"]);
    check(code == 3, &text)
}

fn leftover(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=counts_in_a_static_lock"]);
    let shows = ["outlives executions", "race/src/lib.rs:", "did not all begin alike"];
    check(code == 3 && shows.iter().all(|part| text.contains(part)), &text)
}

fn spurious(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=waits_with_if"]);
    check(code == 3, &text)?;
    let (code, text) = fixture.explore("race", &["test=waits_with_if", "spurious=1"]);
    // The replay says that it needs them, too.
    check(
        code == 1 && text.contains("-p race --manifest-path") && text.contains("--spurious 1"),
        &text,
    )
}

fn freed_twice(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=frees_twice"]);
    check(code == 1 && text.contains("memory: a block is freed twice"), &text)
}

fn written_after(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=writes_after_free"]);
    check(code == 1 && text.contains("1 blocks were written to after they were freed"), &text)
}

fn leaked(fixture: &Fixture) -> Result<(), Failed> {
    let (code, text) = fixture.explore("race", &["test=leaks", "leaks=yes"]);
    check(code == 1 && text.contains("blocks were never freed"), &text)?;
    let (code, text) = fixture.explore("race", &["test=leaks"]);
    check(code == 3, &text)
}

fn crashed(fixture: &Fixture) -> Result<(), Failed> {
    if !cfg!(unix) {
        return Ok(());
    }
    let (code, text) = fixture.explore("race", &["test=follows_a_null_pointer"]);
    let shows = ["ended by SIG", "load at race/src/lib.rs:", "replay with q1:"];
    check(code == 1 && shows.iter().all(|part| text.contains(part)), &text)?;
    let replay = format!("replay={}", schedule(&text));
    let (code, again) = fixture.explore("race", &["test=follows_a_null_pointer", &replay]);
    check(code == 1 && schedule(&again) == schedule(&text), &again)
}

/// Also where statics keep workers apart, and where the program crashes.
fn workers(fixture: &Fixture) -> Result<(), Failed> {
    for (test, strategy) in [
        ("check_then_act", "exhaustive"),
        ("check_then_act", "random"),
        ("under_a_lock", "exhaustive"),
        ("statics_begin_anew", "exhaustive"),
        ("frees_twice", "exhaustive"),
        ("follows_a_null_pointer", "random"),
    ] {
        let words = [&format!("test={test}"), &format!("strategy={strategy}"), "workers=1"];
        // Every byte of the answer; what cargo says of compiling is on the other stream.
        let explore = |words: &[&str]| {
            let output = fixture.command("race", words).output().expect("this binary starts");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let alone = explore(&words);
        for number in ["workers=2", "workers=4"] {
            let together = explore(&[words[0], words[1], number]);
            check(together == alone, &format!("{test} {number}:\n{}\n{}", alone.1, together.1))?;
        }
    }
    Ok(())
}

fn bad_manifest(fixture: &Fixture) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \n")?;
    let (code, text) = Fixture(folder.path().to_owned()).explore("race", &[]);
    let shows = ["Cargo.toml:2", "help: "];
    check(code == 2 && shows.iter().all(|part| text.contains(part)), &text)?;
    let (code, text) = fixture.explore("none", &[]);
    check(code == 2 && text.contains("help: "), &text)
}

fn statics(fixture: &Fixture) -> Result<(), Failed> {
    // The second strategy finds what the first one left.
    let words = ["test=statics_begin_anew", "strategy=random,pct"];
    let (code, text) = fixture.explore("race", &words);
    check(code == 3 && text.contains("no failure in 1000 executions"), &text)
}

/// Both threads, the module between them and its runtime, in every order.
fn modules(fixture: &Fixture) -> Result<(), Failed> {
    let manifest =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/module-threads/Cargo.toml");
    let explore = |words: &[&str]| {
        let mut command = Command::new(std::env::current_exe().expect("this binary has a path"));
        command.arg(COMMAND).arg(&manifest).arg("module-threads").args(words);
        told(&command.env("CARGO_TARGET_DIR", fixture.0.join("target")).output().expect("starts"))
    };
    let (code, text) = explore(&["test=a_game_over_the_liberal_module", "strategy=exhaustive"]);
    check(code == 0 && text.contains("all orders, memory model SC"), &text)?;
    let (code, text) = explore(&["test=a_game_over_the_strict_module"]);
    check(code == 3 && text.contains("no failure in 500 executions"), &text)?;
    let (code, text) = explore(&["test=white_leaves_too_early"]);
    check(code == 1 && text.contains("Dropped") && text.contains("games.rs:"), &text)
}
