//! Spin, where it is installed: translates a workload, compiles the verifier, runs it, and reads
//! what it says. Knows nothing of our own figures.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workload::Workload;

/// A Spin and a C compiler that answer.
pub(crate) struct Spin {
    pub(crate) version: String,
    pub(crate) compiler: String,
}

/// What Spin's verifier is made to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// Explore everything.
    Safety,
    /// Search for acceptance cycles of the negated formula.
    Liveness,
}

/// A compiled verifier in a folder of its own, which goes with it.
pub(crate) struct Verifier {
    folder: PathBuf,
    arguments: Vec<String>,
}

/// What a verifier reports.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Figures {
    /// States stored; with a formula, of the product.
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    /// Bytes per state as stored, without hash table and stack.
    pub(crate) bytes_per_state: f64,
}

impl Spin {
    /// The Spin and the C compiler of this machine, if both answer.
    pub(crate) fn find() -> Option<Self> {
        let first_line = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.lines().next().map(str::to_owned)
        };
        Some(Self { version: first_line("spin", "-V")?, compiler: first_line("cc", "--version")? })
    }

    /// Translates and compiles a workload.
    pub(crate) fn prepare(&self, workload: &Workload, check: Check) -> io::Result<Verifier> {
        let name = format!("{}-{}-{check:?}", workload.family, workload.size);
        let folder = format!("quadrille-bench-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder)?;
        let depth = match (check, workload.liveness) {
            (Check::Liveness, Some(liveness)) => liveness.depth,
            _ => workload.promela.depth,
        };
        // As many buckets as states, rounded up: in the product there are about twice as many.
        let doubled = u64::from(check == Check::Liveness);
        let table = workload.known.states.next_power_of_two().ilog2() + doubled as u32;
        let mut arguments = vec!["-n".to_owned(), format!("-m{depth}"), format!("-w{table}")];
        let mut translation = vec!["-a".to_owned(), format!("-DN={}", workload.size)];
        translation.extend(workload.promela.options.iter().map(ToString::to_string));
        let mut compilation =
            vec!["-O2", "-w", "-DNOREDUCE", "-DMEMLIM=20000", "-o", "pan", "pan.c"];
        match check {
            Check::Safety => compilation.push("-DSAFETY"),
            Check::Liveness => {
                translation.push("-DLIVENESS".to_owned());
                arguments.push("-a".to_owned());
            }
        }
        translation.push("model.pml".to_owned());
        let verifier = Verifier { folder, arguments };
        std::fs::write(verifier.folder.join("model.pml"), workload.promela.source)?;
        output("spin".as_ref(), &translation, &verifier.folder)?;
        output("cc".as_ref(), &compilation, &verifier.folder)?;
        Ok(verifier)
    }
}

impl Verifier {
    /// Runs it to the end.
    pub(crate) fn run(&self) -> io::Result<Figures> {
        let text = output(self.folder.join("pan").as_os_str(), &self.arguments, &self.folder)?;
        parse(&text).ok_or_else(|| io::Error::other(format!("Spin's verifier says:\n{text}")))
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        // A folder left behind among the temporary ones does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What a program prints; an error if it says that it failed.
fn output(program: &OsStr, arguments: &[impl AsRef<OsStr>], folder: &Path) -> io::Result<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let program = Path::new(program).file_name().unwrap_or(program).to_string_lossy();
    Err(io::Error::other(format!("{program} failed:\n{text}{errors}")))
}

/// The figures of a complete search without errors.
fn parse(text: &str) -> Option<Figures> {
    let number_before = |words: &str| -> Option<f64> {
        let line = text.lines().find(|line| line.contains(words))?;
        line.split(words).next()?.trim().parse().ok()
    };
    if !text.contains("errors: 0") || text.contains("error: ") {
        return None;
    }
    let states = number_before(" states, stored")?;
    let megabytes = number_before("actual memory usage for states")
        .or_else(|| number_before("equivalent memory usage for states"))?;
    Some(Figures {
        states: states as u64,
        transitions: number_before(" transitions (")? as u64,
        bytes_per_state: megabytes * f64::from(1 << 20) / states,
    })
}

#[cfg(test)]
mod tests;
