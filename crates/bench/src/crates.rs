//! Well-known concurrent crates, byte for byte from the registry, with their own tests under the
//! scheduler: whether they convert, and what their tests come to.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadrille_sim_cargo::{Request, run_quietly};

use crate::cpu::{Whose, seconds};

/// Crates by exact version.
const CRATES: [(&str, &str); 25] = [
    ("async-channel", "2.5.0"),
    ("async-lock", "3.5.0"),
    ("atomic_refcell", "0.1.14"),
    ("bus", "2.4.1"),
    ("concurrent-queue", "2.5.0"),
    ("conquer-once", "0.4.0"),
    ("crossbeam-channel", "0.5.17"),
    ("crossbeam-deque", "0.8.8"),
    ("crossbeam-epoch", "0.9.21"),
    ("crossbeam-queue", "0.3.14"),
    ("crossbeam-skiplist", "0.1.3"),
    ("crossbeam-utils", "0.8.23"),
    ("dashmap", "6.2.1"),
    ("evmap", "11.0.0"),
    ("left-right", "0.11.8"),
    ("once_cell", "1.21.4"),
    ("parking", "2.2.1"),
    ("rayon-core", "1.13.0"),
    ("ringbuf", "0.6.0"),
    ("spinning_top", "0.4.0"),
    ("thread_local", "1.1.10"),
    ("threadpool", "1.8.1"),
    ("tracing-core", "0.1.36"),
    ("triomphe", "0.1.17"),
    ("try-lock", "0.2.5"),
];

/// So many must convert and pass.
const LEAST: usize = 20;
/// Executions of each test by each of two strategies; the tests of these crates are long.
const EXECUTIONS: u64 = 10;

/// What the tests of a crate came to.
enum Row {
    /// It was explored: how many tests passed, failed, have nothing to explore, could not be explored.
    Explored(BTreeMap<&'static str, usize>, Vec<String>),
    /// It does not convert, and why.
    Refused(String),
}

/// Explores the crates, or those of them that are named, prints a row for each as soon as it is known,
/// and says whether enough of them convert.
///
/// # Errors
///
/// If cargo or the registry do not play along.
pub fn run(names: &[&str]) -> io::Result<bool> {
    println!(
        "| crate | tests passed | nothing to explore | failed | cannot run | CPU s | verdict |"
    );
    println!("|---|--:|--:|--:|--:|--:|---|");
    let (mut n_good, mut notes) = (0, Vec::new());
    let is_chosen = |name: &str| names.is_empty() || names.contains(&name);
    let chosen: Vec<_> = CRATES.into_iter().filter(|(name, _)| is_chosen(name)).collect();
    for &(name, version) in &chosen {
        let before = seconds(Whose::Children)?;
        let row = explore(name, version)?;
        let used = seconds(Whose::Children)? - before;
        let title = format!("{name} {version}");
        let (counts, verdict) = match row {
            Row::Refused(why) => {
                notes.push(format!("{title}: {why}"));
                (BTreeMap::new(), "refused")
            }
            Row::Explored(counts, failed) => {
                notes.extend(failed.iter().map(|failed| format!("{title}: {failed}")));
                let of = |what| counts.get(what).copied().unwrap_or(0);
                let verdict = match (of("passed"), of("failed")) {
                    // A finding or a false alarm: a person has to judge.
                    (_, 1..) => "fails",
                    (0, 0) => "nothing to explore",
                    _ => "passes",
                };
                n_good += usize::from(verdict == "passes");
                (counts, verdict)
            }
        };
        let of = |what| counts.get(what).copied().unwrap_or(0);
        println!(
            "| {title} | {} | {} | {} | {} | {used:.0} | {verdict} |",
            of("passed"),
            of("plain"),
            of("failed"),
            of("cannot run")
        );
    }
    println!(
        "\n{n_good} of {} convert and pass; tests that fail are for a person to judge.",
        chosen.len()
    );
    for note in notes {
        println!("- {note}");
    }
    Ok(n_good >= LEAST.min(chosen.len()))
}

fn explore(name: &str, version: &str) -> io::Result<Row> {
    let request = Request {
        manifest: Some(fetch(name, version)?),
        target: Some(super::programs::root().join("target")),
        strategies: vec!["random".to_owned(), "pct".to_owned()],
        executions: EXECUTIONS,
        seed: 1,
        max_steps: 100_000,
        patience: 10,
        watches_memory: true,
        is_json: true,
        ..Request::default()
    };
    // Some tests bring an allocator of their own, beside which the memory oracle does not compile.
    let without_oracle = Request { watches_memory: false, ..request.clone() };
    let explored = run_quietly(&request).or_else(|_| run_quietly(&without_oracle));
    let (ended, text) = match explored {
        Ok(explored) => explored,
        Err(problem) => return Ok(Row::Refused(problem.message)),
    };
    let (mut counts, mut failed) = (BTreeMap::new(), Vec::new());
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let value = |name: &str| {
            let rest = line.split(&format!("\"{name}\":\"")).nth(1).unwrap_or_default();
            rest.split('"').next().unwrap_or_default().to_owned()
        };
        let what = match value("verdict").as_str() {
            "holds" if value("remark").starts_with("no controlled") => "plain",
            "holds" | "unknown" => "passed",
            "violated" => "failed",
            _ => "cannot run",
        };
        *counts.entry(what).or_insert(0) += 1;
        if matches!(what, "failed" | "cannot run") {
            let details = value("details");
            let first = details.split("\\u000a").next().unwrap_or_default().to_owned();
            failed.push(format!("`{}`: {first}", value("test")));
        }
    }
    if counts.is_empty() {
        return Ok(Row::Refused(format!("its tests ended as {ended:?} without an answer")));
    }
    Ok(Row::Explored(counts, failed))
}

/// The manifest of a copy of the crate, in a workspace of its own: cargo does not test what it keeps
/// of the registry.
fn fetch(name: &str, version: &str) -> io::Result<PathBuf> {
    let folder = super::programs::root().join("target/crates").join(format!("{name}-{version}"));
    let copy = folder.join(name);
    if !copy.join("Cargo.toml").exists() {
        let asking = folder.join("fetch");
        write(
            &asking.join("Cargo.toml"),
            &format!(
                "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                 [dependencies]\n\"{name}\" = \"={version}\"\n"
            ),
        )?;
        write(&asking.join("src/lib.rs"), "")?;
        let mut cargo = Command::new("cargo");
        cargo.args(["metadata", "--quiet", "--format-version", "1", "--manifest-path"]);
        let output = cargo.arg(asking.join("Cargo.toml")).output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let suffix = format!("{name}-{version}/Cargo.toml");
        let path = text.split('"').find(|text| text.ends_with(&suffix)).map(PathBuf::from);
        let path = path.ok_or_else(|| io::Error::other(format!("{suffix} was not fetched")))?;
        copy_folder(path.parent().unwrap_or(&path), &copy)?;
    }
    write(
        &folder.join("Cargo.toml"),
        &format!("[workspace]\nmembers = [\"{name}\"]\nresolver = \"2\"\n"),
    )?;
    Ok(copy.join("Cargo.toml"))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
