//! The V-cycle. Does not know who applies the operators.

use super::{Answer, Grid, Problem};

/// Who applies the operators. Grids that are only read may be taken away meanwhile, hence `&mut`.
pub(super) trait Operators {
    /// Why an operator could not be applied.
    type Error;

    /// `r = v − A u`, or without a `v`, `r = r − A u`.
    fn resid(
        &mut self,
        u: &mut Grid,
        v: Option<&mut Grid>,
        r: &mut Grid,
    ) -> Result<(), Self::Error>;

    /// `u = u + S r`.
    fn psinv(&mut self, r: &mut Grid, u: &mut Grid) -> Result<(), Self::Error>;

    /// `coarse = P fine`.
    fn rprj(&mut self, fine: &mut Grid, coarse: &mut Grid) -> Result<(), Self::Error>;

    /// `fine = fine + Q coarse`.
    fn interp(&mut self, coarse: &mut Grid, fine: &mut Grid) -> Result<(), Self::Error>;
}

/// A grid of one size: what the solution and what the residual is so far.
struct Level {
    u: Grid,
    r: Grid,
}

/// Solves the problem.
pub(super) fn solve<O: Operators>(problem: Problem, operators: &mut O) -> Result<Answer, O::Error> {
    let Problem { charges: mut v, cycles } = problem;
    // From 2 × 2 × 2 to the grid of the problem, each twice as fine as the one before.
    let level = |power: u32| Level { u: Grid::zero(1 << power), r: Grid::zero(1 << power) };
    let mut levels: Vec<Level> = (1..=v.n().ilog2()).map(level).collect();

    let finest = levels.len() - 1;
    for _ in 0..cycles {
        let Level { u, r } = &mut levels[finest];
        operators.resid(u, Some(&mut v), r)?;
        cycle(&mut levels, &mut v, operators)?;
    }
    let Level { u, r } = &mut levels[finest];
    operators.resid(u, Some(&mut v), r)?;
    Ok(Answer { norm: r.norm() })
}

/// Takes the residual down to the coarsest grid, and a correction of the solution back up.
fn cycle<O: Operators>(
    levels: &mut [Level],
    v: &mut Grid,
    operators: &mut O,
) -> Result<(), O::Error> {
    let finest = levels.len() - 1;
    for fine in (1..=finest).rev() {
        let (coarse, fine) = neighbours(levels, fine);
        operators.rprj(&mut fine.r, &mut coarse.r)?;
    }
    levels[0].u.clear();
    let Level { u, r } = &mut levels[0];
    operators.psinv(r, u)?;
    for index in 1..=finest {
        let (coarse, fine) = neighbours(levels, index);
        if index == finest {
            operators.interp(&mut coarse.u, &mut fine.u)?;
            operators.resid(&mut fine.u, Some(v), &mut fine.r)?;
        } else {
            fine.u.clear();
            operators.interp(&mut coarse.u, &mut fine.u)?;
            operators.resid(&mut fine.u, None, &mut fine.r)?;
        }
        operators.psinv(&mut fine.r, &mut fine.u)?;
    }
    Ok(())
}

/// The level before `fine`, and `fine`.
fn neighbours(levels: &mut [Level], fine: usize) -> (&mut Level, &mut Level) {
    let (coarser, finer) = levels.split_at_mut(fine);
    (&mut coarser[fine - 1], &mut finer[0])
}
