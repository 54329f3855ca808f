//! `cargo quadrille sim`: explores the tests of a crate as it is.
//!
//! The crate and all it depends on are compiled against the simulated `std` by a compiler wrapper
//! that adds `--extern std=…` and the like; no source is touched, and everything lands in a folder
//! of its own below the target folder. Build scripts and procedural macros are left alone. Where the
//! compiler does not go along, copies of the crates are compiled that name the simulated `std`
//! (`copies.rs`).
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)] // speaks to cargo, like `cli`

mod copies;
mod shim;
mod wrapper;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use shim::Mechanism;
pub use wrapper::{is_wrapper, wrap};

/// What to explore, and how.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Packages, as cargo names them; the one in the folder if none is named.
    pub packages: Vec<String>,
    /// Integration tests, by name; all kinds of tests if none is named.
    pub tests: Vec<String>,
    /// Whether only the tests inside the library are explored.
    pub only_library: bool,
    /// The manifest to use instead of that of the folder.
    pub manifest: Option<PathBuf>,
    /// Where to build, instead of cargo's target folder.
    pub target: Option<PathBuf>,
    /// Features to switch on.
    pub features: Vec<String>,
    /// Crates to be left alone.
    pub denied: Vec<String>,
    /// Whether copies of crates are built, also if the compiler takes another `std`.
    pub copies: bool,
    /// Which tests: a part of their name each; all if there is none.
    pub names: Vec<String>,
    /// Whether a name is a whole name.
    pub is_exact: bool,
    /// How: random, pct, exhaustive; several one after the other.
    pub strategies: Vec<String>,
    /// How many executions by each strategy that has no end of its own.
    pub executions: u64,
    /// Where random decisions come from.
    pub seed: u64,
    /// Goes on with further seeds for so many seconds of processor time per test.
    pub seconds: Option<u64>,
    /// Whether atomic loads may read whatever C11 allows, instead of the last store.
    pub is_weak: bool,
    /// The schedule to replay.
    pub replay: Option<String>,
    /// Longest execution, in operations.
    pub max_steps: u64,
    /// How many threads explore a test.
    pub workers: usize,
    /// Seconds that a test may block or compute without a visible operation.
    pub patience: u64,
    /// Whether memory is watched for freeing twice and writing after freeing.
    pub watches_memory: bool,
    /// Whether threads can come between accesses of an `UnsafeCell`.
    pub watches_cells: bool,
    /// Whether blocks that are never freed are a failure.
    pub reports_leaks: bool,
    /// Whether threads are threads of the system, instead of coroutines.
    pub on_system_threads: bool,
    /// Whether visited consistent states are counted.
    pub covers: bool,
    /// Ends a test once so many steps visited nothing new; counts them, too.
    pub saturation: Option<u64>,
    /// Whether every timed wait may give up at any moment, whatever the model time is.
    pub races_timeouts: bool,
    /// How many waits for condition variables may end without a notification, per execution.
    pub spurious_wakeups: u32,
    /// Whether everything is shown after each step of a replay.
    pub shows_steps: bool,
    /// The folder that failing runs are drawn into.
    pub pictures: Option<PathBuf>,
    /// Whether the answer is JSON, one object per line and test.
    pub is_json: bool,
}

/// How an exploration ended; exit codes as everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// All schedules of all tests were tried.
    Holds,
    /// No failure was found, but not all schedules were tried.
    Unknown,
    /// A test fails.
    Violated,
    /// A test could not be explored.
    CannotRun,
}

/// Why nothing could be explored, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to type or change.
    pub help: String,
}

impl Problem {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem { message: message.into(), help: help.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  help: {}", self.message, self.help)
    }
}

fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// A cargo command that calls the compiler as we say.
fn clean_cargo() -> Command {
    let mut command = Command::new(cargo());
    command.env_remove("RUSTC_WRAPPER").env_remove("RUSTC_WORKSPACE_WRAPPER");
    command
}

/// How far what is explored is optimised, unless the user says otherwise: a test is executed thousands
/// of times. Cargo leaves assertions and checks of overflow on, and the lines of the source stay known.
pub const OPTIMISATION: (&str, &str) = ("CARGO_PROFILE_DEV_OPT_LEVEL", "1");

/// Explores what is asked for.
///
/// # Errors
///
/// If cargo, the compiler or the package do not play along.
pub fn run(request: &Request) -> Result<Ended, Problem> {
    explore_all(request, None)
}

/// The same, and gives back what was printed instead of printing it.
///
/// # Errors
///
/// If cargo, the compiler or the package do not play along.
pub fn run_quietly(request: &Request) -> Result<(Ended, String), Problem> {
    let mut text = String::new();
    explore_all(request, Some(&mut text)).map(|ended| (ended, text))
}

