//! Alloy specifications, command by command, beside Alloy itself where the environment variable
//! `ALLOY_JAR` names its archive: with the best of its solvers, without what Java takes to start. Peak
//! memory is that of a process that answers one command, Java's included.

pub mod proofs;

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use quadrille_alloy::names::{Alone, read};
use quadrille_alloy::{Options, Question, World, answer};
use quadrille_diagnostic::Sources;

use crate::cpu::{Whose, measure, seconds};
use crate::line::Bar;

const TEXTS: [(&str, &str); 7] = [
    ("lease", include_str!("../../../examples/alloy/lease.als")),
    ("lock", include_str!("../../../examples/alloy/lock.als")),
    ("family", include_str!("../../../examples/alloy/family.als")),
    ("election", include_str!("specifications/election.als")),
    ("colours", include_str!("specifications/colours.als")),
    ("hotel", include_str!("specifications/hotel.als")),
    ("folders", include_str!("specifications/folders.als")),
];

/// Solvers that come with Alloy.
const SOLVERS: [&str; 3] = ["sat4j", "minisat", "glucose"];

/// How many times faster on average, how many times slower at most on any command, and which part of
/// the memory at most.
const LEAST_MEAN: f64 = 3.0;
const MOST_SLOWER: f64 = 2.0;
const MOST_MEMORY: f64 = 0.5;

/// Seconds, and the most bytes that a process held.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    bytes: u64,
}

/// Measures, prints the rows, and says whether what was promised holds.
pub fn run() -> io::Result<bool> {
    let archive = std::env::var_os("ALLOY_JAR");
    let archive = archive.as_deref().map(Path::new);
    println!(
        "\n| {:<32} | {:>8} | {:>6} | {:>8} | {:>6} | {:>7} | {:>6} |",
        "command", "s", "MB", "Alloy s", "MB", "solver", "times"
    );
    println!("|:{:-<32}-|{0:->9}:|{0:->7}:|{0:->9}:|{0:->7}:|{0:->8}:|{0:->7}:|", "");
    let start = match archive {
        None => 0.0,
        Some(archive) => alloy(archive, "run {}", "*", SOLVERS[0])?.seconds,
    };
    let (mut sum, mut n, mut slowest, mut largest) = (0.0, 0, f64::INFINITY, 0.0_f64);
    for (name, text) in TEXTS {
        let world = world(name, text)?;
        for (at, command) in world.commands.iter().enumerate() {
            let (seconds, ()) = measure(Whose::Own, 1, || one(&world, command))?;
            let ours = Cost { seconds, bytes: memory(name, at)? };
            let shown = format!("{name} {}", command.name);
            print!("| {shown:<32} | {:>8.4} | {:>6.1} |", ours.seconds, megabytes(ours.bytes));
            let Some(archive) = archive else {
                println!(" {:>8} | {:>6} | {:>7} | {:>6} |", "–", "–", "–", "–");
                continue;
            };
            let mut best = (SOLVERS[0], Cost { seconds: f64::INFINITY, bytes: u64::MAX });
            for solver in SOLVERS {
                let cost = alloy(archive, text, &at.to_string(), solver)?;
                if cost.seconds < best.1.seconds {
                    best = (solver, cost);
                }
            }
            let (solver, theirs) = best;
            // Less than the start of Java varies by is as good as nothing.
            let left = (theirs.seconds - start).max(0.01);
            let times = left / ours.seconds;
            let bytes = megabytes(theirs.bytes);
            println!(" {left:>8.3} | {bytes:>6.1} | {solver:>7} | {times:>6.1} |");
            (sum, n, slowest) = (sum + times.ln(), n + 1, slowest.min(times));
            largest = largest.max(ours.bytes as f64 / theirs.bytes as f64);
        }
    }
    if n == 0 {
        println!("Alloy was not measured: ALLOY_JAR names no archive");
        return Ok(true);
    }
    let mean = (sum / f64::from(n)).exp();
    let bars = [
        Bar::at_least("times faster, geometric mean", LEAST_MEAN, mean),
        Bar::at_least("times as fast on every command", 1.0 / MOST_SLOWER, slowest),
        Bar::at_most("of its memory", MOST_MEMORY, largest),
    ];
    println!(
        "\nJava takes {start:.2} s to start. Geometric mean {mean:.1} times faster, at least \
         {slowest:.1} times on any command, at most {largest:.2} of the memory"
    );
    let mut is_good = true;
    for bar in &bars {
        println!("{bar}");
        is_good &= bar.is_kept();
    }
    Ok(is_good)
}

/// Answers one command of one text, and prints the most bytes this process held: for [`run`], in a
/// process of its own.
pub fn run_alone(name: &str, at: &str) -> io::Result<bool> {
    let text = TEXTS.iter().find(|(known, _)| *known == name);
    let (_, text) = text.ok_or_else(|| io::Error::other(format!("no text `{name}`")))?;
    let world = world(name, text)?;
    let command = at.parse().ok().and_then(|at: usize| world.commands.get(at));
    one(&world, command.ok_or_else(|| io::Error::other(format!("no command {at}")))?)?;
    println!("{}", held("self"));
    Ok(true)
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn world(name: &str, text: &str) -> io::Result<World> {
    let mut sources = Sources::default();
    let source = sources.add("spec.als", text);
    read(&mut Alone(&mut sources), "spec.als", source, text)
        .map_err(|bad| io::Error::other(format!("{name}: {bad:?}")))
}

/// Answers a command up to the steps of its scope, as Alloy does.
fn one(world: &World, command: &quadrille_alloy::Command) -> io::Result<()> {
    let question = Question { proves: false, options: Options::default(), ..Question::default() };
    let answer = answer(world, command, &question);
    let answer = answer.map_err(|bad| io::Error::other(bad.message.clone()))?;
    let expected = command.expect.map(|expect| expect != 0);
    if expected.is_some_and(|expected| answer.is_found() != Some(expected)) {
        return Err(io::Error::other(format!("{} has another answer", command.name)));
    }
    Ok(())
}

/// The most bytes a process of ours holds that answers one command.
fn memory(name: &str, at: usize) -> io::Result<u64> {
    let words = ["bench", "relational", "--alone", name, &at.to_string()];
    let output = Command::new(std::env::current_exe()?).args(words).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| io::Error::other(format!("{name}: no memory is told: {text}")))
}

/// The most bytes a process has held so far, where the system tells (Linux).
fn held(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// What Alloy takes for a command of a text, by number, or for all of them.
fn alloy(archive: &Path, text: &str, command: &str, solver: &str) -> io::Result<Cost> {
    let folder = std::env::temp_dir().join(format!("quadrille-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("spec.als");
    std::fs::write(&file, text)?;
    let before = seconds(Whose::Children)?;
    let mut child = Command::new("java")
        .args(["-Djava.awt.headless=true", "-jar"])
        .arg(archive)
        .args(["exec", "-q", "-f", "-c", command, "-t", "none", "-s", solver, "-o"])
        .arg(folder.join("out"))
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let bytes = watched(&mut child)?;
    let status = child.wait()?;
    let seconds = seconds(Whose::Children)? - before;
    std::fs::remove_dir_all(&folder)?;
    match status.success() {
        true => Ok(Cost { seconds, bytes }),
        false => Err(io::Error::other(format!("Alloy fails with {solver}: {status}"))),
    }
}

/// The most bytes a process held until it ended.
fn watched(child: &mut Child) -> io::Result<u64> {
    let mut most = 0;
    while child.try_wait()?.is_none() {
        most = most.max(held(&child.id().to_string()));
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(most)
}
