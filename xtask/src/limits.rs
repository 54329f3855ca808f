//! Whether bounds hold in every phase of every command: each is run to its end once, and then with time
//! bounds that end it early, in the middle and late; and with a memory bound. Prints a table.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Commands and what they are tried on; `{}` in a word is the folder of the models.
const TIMED: [&[&str]; 31] = [
    &["check", "{}/phil-9.net"],
    &["check", "{}/phil-9.net", "--formula", "G F eats"],
    &["check", "{}/phil-9.net", "--formula", "G F eats", "--fair", "strong"],
    &["check", "{}/phil-9.net", "--formula", "G F eats", "--algorithm", "ndfs"],
    &["check", "{}/phil-9.net", "--formula", "G F eats", "--algorithm", "owcty"],
    &["check", "{}/phil-9.net", "--lossy", "hash-compact"],
    &["check", "{}/phil-9.net", "--lossy", "bitstate=1M"],
    &["simulate", "{}/phil-9.net", "--walks", "200"],
    &["simulate", "{}/phil-9.net", "--formula", "G !eats", "--allow-deadlock"],
    &["simulate", "{}/wide.quad", "--walks", "2"],
    &["estimate", "{}/phil-9.net"],
    &["check", "{}/phil-9.net", "--formula", "AG EF eats"],
    &["check", "{}/fork-8.quad", "--form", "liberal"],
    &["check", "{}/wide.quad"],
    &["check", "{}/shop.bp"],
    &["check", "{}/shop.bp", "--reduce"],
    &["states", "{}/phil-9.net", "--by", "action"],
    &["compare", "{}/phil-8.net", "{}/phil-8.net", "--relation", "strong"],
    &["compare", "{}/phil-8.net", "{}/phil-8.net", "--relation", "branching"],
    &["compare", "{}/phil-8.net", "{}/phil-8.net", "--relation", "weak"],
    &["compare", "{}/phil-8.net", "{}/phil-8.net", "--relation", "traces"],
    &["minimise", "{}/phil-8.net", "--relation", "weak", "--out", "{}/small.aut"],
    &["convert", "{}/phil-9.net", "--out", "{}/table.net"],
    &["project", "{}/fork-8.quad"],
    &["project", "{}/wide.quad"],
    &["generate", "{}/fork-8.quad", "--out", "{}/fork.rs"],
    &["lint", "{}/fork-8.quad"],
    &["lint", "{}/wide.quad"],
    &["test", "{}/fork-8.quad"],
    &["reduce", "{}/shop.bp"],
    &["reduce", "{}/shop.bp", "--steps"],
];

/// Commands with a memory bound of 300 MiB.
const MEASURED: [&[&str]; 8] = [
    &["check", "{}/phil-10.net", "--formula", "AG EF eats"],
    &["compare", "{}/phil-10.net", "{}/phil-10.net"],
    &["convert", "{}/phil-10.net", "--out", "{}/table.net"],
    &["check", "{}/wide.quad"],
    &["check", "{}/phil-10.net", "--formula", "G F eats", "--algorithm", "owcty"],
    &["check", "{}/phil-10.net", "--lossy", "hash-compact"],
    &["check", "{}/phil-10.net", "--lossy", "bitstate=64M"],
    &["simulate", "{}/phil-10.net", "--walks", "100000"],
];

/// A run is cut off after this time where it has no bound.
const PATIENCE: Duration = Duration::from_secs(20);

/// A command may end so much later than its bound.
const LATE: Duration = Duration::from_secs(1);

/// The memory bound, and how much the process may hold beside it: the program itself.
const MEMORY: u64 = 300 << 20;
const BESIDE: u64 = 24 << 20;

