//! Alloy specifications, command by command, beside Alloy itself where the environment variable
//! `ALLOY_JAR` names its archive: with the best of its solvers, without what Java takes to start.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use quadrille_alloy::names::{Alone, read};
use quadrille_alloy::{Options, Question, World, answer};
use quadrille_diagnostic::Sources;

use crate::cpu::{Whose, measure, seconds};

const TEXTS: [(&str, &str); 5] = [
    ("lease", include_str!("../../../examples/alloy/lease.als")),
    ("lock", include_str!("../../../examples/alloy/lock.als")),
    ("family", include_str!("../../../examples/alloy/family.als")),
    ("election", include_str!("specifications/election.als")),
    ("colours", include_str!("specifications/colours.als")),
];

/// Solvers that come with Alloy.
const SOLVERS: [&str; 3] = ["sat4j", "minisat", "glucose"];

/// How many times faster on average, and how many times slower at most on any text.
const LEAST_MEAN: f64 = 3.0;
const MOST_SLOWER: f64 = 2.0;

/// Measures, prints the rows, and says whether what was promised holds.
pub fn run() -> io::Result<bool> {
    let archive = std::env::var_os("ALLOY_JAR");
    println!("\n{:<10} {:>8} {:>10} {:>10} {:>7}", "text", "commands", "CPU s", "Alloy s", "times");
    let start = match &archive {
        None => 0.0,
        Some(archive) => alloy(Path::new(archive), "run {}", SOLVERS[0])?,
    };
    let (mut sum, mut n, mut worst) = (0.0, 0, f64::INFINITY);
    for (name, text) in TEXTS {
        let mut sources = Sources::default();
        let source = sources.add("spec.als", text);
        let world = read(&mut Alone(&mut sources), "spec.als", source, text)
            .map_err(|bad| io::Error::other(format!("{name}: {bad:?}")))?;
        let (ours, ()) = measure(Whose::Own, 1, || all(&world))?;
        let theirs = match &archive {
            None => f64::NAN,
            Some(archive) => {
                let mut best = f64::INFINITY;
                for solver in SOLVERS {
                    best = best.min(alloy(Path::new(archive), text, solver)? - start);
                }
                best.max(0.01)
            }
        };
        let times = theirs / ours;
        println!("{name:<10} {:>8} {ours:>10.3} {theirs:>10.3} {times:>7.1}", world.commands.len());
        if times.is_finite() {
            (sum, n, worst) = (sum + times.ln(), n + 1, worst.min(times));
        }
    }
    if n == 0 {
        println!("Alloy was not measured: ALLOY_JAR names no archive");
        return Ok(true);
    }
    let mean = (sum / f64::from(n)).exp();
    println!(
        "Java takes {start:.2} s to start; geometric mean {mean:.1} times faster (promised \
         {LEAST_MEAN}), at least {worst:.1} (promised {:.1})",
        1.0 / MOST_SLOWER
    );
    Ok(mean >= LEAST_MEAN && worst >= 1.0 / MOST_SLOWER)
}

/// Answers all commands, up to the steps of their scopes, as Alloy does.
fn all(world: &World) -> io::Result<()> {
    for command in &world.commands {
        let question =
            Question { proves: false, options: Options::default(), ..Question::default() };
        let answer = answer(world, command, &question);
        let answer = answer.map_err(|bad| io::Error::other(bad.message.clone()))?;
        let expected = command.expect.map(|expect| expect != 0);
        if expected.is_some_and(|expected| answer.is_found() != Some(expected)) {
            return Err(io::Error::other(format!("{} has another answer", command.name)));
        }
    }
    Ok(())
}

/// CPU seconds that Alloy takes for all commands of a text.
fn alloy(archive: &Path, text: &str, solver: &str) -> io::Result<f64> {
    let folder = std::env::temp_dir().join(format!("quadrille-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("spec.als");
    std::fs::write(&file, text)?;
    let before = seconds(Whose::Children)?;
    let status = Command::new("java")
        .args(["-Djava.awt.headless=true", "-jar"])
        .arg(archive)
        .args(["exec", "-q", "-f", "-c", "*", "-t", "none", "-s", solver, "-o"])
        .arg(folder.join("out"))
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let used = seconds(Whose::Children)? - before;
    std::fs::remove_dir_all(&folder)?;
    match status.success() {
        true => Ok(used),
        false => Err(io::Error::other(format!("Alloy fails with {solver}: {status}"))),
    }
}