fn explore_all(request: &Request, mut kept: Option<&mut String>) -> Result<Ended, Problem> {
    check_schedule(request)?;
    let pictures = pictures(request)?;
    let folder = target_folder(request)?.join("quadrille-sim");
    let features = [(request.watches_memory, "oracle"), (request.watches_cells, "cells")];
    let features: Vec<&str> = features.iter().filter(|(is_on, _)| *is_on).map(|f| f.1).collect();
    let shim = shim::build(&folder, &features.join(","))?;
    let mechanism = shim::probe(&shim, request.copies)?;
    if mechanism == Mechanism::Copied && !request.copies {
        eprintln!("this compiler takes no other crate for std; copies that name it are built");
    }
    let binaries = build_tests(request, &shim, mechanism)?;
    if binaries.is_empty() {
        return Err(Problem::new("there are no tests to explore", "name a package with -p"));
    }
    let mut worst = None;
    for binary in binaries {
        let pictures = pictures.as_deref();
        worst = worst.max(explore(request, &binary, pictures, kept.as_deref_mut())?);
    }
    worst.ok_or_else(|| {
        Problem::new(
            "no controlled operation happened: no selected test uses a thread, lock, atomic, channel or clock",
            "select tests that do; a dependency that was denied or that calls the system itself is not seen",
        )
    })
}

/// Refuses at once what cannot be a schedule.
fn check_schedule(request: &Request) -> Result<(), Problem> {
    match &request.replay {
        Some(text) if !text.starts_with("q1:") && !text.starts_with("q1c11:") => Err(Problem::new(
            format!("`{text}` is no schedule: it does not begin with q1:"),
            "give the whole string that a failure was printed with",
        )),
        _ => Ok(()),
    }
}

/// Makes the folder for pictures; the tests run in other folders.
fn pictures(request: &Request) -> Result<Option<PathBuf>, Problem> {
    let Some(folder) = &request.pictures else { return Ok(None) };
    let made = std::path::absolute(folder)
        .and_then(|folder| std::fs::create_dir_all(&folder).map(|()| folder));
    made.map(Some).map_err(|error| {
        Problem::new(
            format!("no pictures can be written to {}: {error}", folder.display()),
            "give a folder that can be made and written with --svg",
        )
    })
}

fn metadata(request: &Request) -> Result<serde_json::Value, Problem> {
    let mut command = clean_cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(manifest) = &request.manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = command.output().map_err(|error| cannot_start(&error))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Problem::new(message, "run it where a Cargo.toml is, or give --manifest-path"));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| Problem::new(format!("cargo metadata: {error}"), "update cargo"))
}

fn cannot_start(error: &std::io::Error) -> Problem {
    Problem::new(format!("cargo cannot be started: {error}"), "install a Rust toolchain")
}

fn target_folder(request: &Request) -> Result<PathBuf, Problem> {
    if let Some(target) = &request.target {
        // Cargo and the tests run in other folders.
        return std::path::absolute(target).map_err(|error| {
            Problem::new(format!("{}: {error}", target.display()), "give another --target-dir")
        });
    }
    let metadata = metadata(request)?;
    let folder = metadata["target_directory"].as_str();
    folder
        .map(PathBuf::from)
        .ok_or_else(|| Problem::new("cargo metadata names no target folder", "update cargo"))
}

/// A test binary, and the folder of its package.
struct Binary {
    name: String,
    path: PathBuf,
    package: PathBuf,
    is_integration_test: bool,
}

/// Compiles the tests against the simulated `std`.
fn build_tests(
    request: &Request,
    shim: &shim::Shim,
    mechanism: Mechanism,
) -> Result<Vec<Binary>, Problem> {
    let wrapper = std::env::current_exe().map_err(|error| cannot_start(&error))?;
    let mut command = clean_cargo();
    command.args(["test", "--no-run", "--message-format=json-render-diagnostics"]);
    command.arg("--target").arg(&shim.host);
    let folder = match mechanism {
        Mechanism::Replaced => shim.folder.join("tests"),
        Mechanism::Copied => {
            command.env(wrapper::COPIES, shim.folder.join("copies"));
            shim.folder.join("copied")
        }
    };
    command.env("CARGO_TARGET_DIR", folder).env("RUSTC_WRAPPER", wrapper);
    command.env(wrapper::SHIM, &shim.library).env(wrapper::DEPENDENCIES, &shim.dependencies);
    command.env(wrapper::DENIED, request.denied.join(","));
    let (name, level) = OPTIMISATION;
    if std::env::var_os(name).is_none() {
        command.env(name, level);
    }
    if let Some(manifest) = &request.manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    for (flag, values) in
        [("-p", &request.packages), ("--test", &request.tests), ("--features", &request.features)]
    {
        values.iter().for_each(|value| {
            command.arg(flag).arg(value);
        });
    }
    if request.only_library {
        command.arg("--lib");
    }
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|error| cannot_start(&error))?;
    if !output.status.success() {
        return Err(Problem::new(
            "the crate or one of its dependencies does not compile against the simulated std",
            "look at the first error above; --deny CRATE leaves a dependency alone",
        ));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(binary).collect())
}

/// The test binary that a line of cargo's messages tells of.
fn binary(line: &str) -> Option<Binary> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let is_test = message["profile"]["test"].as_bool() == Some(true);
    let path = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = PathBuf::from(message["manifest_path"].as_str()?);
    Some(Binary {
        name: message["target"]["name"].as_str()?.to_owned(),
        path: PathBuf::from(path),
        package: manifest.parent()?.to_owned(),
        is_integration_test: message["target"]["kind"][0] == "test",
    })
}