/// Prints the table; whether all bounds held.
pub fn run() -> io::Result<bool> {
    let command = built()?;
    let folder = std::env::temp_dir().join(format!("quadrille-limits-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    models(&folder)?;
    println!("| command | to its end | latest after its time bound | |\n|---|---|---|---|");
    let mut held = true;
    for words in TIMED {
        let words = filled(words, &folder);
        let whole = watched(&command, &words, Some(PATIENCE))?;
        let mut latest = Duration::ZERO;
        for tenths in [1, 3, 5, 7, 9] {
            let bound = (whole.time * tenths / 10).max(Duration::from_millis(1));
            let timeout = format!("{}ms", bound.as_millis());
            let with = [&words[..], &["--timeout".to_owned(), timeout]].concat();
            latest = latest.max(watched(&command, &with, None)?.time.saturating_sub(bound));
        }
        let ok = latest <= LATE;
        held &= ok;
        let (whole, latest) = (whole.time.as_secs_f64(), latest.as_secs_f64());
        println!("| {} | {whole:.2} s | {latest:.2} s | {} |", shown(&words), word(ok));
    }
    println!("\n| command, `--max-memory 300M` | exit code | most it held | |\n|---|---|---|---|");
    for words in MEASURED {
        let words = filled(words, &folder);
        let with = [&words[..], &["--max-memory".to_owned(), "300M".to_owned()]].concat();
        let ran = watched(&command, &with, None)?;
        let ok = ran.peak <= MEMORY + MEMORY / 8 + BESIDE && matches!(ran.code, Some(0 | 3));
        held &= ok;
        let code = ran.code.map_or("killed".to_owned(), |code| code.to_string());
        println!("| {} | {code} | {} MiB | {} |", shown(&words), ran.peak >> 20, word(ok));
    }
    fs::remove_dir_all(&folder)?;
    Ok(held)
}

/// Builds the command as this program was built, and says where it is.
fn built() -> io::Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "quadrille-cli", "--bin", "quadrille"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    if !cargo.status()?.success() {
        return Err(io::Error::other("the command cannot be built"));
    }
    Ok(std::env::current_exe()?.with_file_name("quadrille"))
}

/// What a run took.
struct Ran {
    time: Duration,
    /// The most bytes it held.
    peak: u64,
    /// None where it was cut off.
    code: Option<i32>,
}

fn watched(command: &Path, words: &[String], patience: Option<Duration>) -> io::Result<Ran> {
    let start = Instant::now();
    let mut child =
        Command::new(command).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak = 0;
    loop {
        peak = peak.max(held(&child));
        if let Some(status) = child.try_wait()? {
            return Ok(Ran { time: start.elapsed(), peak, code: status.code() });
        }
        if patience.is_some_and(|patience| start.elapsed() > patience) {
            child.kill()?;
            child.wait()?;
            return Ok(Ran { time: start.elapsed(), peak, code: None });
        }
        sleep(Duration::from_millis(5));
    }
}

/// The most bytes a process has held so far, where the system tells (Linux).
fn held(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

fn filled(words: &[&str], folder: &Path) -> Vec<String> {
    words.iter().map(|word| word.replace("{}", &folder.display().to_string())).collect()
}

/// A command without the folder.
fn shown(words: &[String]) -> String {
    let name = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    format!("`{}`", words.iter().map(name).collect::<Vec<_>>().join(" "))
}

fn word(ok: bool) -> &'static str {
    if ok { "holds" } else { "**too much**" }
}

fn models(folder: &Path) -> io::Result<()> {
    for n in [8, 9, 10] {
        fs::write(folder.join(format!("phil-{n}.net")), philosophers(n))?;
    }
    let fork = "parameter k = 8;\nmessage Work, Done; role master, worker[0..k];\nprotocol fork { \
                repeat forever { for i in 0..k { Work from master to worker[i]; } \
                par for i in 0..k { Done from worker[i] to master; } } }\n\
                property answered: G (master sends Work to worker[0] -> F master receives Done);\n";
    fs::write(folder.join("fork-8.quad"), fork)?;
    let wide = "message A; role a, b;\nprotocol p { par for i in 0..20000 { A from a to b; } }\n";
    fs::write(folder.join("wide.quad"), wide)?;
    fs::write(folder.join("shop.bp"), shop(6))
}

/// Philosophers, the last one with exchanged hands.
fn philosophers(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "participant P{i}: think* hungry one eat two");
        let _ = writeln!(text, "participant F{i}: free* taken");
    }
    for i in 0..n {
        let next = (i + 1) % n;
        let (first, second) = if next == 0 { (next, i) } else { (i, next) };
        let _ = writeln!(text, "p{i}.think: P{i} think -> hungry");
        let _ = writeln!(text, "p{i}.first: P{i} hungry -> one, F{first} free -> taken");
        let _ = writeln!(text, "p{i}.second: P{i} one -> eat, F{second} free -> taken");
        let _ = writeln!(text, "p{i}.down: P{i} eat -> two, F{first} taken -> free");
        let _ = writeln!(text, "p{i}.done: P{i} two -> think, F{second} taken -> free");
    }
    text + "prop eats = P0 in eat\n"
}

/// Pairs of components, and one that talks to all of them.
fn shop(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "Client{i}\n(!I{i}.a ; !I{i}.b ; !I{i}.c + !I{i}.c)*");
        let _ = writeln!(text, "Clerk{i}\n(?I{i}.a ; ?I{i}.b ; ?I{i}.c + ?I{i}.c)* | ?J.x{i}*");
    }
    let calls: Vec<String> = (0..n).map(|i| format!("!J.x{i}*")).collect();
    let _ = writeln!(text, "Boss\n{}", calls.join(" | "));
    text
}
