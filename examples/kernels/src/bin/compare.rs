//! `compare --rounds 21`: the kernels over generated modules beside the kernels over channels written by hand.
//!
//! A round solves the same problem over each carrier, one after the other, beginning with another one each time. What
//! counts is the ratio of two times of one round, so that what else runs on the machine weighs on both. The
//! table gives the median of these ratios and the 95 % interval of the median (from order statistics). A bar
//! holds if the whole interval is below it, and is unclear if it lies within. The exit code is 0 if all bars hold, 1 if
//! one does not or is unclear, 2 if an answer is wrong or a link breaks.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command: its output is its purpose
#![allow(clippy::disallowed_methods)] // and it reads the clock

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use quadrille_example_kernels::{Broken, Carrier, Class, Kernel, Workers, cg, ft, is, mg};

/// Compares generated modules with hand-written channels, at class W with two and four workers per group.
#[derive(Parser)]
struct Arguments {
    /// Only this kernel: CG, FT, IS or MG
    kernel: Option<String>,
    /// How often each is measured
    #[arg(long, default_value_t = 21)]
    rounds: usize,
}

/// How much slower than channels the strict form may be.
const STRICT_BAR: f64 = 1.10;
/// How much slower than channels the liberal form may be.
const LIBERAL_BAR: f64 = 1.00;

/// How much freed memory is kept, at least.
const KEPT: usize = 31 << 20;

const CARRIERS: [Carrier; 3] = [Carrier::Channels, Carrier::Strict, Carrier::Liberal];

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // The allocator learns from a large block that it should keep what is freed: otherwise it depends on where
    // small blocks happen to lie whether a run gets fresh pages, which costs more than its messages.
    drop(black_box(Vec::<u8>::with_capacity(KEPT)));
    println!(
        "| kernel | workers | channels, s | strict ÷ channels | ≤ {STRICT_BAR:.2} | liberal ÷ channels | ≤ {LIBERAL_BAR:.2} |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut all_hold = true;
    for workers in [2, 4].into_iter().filter_map(Workers::new) {
        match rows(workers, &arguments) {
            Ok(hold) => all_hold &= hold,
            Err(broken) => {
                eprintln!("error: {broken}");
                return ExitCode::from(2);
            }
        }
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures all kernels with so many workers; whether their bars hold.
fn rows(workers: Workers, arguments: &Arguments) -> Result<bool, Broken> {
    let hold = [
        row::<cg::Problem>("CG", workers, arguments)?,
        row::<ft::Problem>("FT", workers, arguments)?,
        row::<is::Problem>("IS", workers, arguments)?,
        row::<mg::Problem>("MG", workers, arguments)?,
    ];
    Ok(hold.into_iter().all(|holds| holds))
}

/// Measures a kernel with so many workers, if it is wanted, and prints its row; whether its bars hold.
fn row<K: Kernel>(name: &str, workers: Workers, arguments: &Arguments) -> Result<bool, Broken> {
    let Arguments { kernel, rounds } = arguments;
    if kernel.as_ref().is_some_and(|kernel| !kernel.eq_ignore_ascii_case(name)) {
        return Ok(true);
    }
    let mut seconds: [Vec<f64>; 3] = Default::default();
    // The first round is not counted: pages are new to it.
    for round in 0..=*rounds {
        for turn in 0..CARRIERS.len() {
            let carrier = (round + turn) % CARRIERS.len();
            let time = solve::<K>(CARRIERS[carrier], workers)?;
            if round > 0 {
                seconds[carrier].push(time);
            }
        }
    }
    let [channels, strict, liberal] = seconds;
    let beside_channels =
        |times: &[f64]| times.iter().zip(&channels).map(|(time, other)| time / other).collect();
    let [strict, liberal] = [&strict, &liberal].map(|times| Median::of(beside_channels(times)));
    let channels = Median::of(channels.clone()).middle;
    let [strict_holds, liberal_holds] =
        [strict.is_within(STRICT_BAR), liberal.is_within(LIBERAL_BAR)];
    println!(
        "| {name} | {workers} | {channels:.4} | {strict} | {strict_holds} | {liberal} | {liberal_holds} |"
    );
    Ok([strict_holds, liberal_holds] == ["yes", "yes"])
}

/// Solves the problem, verifies the answer, and says how long it took.
fn solve<K: Kernel>(carrier: Carrier, workers: Workers) -> Result<f64, Broken> {
    let problem = K::generate(Class::W);
    let start = Instant::now();
    let answer = problem.parallel(carrier, workers)?;
    let seconds = start.elapsed().as_secs_f64();
    let verification = K::verify(Class::W, &answer);
    if verification.holds() { Ok(seconds) } else { Err(Broken(verification.to_string())) }
}

/// A median and the 95 % interval in which it is.
struct Median {
    lower: f64,
    middle: f64,
    upper: f64,
}

impl Median {
    fn of(mut samples: Vec<f64>) -> Median {
        samples.sort_unstable_by(f64::total_cmp);
        let n = samples.len();
        // How many samples lie below the median is binomial; 1.96 standard deviations of it.
        let reach = (0.98 * (n as f64).sqrt()).ceil() as usize;
        let at = |rank: usize| samples.get(rank).copied().unwrap_or(f64::NAN);
        Median {
            lower: at((n / 2).saturating_sub(reach)),
            middle: at(n / 2),
            upper: at((n / 2 + reach).min(n.saturating_sub(1))),
        }
    }

    /// Whether it is at most so much, in a word.
    fn is_within(&self, bar: f64) -> &'static str {
        match (self.upper <= bar, self.lower > bar) {
            (true, _) => "yes",
            (false, true) => "NO",
            (false, false) => "unclear",
        }
    }
}

impl std::fmt::Display for Median {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2}–{:.2})", self.middle, self.lower, self.upper)
    }
}
