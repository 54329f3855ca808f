//! The problem of CG: sizes, published answers, and the random matrix (RNR-94-007, section 2.2).
//!
//! The matrix is Σ ωᵢ x xᵀ over random sparse vectors x, with ωᵢ falling geometrically from 1 to 0.1;
//! 0.1 minus the shift is added on the diagonal.

use super::{Answer, Matrix, parallel, sequential};
use crate::channels;
use crate::generated::cg;
use crate::link::{Broken, Workers};
use crate::random::Random;
use crate::{Carrier, Class, Kernel, Verification};

/// The reciprocal of the condition number the matrix has before the shift.
const RECIPROCAL_CONDITION: f64 = 0.1;

/// A matrix and how often to iterate on it.
pub struct Problem {
    /// The shifted matrix.
    pub(super) matrix: Matrix,
    /// Outer iterations.
    pub(super) iterations: usize,
    /// What was subtracted from the diagonal.
    pub(super) shift: f64,
}

struct Size {
    order: usize,
    nonzeros: usize,
    iterations: usize,
    shift: f64,
    zeta: f64,
}

fn size(class: Class) -> Size {
    match class {
        Class::S => Size {
            order: 1400,
            nonzeros: 7,
            iterations: 15,
            shift: 10.0,
            zeta: 8.597_177_507_864_8,
        },
        Class::W => {
            Size { order: 7000, nonzeros: 8, iterations: 15, shift: 12.0, zeta: 10.362_595_087_124 }
        }
    }
}

impl Problem {
    /// Solves the problem over a module, if there is one for so many workers.
    fn over(self, module: Option<cg::Module>) -> Result<Answer, Broken> {
        let module = module.ok_or_else(Broken::no_module)?;
        let cg::Roles { master, workers } = module.into_roles();
        parallel::solve(self, master, workers)
    }
}

impl Kernel for Problem {
    type Answer = Answer;

    fn generate(class: Class) -> Self {
        let size = size(class);
        Self { matrix: matrix(&size), iterations: size.iterations, shift: size.shift }
    }

    fn sequential(self) -> Answer {
        sequential::solve(&self)
    }

    fn parallel(self, carrier: Carrier, workers: Workers) -> Result<Answer, Broken> {
        match carrier {
            Carrier::Channels => {
                let (master, workers) = channels::connect(workers);
                parallel::solve(self, master, workers)
            }
            Carrier::Strict => self.over(cg::strict(workers.get())),
            Carrier::Liberal => self.over(cg::liberal(workers.get())),
        }
    }

    fn verify(class: Class, answer: &Answer) -> Verification {
        let summary = format!("zeta = {:.13}, residual {:.1e}", answer.zeta, answer.residual);
        Verification::relative(summary, &[(answer.zeta, size(class).zeta)], 1e-10)
    }
}

fn matrix(size: &Size) -> Matrix {
    let n = size.order;
    let mut random = Random::new();
    // The definition spends the first number of the stream on nothing.
    random.draw();

    let ratio = RECIPROCAL_CONDITION.powf(1.0 / n as f64);
    let mut weight = 1.0;
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    for outer in 0..n {
        let vector = sparse_vector(&mut random, size, outer);
        for &(row, left) in &vector {
            let scale = weight * left;
            rows[row].extend(vector.iter().map(|&(column, right)| (column as u32, right * scale)));
        }
        rows[outer].push((outer as u32, RECIPROCAL_CONDITION - size.shift));
        weight *= ratio;
    }
    Matrix::from_rows(rows)
}

/// A vector with `nonzeros` random entries at distinct random places, and ½ at `outer`.
fn sparse_vector(random: &mut Random, size: &Size, outer: usize) -> Vec<(usize, f64)> {
    let range = size.order.next_power_of_two() as f64;
    let mut vector: Vec<(usize, f64)> = Vec::with_capacity(size.nonzeros + 1);
    while vector.len() < size.nonzeros {
        let value = random.draw();
        let place = (range * random.draw()) as usize;
        if place < size.order && vector.iter().all(|(taken, _)| *taken != place) {
            vector.push((place, value));
        }
    }
    match vector.iter_mut().find(|(place, _)| *place == outer) {
        Some((_, value)) => *value = 0.5,
        None => vector.push((outer, 0.5)),
    }
    vector
}
