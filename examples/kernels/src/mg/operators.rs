//! The four operators of the V-cycle, each on any consecutive planes of its result.
//!
//! Each is given whole grids to read, and planes of another grid to write together with the number of
//! the first of them. All four coefficients of a 27-point stencil belong to the distance of a point from
//! the centre: itself, 6 across a face, 12 across an edge, 8 across a corner. Sums over the rows around
//! a row are shared by the three points that need them.

use super::grid::{Grid, Plane, wrap};

/// The operator A: the Laplacian. Points across a face do not count.
const LAPLACE: [f64; 4] = [-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0];

/// The smoother S, which approximates the inverse of A. Points across a corner do not count.
const SMOOTHER: [f64; 4] = [-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0];

/// The restriction P to the coarser grid.
const RESTRICTION: [f64; 4] = [1.0 / 2.0, 1.0 / 4.0, 1.0 / 8.0, 1.0 / 16.0];

/// Sums over the eight rows around a row.
struct Around {
    /// The four rows that touch it across a face.
    faces: Vec<f64>,
    /// The four others.
    edges: Vec<f64>,
}

impl Around {
    fn new(n: usize) -> Self {
        Self { faces: vec![0.0; n + 2], edges: vec![0.0; n + 2] }
    }

    /// Sums around row `y` of plane `z`.
    fn sum(&mut self, grid: &Grid, z: usize, y: usize) {
        let width = self.faces.len();
        let [below, here, above] = [z - 1, z, z + 1].map(|z| grid.plane(z));
        let row = |plane, y| row(plane, width, y);
        let (here_low, here_high) = (row(here, y - 1), row(here, y + 1));
        let (below_low, below_here, below_high) =
            (row(below, y - 1), row(below, y), row(below, y + 1));
        let (above_low, above_here, above_high) =
            (row(above, y - 1), row(above, y), row(above, y + 1));
        let (faces, edges) = (&mut self.faces[..width], &mut self.edges[..width]);
        for x in 0..width {
            faces[x] = here_low[x] + here_high[x] + below_here[x] + above_here[x];
            edges[x] = below_low[x] + below_high[x] + above_low[x] + above_high[x];
        }
    }
}

fn row(plane: &[f64], width: usize, y: usize) -> &[f64] {
    &plane[y * width..][..width]
}

fn row_mut(plane: &mut [f64], width: usize, y: usize) -> &mut [f64] {
    &mut plane[y * width..][..width]
}

/// The three slices of a row that lie left of, at and right of its inside.
fn shifted(row: &[f64], n: usize) -> [&[f64]; 3] {
    [&row[..n], &row[1..][..n], &row[2..][..n]]
}

/// `r = v − A u`, or without a `v`, `r = r − A u`.
pub(super) fn resid(u: &Grid, v: Option<&Grid>, first: usize, r: &mut [Plane]) {
    let n = u.n();
    let width = n + 2;
    let mut around = Around::new(n);
    for (z, plane) in (first + 1..).zip(r) {
        for y in 1..=n {
            if let Some(v) = v {
                row_mut(plane, width, y).copy_from_slice(row(v.plane(z), width, y));
            }
            around.sum(u, z, y);
            let centre = shifted(row(u.plane(z), width, y), n)[1];
            let [faces_left, _, faces_right] = shifted(&around.faces, n);
            let [edges_left, edges, edges_right] = shifted(&around.edges, n);
            let result = &mut row_mut(plane, width, y)[1..][..n];
            for x in 0..n {
                result[x] -= LAPLACE[0] * centre[x]
                    + LAPLACE[2] * (edges[x] + faces_left[x] + faces_right[x])
                    + LAPLACE[3] * (edges_left[x] + edges_right[x]);
            }
        }
        wrap(plane, n);
    }
}

