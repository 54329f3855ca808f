//! Coverage of states and pairs.

use super::*;

fn visited(path: &[u32]) -> Coverage {
    let mut coverage = Coverage::new();
    for &state in path {
        coverage.visit(&[state]);
    }
    coverage
}

#[test]
fn states_and_pairs_are_counted_once_and_staying_is_no_pair() {
    let coverage = visited(&[1, 2, 2, 3, 2, 3, 4]);
    assert_eq!(coverage.growth(), Growth { steps: 7, states: 4, pairs: 4 });
}

#[test]
fn a_new_run_follows_nothing() {
    let mut coverage = visited(&[1, 2]);
    coverage.begin();
    coverage.visit(&[3]);
    assert_eq!(coverage.growth().pairs, 1);
}

#[test]
fn growth_ends_and_then_it_is_saturated() {
    let path: Vec<u32> = (0..1_000).map(|step| step % 10).collect();
    let coverage = visited(&path);
    assert!(coverage.is_saturated(900) && !coverage.is_saturated(990));
    assert_eq!(
        coverage
            .curve()
            .iter()
            .map(|point| (point.steps, point.states, point.pairs))
            .collect::<Vec<_>>(),
        [
            (1, 1, 0),
            (2, 2, 1),
            (4, 4, 3),
            (8, 8, 7),
            (16, 10, 10),
            (32, 10, 10),
            (64, 10, 10),
            (128, 10, 10),
            (256, 10, 10),
            (512, 10, 10),
            (1000, 10, 10)
        ]
    );
}

#[test]
fn parts_that_are_put_together_are_as_if_one_had_made_them() {
    let mut random = crate::Random::new(1);
    for _ in 0..200 {
        let runs: Vec<Vec<u32>> = (0..6)
            .map(|_| (0..random.below(9)).map(|_| random.below(7) as u32).collect())
            .collect();
        let visited = |runs: &[Vec<u32>]| {
            let mut coverage = Coverage::new();
            for run in runs {
                coverage.begin();
                for &state in run {
                    coverage.visit(&[state]);
                }
            }
            coverage
        };
        let whole = visited(&runs);
        let mut together = visited(&runs[..2]);
        // More of the middle part than counts.
        let middle = runs[2..4].iter().map(|run| run.len() as u64).sum();
        together.append(&visited(&runs[2..5]), middle);
        together.append(&visited(&runs[4..]), u64::MAX);
        assert_eq!(together.curve(), whole.curve());
        assert_eq!(together.to_string(), whole.to_string());
        assert_eq!(together.pairs(), whole.pairs());
    }
}
