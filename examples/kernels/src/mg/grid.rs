//! Periodic cubes of numbers, plane by plane.
//!
//! Each row has the value of its other end beside each end, and each plane its other rows beside its
//! first and last row; so loops within a plane need not wrap. Planes are separate vectors: they can be
//! dealt out to workers and collected again without copying.

/// A plane of a cube: rows of `n + 2` numbers, `n + 2` of them.
pub type Plane = Vec<f64>;

/// A cube of `n` × `n` × `n` numbers, counted from 1 in each dimension.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    pub(super) planes: Vec<Plane>,
}

impl Grid {
    /// A cube of zeros.
    pub(super) fn zero(n: usize) -> Self {
        Self { planes: vec![vec![0.0; (n + 2) * (n + 2)]; n] }
    }

    /// Numbers along an edge.
    pub(super) fn n(&self) -> usize {
        self.planes.len()
    }

    /// The plane with this number, which may be 0 (the last) or `n + 1` (the first).
    pub(super) fn plane(&self, z: usize) -> &[f64] {
        let n = self.n();
        &self.planes[(z + n - 1) % n]
    }

    /// Sets all numbers to zero.
    pub(super) fn clear(&mut self) {
        for plane in &mut self.planes {
            plane.fill(0.0);
        }
    }

    /// The root of the mean of the squares.
    pub(super) fn norm(&self) -> f64 {
        let n = self.n();
        let rows = self.planes.iter().flat_map(|plane| plane.chunks_exact(n + 2).skip(1).take(n));
        let sum: f64 = rows.map(|row| row[1..=n].iter().map(|x| x * x).sum::<f64>()).sum();
        (sum / (n * n * n) as f64).sqrt()
    }
}

/// Makes the borders of a plane repeat its inside, `n` × `n` numbers.
pub(super) fn wrap(plane: &mut [f64], n: usize) {
    let width = n + 2;
    for row in plane.chunks_exact_mut(width).skip(1).take(n) {
        row[0] = row[n];
        row[n + 1] = row[1];
    }
    plane.copy_within(n * width..(n + 1) * width, 0);
    plane.copy_within(width..2 * width, (n + 1) * width);
}
