//! Inverse iteration and conjugate gradients. Does not know who multiplies the matrix with a vector.
//!
//! That product is nearly all the work (70 multiplications per row, against 5 for everything else), and
//! the only thing the parallel version divides.

/// What CG finds out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The estimate of the eigenvalue.
    pub zeta: f64,
    /// How well the last linear system was solved: ‖x − Az‖.
    pub residual: f64,
}

/// Steps of conjugate gradients per outer iteration.
const STEPS: usize = 25;

/// A product of the matrix with a vector, cut into the blocks of rows that were multiplied together.
pub(super) type Product = Vec<Vec<f64>>;

/// Estimates the eigenvalue of a matrix of order `n`.
///
/// `multiply` writes the product with its first argument into its second, which has the shape of
/// `product`; it may take both away in the meantime.
pub(super) fn solve<E>(
    n: usize,
    iterations: usize,
    shift: f64,
    mut product: Product,
    mut multiply: impl FnMut(&mut Vec<f64>, &mut Product) -> Result<(), E>,
) -> Result<Answer, E> {
    let mut x = vec![1.0; n];
    let mut z = vec![0.0; n];
    let mut r = vec![0.0; n];
    let mut p = vec![0.0; n];
    let mut answer = Answer { zeta: 0.0, residual: 0.0 };

    for _ in 0..iterations {
        z.fill(0.0);
        r.copy_from_slice(&x);
        p.copy_from_slice(&x);
        let mut rho = dot(&r, &r);
        for _ in 0..STEPS {
            multiply(&mut p, &mut product)?;
            let alpha = rho / block_dot(&p, &product);
            add_scaled(&mut z, alpha, &p);
            let mut rows = r.as_mut_slice();
            for block in &product {
                let (head, tail) = rows.split_at_mut(block.len());
                add_scaled(head, -alpha, block);
                rows = tail;
            }
            let previous = rho;
            rho = dot(&r, &r);
            let beta = rho / previous;
            for (p, r) in p.iter_mut().zip(&r) {
                *p = r + beta * *p;
            }
        }

        multiply(&mut z, &mut product)?;
        let squares = x.iter().zip(product.iter().flatten()).map(|(x, az)| (x - az) * (x - az));
        answer.residual = squares.sum::<f64>().sqrt();
        answer.zeta = shift + 1.0 / dot(&x, &z);
        let norm = dot(&z, &z).sqrt();
        for (x, z) in x.iter_mut().zip(&z) {
            *x = z / norm;
        }
    }
    Ok(answer)
}

fn add_scaled(target: &mut [f64], factor: f64, vector: &[f64]) {
    for (target, value) in target.iter_mut().zip(vector) {
        *target += factor * value;
    }
}

/// Four sums at a time, because one sum would wait for each addition.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let (left, last_left) = left.as_chunks::<4>();
    let (right, last_right) = right.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..4 {
            sums[lane] += left[lane] * right[lane];
        }
    }
    let rest: f64 = last_left.iter().zip(last_right).map(|(left, right)| left * right).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn block_dot(vector: &[f64], blocks: &Product) -> f64 {
    let mut rest = vector;
    let mut sum = 0.0;
    for block in blocks {
        let (head, tail) = rest.split_at(block.len());
        sum += dot(head, block);
        rest = tail;
    }
    sum
}