/// `u = u + S r`.
pub(super) fn psinv(r: &Grid, first: usize, u: &mut [Plane]) {
    let n = r.n();
    let width = n + 2;
    let mut around = Around::new(n);
    for (z, plane) in (first + 1..).zip(u) {
        for y in 1..=n {
            around.sum(r, z, y);
            let [left, centre, right] = shifted(row(r.plane(z), width, y), n);
            let [faces_left, faces, faces_right] = shifted(&around.faces, n);
            let edges = shifted(&around.edges, n)[1];
            let result = &mut row_mut(plane, width, y)[1..][..n];
            for x in 0..n {
                result[x] += SMOOTHER[0] * centre[x]
                    + SMOOTHER[1] * (left[x] + right[x] + faces[x])
                    + SMOOTHER[2] * (edges[x] + faces_left[x] + faces_right[x]);
            }
        }
        wrap(plane, n);
    }
}

/// `coarse = P fine`. Point `i` of the coarse grid is point `2 i` of the fine grid.
pub(super) fn rprj(fine: &Grid, first: usize, coarse: &mut [Plane]) {
    let n = fine.n() / 2;
    let mut around = Around::new(fine.n());
    for (z, plane) in (first + 1..).zip(coarse) {
        for y in 1..=n {
            around.sum(fine, 2 * z, 2 * y);
            let centre = row(fine.plane(2 * z), fine.n() + 2, 2 * y);
            let result = &mut row_mut(plane, n + 2, y)[1..=n];
            let points = triples(centre).zip(triples(&around.faces)).zip(triples(&around.edges));
            for (result, ((centre, faces), edges)) in result.iter_mut().zip(points) {
                *result = RESTRICTION[0] * centre[1]
                    + RESTRICTION[1] * (centre[0] + centre[2] + faces[1])
                    + RESTRICTION[2] * (faces[0] + faces[2] + edges[1])
                    + RESTRICTION[3] * (edges[0] + edges[2]);
            }
        }
        wrap(plane, n);
    }
}

/// Points 2, 4, … of a row, each between its neighbours.
fn triples(row: &[f64]) -> impl Iterator<Item = &[f64]> {
    row[1..].windows(3).step_by(2)
}

/// `fine = fine + Q coarse`: between the points of the coarse grid, the mean of its neighbours.
pub(super) fn interp(coarse: &Grid, first: usize, fine: &mut [Plane]) {
    let n = 2 * coarse.n();
    let mut mean = vec![0.0; coarse.n() + 2];
    for (z, plane) in (first + 1..).zip(fine) {
        for y in 1..=n {
            mean_row(coarse, z, y, &mut mean);
            // Points 1 and 2, 3 and 4, …: the first of each pair lies between two coarse points.
            let pairs = row_mut(plane, n + 2, y)[1..=n].as_chunks_mut::<2>().0;
            for (pair, mean) in pairs.iter_mut().zip(mean.windows(2)) {
                pair[0] += 0.5 * (mean[0] + mean[1]);
                pair[1] += mean[1];
            }
        }
        wrap(plane, n);
    }
}

/// The coarse row at row `y` of plane `z` of the fine grid: one, or the mean of two or four.
fn mean_row(coarse: &Grid, z: usize, y: usize, mean: &mut [f64]) {
    let width = mean.len();
    let row = |z, y| row(coarse.plane(z), width, y);
    // The same point twice if it lies on the coarse grid.
    let [low_z, high_z] = [z / 2, z.div_ceil(2)];
    let [low_y, high_y] = [y / 2, y.div_ceil(2)];
    match (low_z == high_z, low_y == high_y) {
        (true, true) => mean.copy_from_slice(row(low_z, low_y)),
        (false, true) => mean_of_two(row(low_z, low_y), row(high_z, low_y), mean),
        (true, false) => mean_of_two(row(low_z, low_y), row(low_z, high_y), mean),
        (false, false) => {
            let [a, b] = [row(low_z, low_y), row(low_z, high_y)];
            let [c, d] = [row(high_z, low_y), row(high_z, high_y)];
            for x in 0..width {
                mean[x] = 0.25 * (a[x] + b[x] + c[x] + d[x]);
            }
        }
    }
}

fn mean_of_two(left: &[f64], right: &[f64], mean: &mut [f64]) {
    for ((mean, left), right) in mean.iter_mut().zip(left).zip(right) {
        *mean = 0.5 * (left + right);
    }
}
