//! MG with one thread.

use std::convert::Infallible;

use super::cycle::{self, Operators};
use super::{Answer, Grid, Problem, operators};

/// Solves the problem.
pub(super) fn solve(problem: Problem) -> Answer {
    let Ok(answer) = cycle::solve(problem, &mut Sequential);
    answer
}

/// Applies the operators at once to all planes.
struct Sequential;

impl Operators for Sequential {
    type Error = Infallible;

    fn resid(
        &mut self,
        u: &mut Grid,
        v: Option<&mut Grid>,
        r: &mut Grid,
    ) -> Result<(), Infallible> {
        operators::resid(u, v.as_deref(), 0, &mut r.planes);
        Ok(())
    }

    fn psinv(&mut self, r: &mut Grid, u: &mut Grid) -> Result<(), Infallible> {
        operators::psinv(r, 0, &mut u.planes);
        Ok(())
    }

    fn rprj(&mut self, fine: &mut Grid, coarse: &mut Grid) -> Result<(), Infallible> {
        operators::rprj(fine, 0, &mut coarse.planes);
        Ok(())
    }

    fn interp(&mut self, coarse: &mut Grid, fine: &mut Grid) -> Result<(), Infallible> {
        operators::interp(coarse, 0, &mut fine.planes);
        Ok(())
    }
}
