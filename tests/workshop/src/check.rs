//! Runs a property on many seeds and makes what fails small before reporting it.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use crate::Choices;

/// Runs that shrinking may spend on one failure.
const MAX_SHRINKS: usize = 2_000;

/// The environment variable that asks for one seed instead of all.
const SEED: &str = "QUADRILLE_SEED";

/// The environment variable that asks for so many times as many seeds.
const ROUNDS: &str = "QUADRILLE_ROUNDS";

/// Runs a property on the seeds `1..=cases`, or so many times as many as the environment variable
/// `QUADRILLE_ROUNDS` says; see [`check_seeds`].
///
/// # Panics
/// If the property panics, with the panic of the smallest sequence of choices that was found.
pub fn check(cases: u64, property: impl FnMut(&mut Choices)) {
    check_seeds(1..=cases * asked(ROUNDS).unwrap_or(1), property);
}

/// Runs a property on each seed, or on the one that the environment variable `QUADRILLE_SEED` names.
/// A property that panics is run again with fewer and smaller choices as long as it panics; the
/// smallest failure is then run in the open, after it was printed how to repeat it.
///
/// # Panics
/// If the property panics, with the panic of the smallest sequence of choices that was found.
#[allow(clippy::print_stderr)] // a failing test talks to people
pub fn check_seeds(seeds: RangeInclusive<u64>, mut property: impl FnMut(&mut Choices)) {
    for seed in asked(SEED).map_or(seeds, |seed| seed..=seed) {
        let mut choices = Choices::seeded(seed);
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| property(&mut choices))) else {
            continue;
        };
        eprintln!("seed {seed} fails; to repeat it: {}", replay(seed));
        let smallest = shrink(choices.made().to_vec(), &mut |given| fails(given, &mut property));
        eprintln!("the smallest choices of {} that fail: {smallest:?}", choices.made().len());
        property(&mut Choices::given(smallest));
        // Only a property that depends on more than its choices gets here.
        resume_unwind(panic);
    }
}

/// The number that the environment asks for.
#[allow(clippy::disallowed_methods)] // how a failure is repeated
fn asked(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text}: expected a number")))
}

/// The command that runs a seed of the running test again.
#[allow(clippy::disallowed_methods)] // cargo says which package is tested
fn replay(seed: u64) -> String {
    let package = std::env::var("CARGO_PKG_NAME").map(|name| format!(" -p {name}"));
    // Tests run in threads of their names, but for a single one.
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main").map(|name| format!(" {name}"));
    format!("{SEED}={seed} cargo test{}{}", package.unwrap_or_default(), test.unwrap_or_default())
}

/// Whether the property fails on these choices, and the choices that it really made then.
fn fails(given: Vec<u64>, property: &mut impl FnMut(&mut Choices)) -> Option<Vec<u64>> {
    let mut choices = Choices::given(given);
    let failed = quietly(|| catch_unwind(AssertUnwindSafe(|| property(&mut choices))).is_err());
    failed.then(|| choices.made().to_vec())
}

/// Runs something whose panics on this thread are not shown.
fn quietly<R>(run: impl FnOnce() -> R) -> R {
    thread_local!(static IS_QUIET: Cell<bool> = const { Cell::new(false) });
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let show = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                show(panic);
            }
        }));
    });
    IS_QUIET.set(true);
    let result = run();
    IS_QUIET.set(false);
    result
}

/// A sequence that still fails, from which no block of choices can be left out and no choice made
/// smaller; or what was reached after [`MAX_SHRINKS`] runs.
fn shrink(mut best: Vec<u64>, fails: &mut impl FnMut(Vec<u64>) -> Option<Vec<u64>>) -> Vec<u64> {
    let mut left = MAX_SHRINKS;
    loop {
        let before = best.clone();
        let mut block = best.len().next_power_of_two();
        while block > 0 {
            let mut start = 0;
            while start < best.len() {
                let end = (start + block).min(best.len());
                let without = [&best[..start], &best[end..]].concat();
                if !try_smaller(without, &mut best, &mut left, fails) {
                    start += block;
                }
            }
            block /= 2;
        }
        for position in 0..best.len() {
            for smaller in smaller_choices(best.get(position).copied().unwrap_or(0)) {
                let mut candidate = best.clone();
                let Some(choice) = candidate.get_mut(position) else { break };
                *choice = smaller;
                if try_smaller(candidate, &mut best, &mut left, fails) {
                    break;
                }
            }
        }
        if best == before || left == 0 {
            return best;
        }
    }
}

/// Takes over a candidate if it fails and is smaller: shorter, or as long and lexicographically less.
fn try_smaller(
    candidate: Vec<u64>,
    best: &mut Vec<u64>,
    left: &mut usize,
    fails: &mut impl FnMut(Vec<u64>) -> Option<Vec<u64>>,
) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let Some(made) = fails(candidate) else { return false };
    let is_smaller = (made.len(), &made) < (best.len(), best);
    if is_smaller {
        *best = made;
    }
    is_smaller
}

fn smaller_choices(choice: u64) -> impl Iterator<Item = u64> {
    let halves = std::iter::successors(Some(0), move |&tried| {
        let next = tried + (choice - tried) / 2;
        (next > tried).then_some(next)
    });
    halves.chain(choice.checked_sub(1)).filter(move |&smaller| smaller < choice)
}

#[cfg(test)]
mod tests;
