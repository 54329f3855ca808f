//! Fast Fourier transforms of the rows and columns of a plane.
//!
//! Stockham's self-sorting form, which needs no reordering of its own. Sixteen transforms run side by
//! side, so that the innermost loop goes over neighbours in memory, in a buffer that fits the cache.

use std::f64::consts::TAU;

use super::Complex;

/// How many transforms run side by side. Divides every length of every class.
const LANES: usize = 16;

type Lane = [Complex; LANES];

/// To frequencies or back. Neither divides by the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Inverse,
}

/// What transforms of one length, a power of two, have in common.
pub(super) struct Plan {
    /// exp(−2πi·j/n) for j < n/2.
    forward: Vec<Complex>,
    /// Their conjugates.
    inverse: Vec<Complex>,
}

/// Where transforms are computed.
#[derive(Default)]
pub(super) struct Buffers {
    lanes: Vec<Lane>,
    scratch: Vec<Lane>,
}

impl Plan {
    pub(super) fn new(len: usize) -> Self {
        debug_assert!(len.is_power_of_two());
        let angle = |j: usize| TAU * j as f64 / len as f64;
        Self {
            forward: (0..len / 2).map(|j| Complex::unit(-angle(j))).collect(),
            inverse: (0..len / 2).map(|j| Complex::unit(angle(j))).collect(),
        }
    }

    fn len(&self) -> usize {
        2 * self.forward.len()
    }

    /// Transforms each row of a plane whose rows have the length of the plan.
    pub(super) fn rows(&self, direction: Direction, plane: &mut [Complex], buffers: &mut Buffers) {
        let len = self.len();
        for rows in plane.chunks_exact_mut(LANES * len) {
            buffers.lanes.resize(len, Lane::default());
            for (lane, row) in rows.chunks_exact(len).enumerate() {
                for (lanes, value) in buffers.lanes.iter_mut().zip(row) {
                    lanes[lane] = *value;
                }
            }
            self.transform(direction, buffers);
            for (lane, row) in rows.chunks_exact_mut(len).enumerate() {
                for (lanes, value) in buffers.lanes.iter().zip(row) {
                    *value = lanes[lane];
                }
            }
        }
    }

    /// Transforms each column of a plane with rows of length `width`.
    pub(super) fn columns(
        &self,
        direction: Direction,
        plane: &mut [Complex],
        width: usize,
        buffers: &mut Buffers,
    ) {
        for first in (0..width).step_by(LANES) {
            buffers.lanes.resize(self.len(), Lane::default());
            for (lanes, row) in buffers.lanes.iter_mut().zip(plane.chunks_exact(width)) {
                lanes.copy_from_slice(&row[first..first + LANES]);
            }
            self.transform(direction, buffers);
            for (lanes, row) in buffers.lanes.iter().zip(plane.chunks_exact_mut(width)) {
                row[first..first + LANES].copy_from_slice(lanes);
            }
        }
    }

    /// Transforms the lanes of the buffer.
    fn transform(&self, direction: Direction, buffers: &mut Buffers) {
        let roots = match direction {
            Direction::Forward => &self.forward,
            Direction::Inverse => &self.inverse,
        };
        let Buffers { lanes, scratch } = buffers;
        scratch.resize(lanes.len(), Lane::default());
        // A stage combines the halves of `lanes`, in groups of `group` neighbours that share a root.
        let mut group = 1;
        while group < lanes.len() {
            let (low, high) = lanes.split_at(lanes.len() / 2);
            let inputs = low.chunks_exact(group).zip(high.chunks_exact(group));
            let outputs = scratch.chunks_exact_mut(2 * group);
            let roots = roots.iter().step_by(group);
            for (((low, high), output), root) in inputs.zip(outputs).zip(roots) {
                let (sums, differences) = output.split_at_mut(group);
                for (((low, high), sum), difference) in
                    low.iter().zip(high).zip(sums).zip(differences)
                {
                    for lane in 0..LANES {
                        sum[lane] = low[lane] + high[lane];
                        difference[lane] = (low[lane] - high[lane]) * *root;
                    }
                }
            }
            std::mem::swap(lanes, scratch);
            group *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The definition of the transform.
    fn slow(direction: Direction, row: &[Complex]) -> Vec<Complex> {
        let sign = if direction == Direction::Forward { -TAU } else { TAU };
        let term = |k: usize, j: usize| Complex::unit(sign * (j * k) as f64 / row.len() as f64);
        (0..row.len())
            .map(|k| {
                let mut sum = Complex::default();
                for (j, value) in row.iter().enumerate() {
                    sum += *value * term(k, j);
                }
                sum
            })
            .collect()
    }

    #[test]
    fn rows_and_columns_are_transformed_as_defined() {
        let mut random = Random::new();
        for (len, direction) in [(16, Direction::Forward), (32, Direction::Inverse)] {
            let mut plane: Vec<Complex> = (0..LANES * len)
                .map(|_| Complex { re: random.draw(), im: random.draw() })
                .collect();
            let mut turned: Vec<Complex> =
                (0..LANES * len).map(|i| plane[i % LANES * len + i / LANES]).collect();
            let expected: Vec<Complex> =
                plane.chunks(len).flat_map(|row| slow(direction, row)).collect();

            let (plan, mut buffers) = (Plan::new(len), Buffers::default());
            plan.rows(direction, &mut plane, &mut buffers);
            plan.columns(direction, &mut turned, LANES, &mut buffers);
            for (i, value) in expected.iter().enumerate() {
                for fast in [plane[i], turned[i % len * LANES + i / len]] {
                    let error = fast - *value;
                    assert!(error.re.abs() + error.im.abs() < 1e-12, "{i}: {fast:?} {value:?}");
                }
            }
        }
    }
}
