//! Runs a property on many seeds and makes what fails small before reporting it.

use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::Choices;

/// Runs that shrinking may spend on one failure.
const MAX_SHRINKS: usize = 2_000;

/// Runs a property on the seeds `1..=cases`; see [`check_seeds`].
///
/// # Panics
/// If the property panics, with the panic of the smallest sequence of choices that was found.
pub fn check(cases: u64, property: impl FnMut(&mut Choices)) {
    check_seeds(1..=cases, property);
}

/// Runs a property on each seed. A property that panics is run again with fewer and smaller choices
/// as long as it panics; the smallest failure is then run in the open, after its seed was printed.
///
/// # Panics
/// If the property panics, with the panic of the smallest sequence of choices that was found.
#[allow(clippy::print_stderr)] // a failing test talks to people
pub fn check_seeds(seeds: RangeInclusive<u64>, mut property: impl FnMut(&mut Choices)) {
    for seed in seeds {
        let mut choices = Choices::seeded(seed);
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| property(&mut choices))) else {
            continue;
        };
        eprintln!("seed {seed} fails; shrinking {} choices", choices.made().len());
        let smallest = shrink(choices.made().to_vec(), &mut |given| fails(given, &mut property));
        eprintln!("seed {seed}, smallest failing choices: {smallest:?}");
        property(&mut Choices::given(smallest));
        // Only a property that depends on more than its choices gets here.
        resume_unwind(panic);
    }
}

/// Whether the property fails on these choices, and the choices that it really made then.
fn fails(given: Vec<u64>, property: &mut impl FnMut(&mut Choices)) -> Option<Vec<u64>> {
    let mut choices = Choices::given(given);
    let failed = catch_unwind(AssertUnwindSafe(|| property(&mut choices))).is_err();
    failed.then(|| choices.made().to_vec())
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
mod tests {
    use super::*;

    #[test]
    fn failures_are_made_small() {
        let fails = &mut |given: Vec<u64>| {
            let mut choices = Choices::given(given);
            let numbers = choices.list(0, 20, |choices| choices.below(100));
            numbers.iter().any(|&number| number >= 17).then(|| choices.made().to_vec())
        };
        let start = vec![7, 3, 99, 50, 2, 60, 1, 8];
        assert!(fails(start.clone()).is_some());
        assert_eq!(shrink(start, fails), [1, 17]);
    }

    #[test]
    #[should_panic(expected = "smallest 17")]
    fn the_smallest_failure_is_reported() {
        check(50, |choices| {
            let number = choices.below(1_000);
            assert!(number < 17, "smallest {number}");
        });
    }

    #[test]
    fn the_same_seed_gives_the_same_choices() {
        let draw = |seed| {
            let mut choices = Choices::seeded(seed);
            choices.list(5, 9, Choices::bits)
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }
}
