//! FT with one thread: one slab is the whole field.

use std::slice;

use super::fft::{Buffers, Direction};
use super::{Answer, Equation, Problem, Slab};

/// Solves the problem.
pub(super) fn solve(problem: Problem) -> Answer {
    let Problem { shape, field, steps } = problem;
    let equation = Equation::new(shape);
    let mut buffers = Buffers::default();

    let mut space = Slab::new(0..shape.z, field);
    let mut frequencies = Slab::zero(0..shape.y, shape.x * shape.z);
    let mut evolved = Slab::zero(0..shape.y, shape.x * shape.z);
    equation.transform_xy(Direction::Forward, &mut space, &mut buffers);
    equation.finish_forward(slice::from_ref(&space), &mut frequencies, &mut buffers);

    let checksums = (0..steps)
        .map(|_| {
            equation.evolve(&mut frequencies, &mut evolved);
            equation.transform_z(Direction::Inverse, &mut evolved, &mut buffers);
            equation.finish_inverse(slice::from_ref(&evolved), &mut space, &mut buffers);
            equation.checksum(slice::from_ref(&space))
        })
        .collect();
    Answer { checksums }
}
