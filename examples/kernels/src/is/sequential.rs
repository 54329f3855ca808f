//! IS with one thread.

use std::convert::Infallible;

use super::{Answer, Part, Problem, ranking};

/// Solves the problem.
pub(super) fn solve(problem: Problem) -> Answer {
    let Problem { keys, key_bound, probes } = problem;
    let parts = vec![Part::new(keys, key_bound)];
    let Ok(answer) = ranking::solve(parts, key_bound, &probes, |parts| {
        parts[0].count();
        Ok::<(), Infallible>(())
    });
    answer
}
