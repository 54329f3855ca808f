//! Executions per processor second of crossbeam-channel 0.5.15 as it is on the registry, two threads
//! sending while the receiver leaves: by `cargo quadrille sim`, and by Shuttle with a `std` over it in
//! the same way (`crates/bench/programs/rival-std`).

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadrille_sim_cargo::{OPTIMISATION, Request, run_quietly};

use crate::cpu::{Whose, seconds};
use crate::table::Table;

/// At least so many times the executions per second of Shuttle.
const BAR: f64 = 2.0;

pub(super) fn run(quick: bool) -> io::Result<bool> {
    let executions = if quick { 20_000 } else { 400_000 };
    let rival = build_rival()?;
    let mut table = Table::new(&["crossbeam-channel 0.5.15", "ours", "Shuttle", "times", "holds"]);
    let mut holds = true;
    for strategy in ["random", "pct"] {
        let ours = our_rate(strategy, executions)?;
        let theirs = rival_rate(&rival, strategy, executions)?;
        let ratio = ours / theirs;
        holds &= ratio >= BAR;
        table.push(vec![
            strategy.to_owned(),
            format!("{:.0} k", ours / 1e3),
            format!("{:.0} k", theirs / 1e3),
            format!("{ratio:.1}"),
            if ratio >= BAR { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    println!("{table}");
    println!(
        "Executions per processor second, without the memory oracle; crossbeam is compiled with opt-level 1 for \
         both, as the command does, and the two tools with 3.\n"
    );
    Ok(holds)
}

/// By the command: what more executions take, without what it takes to begin.
fn our_rate(strategy: &str, executions: u64) -> io::Result<f64> {
    let folder = super::root().join("examples/found-in-the-wild/crossbeam-channel-0.5.15");
    let mut request = Request {
        manifest: Some(folder.join("Cargo.toml")),
        target: Some(super::root().join("target")),
        strategies: vec![strategy.to_owned()],
        executions: 1_000,
        seed: 1,
        max_steps: 100_000,
        patience: 10,
        is_json: true,
        ..Request::default()
    };
    let explore = |request: &Request| {
        run_quietly(request).map_err(|problem| io::Error::other(problem.to_string()))
    };
    explore(&request)?;
    let begin = seconds(Whose::Children)?;
    explore(&request)?;
    let short = seconds(Whose::Children)?;
    request.executions += executions;
    explore(&request)?;
    let long = seconds(Whose::Children)?;
    Ok(executions as f64 / ((long - short) - (short - begin)).max(0.01))
}

fn rival_rate(binary: &Path, strategy: &str, executions: u64) -> io::Result<f64> {
    let output = Command::new(binary).args([strategy, &executions.to_string()]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| io::Error::other(format!("Shuttle's side printed `{text}`")))
}

/// Builds Shuttle's side: its `std`, and what is compiled against that by the wrapper that our command
/// uses, which `xtask` is, too.
fn build_rival() -> io::Result<PathBuf> {
    let folder = super::root().join("crates/bench/programs");
    let target = std::path::absolute(super::root().join("target/bench-rival"))?;
    let host = host()?;
    let build = |name: &str, profile: &str, target: &Path| {
        let mut command = Command::new("cargo");
        command.args(["build", "--quiet", "--profile", profile, "--target", &host]);
        command.arg("--manifest-path").arg(folder.join(name).join("Cargo.toml"));
        command.env("CARGO_TARGET_DIR", target);
        command
    };
    let done = |mut command: Command| -> io::Result<()> {
        if command.status()?.success() { Ok(()) } else { Err(io::Error::other("no rival")) }
    };
    let shim = target.join("std");
    done(build("rival-std", "release", &shim))?;
    let release = shim.join(&host).join("release");
    // As the command compiles what it explores.
    let mut command = build("two-senders", "dev", &target.join("two-senders"));
    let (name, level) = OPTIMISATION;
    command.env(name, level);
    command.env("RUSTC_WRAPPER", std::env::current_exe()?);
    command.env("QUADRILLE_SIM_SHIM", release.join("librival_std.rlib"));
    command.env("QUADRILLE_SIM_SHIM_DEPENDENCIES", release.join("deps"));
    done(command)?;
    Ok(target.join("two-senders").join(&host).join("debug/two-senders"))
}

fn host() -> io::Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("rustc -vV names no host"))
}
