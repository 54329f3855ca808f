//! The field in space and in frequencies, and what is done to slabs of it.
//!
//! In space the field lies as planes of constant z, so that transforms along x and y stay within a
//! plane. In frequencies it lies as planes of constant y, so that the transform along z does. Rows run
//! along x in both, hence going from one to the other copies whole rows ([`Slab::exchange`]).

use std::f64::consts::PI;
use std::ops::Range;

use super::Complex;
use super::fft::{Buffers, Direction, Plan};
use super::problem::Shape;

/// How fast the field diffuses.
const ALPHA: f64 = 1e-6;

/// Points that the checksum adds up.
const CHECKSUM_POINTS: usize = 1024;

/// Consecutive planes of a field.
#[derive(Clone, Debug, Default)]
pub struct Slab {
    planes: Range<usize>,
    values: Vec<Complex>,
}

/// What is computed once for all transforms and all time steps.
pub struct Equation {
    pub(super) shape: Shape,
    x: Plan,
    y: Plan,
    z: Plan,
    decay_x: Vec<f64>,
    decay_y: Vec<f64>,
    decay_z: Vec<f64>,
}

impl Slab {
    /// A slab with these planes and values.
    pub(super) fn new(planes: Range<usize>, values: Vec<Complex>) -> Self {
        Self { planes, values }
    }

    /// A slab of zeros.
    pub(super) fn zero(planes: Range<usize>, plane_len: usize) -> Self {
        let values = vec![Complex::default(); planes.len() * plane_len];
        Self { planes, values }
    }

    /// The planes with their numbers.
    fn planes(&self) -> impl Iterator<Item = (usize, &[Complex])> {
        let len = self.values.len() / self.planes.len().max(1);
        self.planes.clone().zip(self.values.chunks_exact(len.max(1)))
    }

    fn planes_mut(&mut self) -> impl Iterator<Item = (usize, &mut [Complex])> {
        let len = self.values.len() / self.planes.len().max(1);
        self.planes.clone().zip(self.values.chunks_exact_mut(len.max(1)))
    }

    /// Fills this slab from slabs of the other layout, which together are the whole field:
    /// row i of plane j becomes row j of plane i.
    fn exchange(&mut self, field: &[Slab], width: usize) {
        for (i, plane) in self.planes_mut() {
            for (j, other) in field.iter().flat_map(Slab::planes) {
                plane[j * width..][..width].copy_from_slice(&other[i * width..][..width]);
            }
        }
    }
}

impl Equation {
    /// The equation on a box of this shape.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            x: Plan::new(shape.x),
            y: Plan::new(shape.y),
            z: Plan::new(shape.z),
            decay_x: decay(shape.x),
            decay_y: decay(shape.y),
            decay_z: decay(shape.z),
        }
    }

    /// Transforms a slab in space along x and y.
    pub(super) fn transform_xy(
        &self,
        direction: Direction,
        space: &mut Slab,
        buffers: &mut Buffers,
    ) {
        for (_, plane) in space.planes_mut() {
            self.x.rows(direction, plane, buffers);
            self.y.columns(direction, plane, self.shape.x, buffers);
        }
    }

    /// Transforms a slab in frequencies along z.
    pub(super) fn transform_z(
        &self,
        direction: Direction,
        frequencies: &mut Slab,
        buffers: &mut Buffers,
    ) {
        for (_, plane) in frequencies.planes_mut() {
            self.z.columns(direction, plane, self.shape.x, buffers);
        }
    }

    /// The second half of a forward transform: from slabs in space, transformed along x and y.
    pub(super) fn finish_forward(&self, space: &[Slab], into: &mut Slab, buffers: &mut Buffers) {
        into.exchange(space, self.shape.x);
        self.transform_z(Direction::Forward, into, buffers);
    }

    /// The second half of an inverse transform: from slabs in frequencies, transformed along z.
    pub(super) fn finish_inverse(
        &self,
        frequencies: &[Slab],
        into: &mut Slab,
        buffers: &mut Buffers,
    ) {
        into.exchange(frequencies, self.shape.x);
        self.transform_xy(Direction::Inverse, into, buffers);
    }

    /// Lets a slab in frequencies decay by one time step, and copies it.
    pub(super) fn evolve(&self, frequencies: &mut Slab, copy: &mut Slab) {
        let width = self.shape.x;
        for ((y, plane), (_, copy)) in frequencies.planes_mut().zip(copy.planes_mut()) {
            let rows = plane.chunks_exact_mut(width).zip(copy.chunks_exact_mut(width));
            for ((row, copy), decay_z) in rows.zip(&self.decay_z) {
                let decay = self.decay_y[y] * decay_z;
                for ((value, copy), decay_x) in row.iter_mut().zip(copy).zip(&self.decay_x) {
                    *value *= decay * decay_x;
                    *copy = *value;
                }
            }
        }
    }

    /// The checksum of a field in space, and with it the division the inverse transform left out.
    pub(super) fn checksum(&self, space: &[Slab]) -> Complex {
        let Shape { x, y, z } = self.shape;
        let planes: Vec<&[Complex]> =
            space.iter().flat_map(Slab::planes).map(|(_, plane)| plane).collect();
        let mut sum = Complex::default();
        for j in 1..=CHECKSUM_POINTS {
            sum += planes[5 * j % z][3 * j % y * x + j % x];
        }
        sum *= 1.0 / (x * y * z) as f64;
        sum
    }
}

/// By how much each frequency along a dimension decays in one time step. The upper half of the indices
/// stands for negative frequencies.
fn decay(len: usize) -> Vec<f64> {
    (0..len)
        .map(|index| {
            let frequency = index.min(len - index) as f64;
            (-4.0 * ALPHA * PI * PI * frequency * frequency).exp()
        })
        .collect()
}
