//! CG with one thread.

use std::convert::Infallible;

use super::{Answer, Problem, iteration};

/// Solves the problem.
pub(super) fn solve(problem: &Problem) -> Answer {
    let Problem { matrix, iterations, shift } = problem;
    let n = matrix.height();
    let product = vec![vec![0.0; n]];
    let Ok(answer) = iteration::solve(n, *iterations, *shift, product, |vector, product| {
        matrix.multiply(vector, &mut product[0]);
        Ok::<(), Infallible>(())
    });
    answer
}
