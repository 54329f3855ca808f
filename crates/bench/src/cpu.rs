//! CPU time, user and system, of this process and of the children it has waited for. Wall time
//! would measure what else runs on the machine.

use std::io;

/// `/proc/self/stat` counts in hundredths of a second on every platform Rust supports.
const TICKS_PER_SECOND: f64 = 100.0;

/// Repeat a measurement until it has used this many seconds, so that ticks do not show.
const LEAST_SECONDS: f64 = 0.5;

/// Whose time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Whose {
    Own,
    Children,
}

/// Seconds used so far.
pub(crate) fn seconds(whose: Whose) -> io::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|error| {
        io::Error::new(error.kind(), "CPU time is read from /proc/self/stat, which is not here")
    })?;
    // The name in parentheses may hold anything; after it come state, parent, … utime is field 14.
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let first = match whose {
        Whose::Own => 11,
        Whose::Children => 13,
    };
    let ticks: Option<u64> = behind_name
        .split_ascii_whitespace()
        .skip(first)
        .take(2)
        .map(|field| field.parse::<u64>().ok())
        .sum();
    let ticks = ticks.ok_or_else(|| io::Error::other("/proc/self/stat has another form"))?;
    Ok(ticks as f64 / TICKS_PER_SECOND)
}

/// Median over `n_runs` measurements of the seconds one call uses, and what the last call gave.
pub(crate) fn measure<T>(
    whose: Whose,
    n_runs: usize,
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<(f64, T)> {
    let mut samples = Vec::with_capacity(n_runs);
    let mut last = None;
    for _ in 0..n_runs {
        let start = seconds(whose)?;
        let mut n_calls = 0;
        let used = loop {
            // What the last call gave is dropped first: two results at once would not be fair.
            drop(last.take());
            last = Some(work()?);
            n_calls += 1;
            let used = seconds(whose)? - start;
            if used >= LEAST_SECONDS {
                break used;
            }
        };
        samples.push(used / f64::from(n_calls));
    }
    samples.sort_unstable_by(f64::total_cmp);
    let last = last.ok_or_else(|| io::Error::other("nothing was measured"))?;
    Ok((samples[samples.len() / 2], last))
}