/// What to type for a replay, but for the test and the schedule.
fn replay_command(request: &Request, binary: &Binary) -> String {
    let mut command = String::from("cargo quadrille sim");
    let mut add = |flag: &str, value: &str| {
        command.push_str(flag);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
        if value.chars().all(is_plain) {
            command.push_str(value);
        } else {
            command.push_str(&format!("'{}'", value.replace('\'', "'\\''")));
        }
    };
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    request.packages.iter().for_each(|name| add(" -p ", name));
    if binary.is_integration_test {
        add(" --test ", &binary.name);
    }
    if request.only_library {
        add(" --lib", "");
    }
    path(&request.manifest).iter().for_each(|path| add(" --manifest-path ", path));
    path(&request.target).iter().for_each(|path| add(" --target-dir ", path));
    request.features.iter().for_each(|name| add(" --features ", name));
    request.denied.iter().for_each(|name| add(" --deny ", name));
    let flags = [
        (!request.watches_memory, " --no-oracle"),
        (request.watches_cells, " --cells"),
        (request.reports_leaks, " --leaks"),
        (request.on_system_threads, " --system-threads"),
        (request.copies, " --copies"),
        (request.races_timeouts, " --timeouts any"),
    ];
    flags.iter().filter(|(is_on, _)| *is_on).for_each(|(_, flag)| add(flag, ""));
    if request.spurious_wakeups > 0 {
        add(" --spurious ", &request.spurious_wakeups.to_string());
    }
    command
}

/// Explores the tests of a binary; nothing if none did anything under control.
fn explore(
    request: &Request,
    binary: &Binary,
    pictures: Option<&std::path::Path>,
    kept: Option<&mut String>,
) -> Result<Option<Ended>, Problem> {
    if !request.is_json && kept.is_none() {
        println!("exploring {}", binary.name);
    }
    let mut command = Command::new(&binary.path);
    command.args(&request.names).current_dir(&binary.package);
    if request.is_exact {
        command.arg("--exact");
    }
    command.env("CARGO_MANIFEST_DIR", &binary.package);
    command.env("QUADRILLE_SIM_STRATEGIES", request.strategies.join(","));
    command.env("QUADRILLE_SIM_EXECUTIONS", request.executions.to_string());
    command.env("QUADRILLE_SIM_SEED", request.seed.to_string());
    command.env("QUADRILLE_SIM_MAX_STEPS", request.max_steps.to_string());
    command.env("QUADRILLE_SIM_WORKERS", request.workers.to_string());
    command.env("QUADRILLE_SIM_PATIENCE", request.patience.to_string());
    if let Some(seconds) = request.seconds {
        command.env("QUADRILLE_SIM_SECONDS", seconds.to_string());
    }
    if let Some(schedule) = &request.replay {
        command.env("QUADRILLE_SIM_REPLAY", schedule);
    }
    if request.is_weak {
        command.env("QUADRILLE_SIM_MEMORY", "c11");
    }
    if request.reports_leaks {
        command.env("QUADRILLE_SIM_LEAKS", "1");
    }
    if request.watches_cells {
        command.env("QUADRILLE_SIM_CELLS", "1");
    }
    if request.on_system_threads {
        command.env("QUADRILLE_SIM_THREADS", "system");
    }
    if request.covers {
        command.env("QUADRILLE_SIM_COVERAGE", "1");
    }
    if let Some(steps) = request.saturation {
        command.env("QUADRILLE_SIM_SATURATION", steps.to_string());
    }
    if request.spurious_wakeups > 0 {
        command.env("QUADRILLE_SIM_SPURIOUS", request.spurious_wakeups.to_string());
    }
    if request.races_timeouts {
        command.env("QUADRILLE_SIM_TIMEOUTS", "any");
    }
    if request.shows_steps {
        command.env("QUADRILLE_SIM_SNAPSHOTS", "1");
    }
    if let Some(folder) = pictures {
        // Tests of several binaries may have one name.
        command.env("QUADRILLE_SIM_PICTURES", folder.join(format!("{}.", binary.name)));
    }
    command.env("QUADRILLE_SIM_COMMAND", replay_command(request, binary));
    if request.is_json {
        command.env("QUADRILLE_SIM_FORMAT", "json");
    }
    let status = match kept {
        None => command.status().map_err(|error| cannot_start(&error))?,
        Some(kept) => {
            let output = command.output().map_err(|error| cannot_start(&error))?;
            kept.push_str(&String::from_utf8_lossy(&output.stdout));
            output.status
        }
    };
    Ok(Some(match status.code() {
        Some(0) => Ended::Holds,
        Some(1) => Ended::Violated,
        Some(2) => Ended::CannotRun,
        Some(3) => Ended::Unknown,
        Some(4) => return Ok(None),
        Some(code) => {
            eprintln!("{} ended with exit code {code}", binary.name);
            Ended::CannotRun
        }
        None => {
            eprintln!(
                "{} was ended by a signal: memory was used after it was freed, or worse",
                binary.name
            );
            Ended::Violated
        }
    }))
}
