//! `kernels cg W --workers 2`: solves one problem, verifies the answer, says how long it took.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command: its output is its purpose
#![allow(clippy::disallowed_methods)] // and the only place that reads the clock

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use quadrille_example_kernels::{Broken, Carrier, Class, Kernel, Workers, cg, ft, is, mg};

/// Solves a NAS kernel and verifies the answer.
#[derive(Parser)]
struct Arguments {
    /// Which kernel
    kernel: Name,
    /// Which problem size
    #[arg(ignore_case = true)]
    class: Size,
    /// Workers per group; without it the sequential version runs
    #[arg(long)]
    workers: Option<Workers>,
    /// What carries the messages between master and workers
    #[arg(long, default_value = "channels")]
    over: Over,
    /// Solve the problem this many times
    #[arg(long, default_value_t = 1)]
    repeat: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    Cg,
    Ft,
    Is,
    Mg,
}

#[derive(Clone, Copy, ValueEnum)]
enum Over {
    /// Channels written by hand
    Channels,
    /// A generated module, one machine for everybody
    Strict,
    /// A generated module, a machine for each role
    Liberal,
}

#[derive(Clone, Copy, ValueEnum)]
enum Size {
    S,
    W,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.kernel {
        Name::Cg => run::<cg::Problem>(&arguments),
        Name::Ft => run::<ft::Problem>(&arguments),
        Name::Is => run::<is::Problem>(&arguments),
        Name::Mg => run::<mg::Problem>(&arguments),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(broken) => {
            eprintln!("error: {broken}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all answers were right. Making the input data does not count as time.
fn run<K: Kernel>(arguments: &Arguments) -> Result<bool, Broken> {
    let class = match arguments.class {
        Size::S => Class::S,
        Size::W => Class::W,
    };
    let carrier = match arguments.over {
        Over::Channels => Carrier::Channels,
        Over::Strict => Carrier::Strict,
        Over::Liberal => Carrier::Liberal,
    };
    let mut all_hold = true;
    for _ in 0..arguments.repeat {
        let problem = K::generate(class);
        let start = Instant::now();
        let answer = match arguments.workers {
            None => problem.sequential(),
            Some(workers) => problem.parallel(carrier, workers)?,
        };
        let seconds = start.elapsed().as_secs_f64();
        let verification = K::verify(class, &answer);
        println!("{verification}; {seconds:.4} s");
        all_hold &= verification.holds();
    }
    Ok(all_hold)
}
