//! The problem of MG: sizes, the charges, published norms (RNR-94-007, section 2.1).

use super::grid::wrap;
use super::parallel::{self, Links};
use super::{Grid, channels, sequential};
use crate::generated::mg;
use crate::link::{Broken, Workers};
use crate::random::Random;
use crate::{Carrier, Class, Kernel, Verification};

/// Charges of each sign.
const CHARGES: usize = 10;

/// Charges on a grid.
pub struct Problem {
    /// The right-hand side of the equation.
    pub(super) charges: Grid,
    /// How many V-cycles to make.
    pub(super) cycles: usize,
}

/// How well the equation is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The norm of the residual.
    pub norm: f64,
}

struct Size {
    n: usize,
    cycles: usize,
    norm: f64,
}

fn size(class: Class) -> Size {
    match class {
        Class::S => Size { n: 32, cycles: 4, norm: 0.5307707005734e-4 },
        Class::W => Size { n: 128, cycles: 4, norm: 0.6467329375339e-5 },
    }
}

impl Problem {
    /// Solves the problem over a module, if there is one for so many workers.
    fn over(self, module: Option<mg::Module>) -> Result<Answer, Broken> {
        let module = module.ok_or_else(Broken::no_module)?;
        let mg::Roles { master, interps, psinvs, rprjs, resids } = module.into_roles();
        let links = Links { interp: interps, psinv: psinvs, rprj: rprjs, resid: resids };
        parallel::solve(self, master, links)
    }
}

impl Kernel for Problem {
    type Answer = Answer;

    fn generate(class: Class) -> Self {
        let Size { n, cycles, .. } = size(class);
        Self { charges: charges(n), cycles }
    }

    fn sequential(self) -> Answer {
        sequential::solve(self)
    }

    fn parallel(self, carrier: Carrier, workers: Workers) -> Result<Answer, Broken> {
        match carrier {
            Carrier::Channels => channels::solve(self, workers),
            Carrier::Strict => self.over(mg::strict(workers.get())),
            Carrier::Liberal => self.over(mg::liberal(workers.get())),
        }
    }

    fn verify(class: Class, answer: &Answer) -> Verification {
        let summary = format!("norm {:.12e}", answer.norm);
        Verification::relative(summary, &[(answer.norm, size(class).norm)], 1e-8)
    }
}

/// Every point gets a random number; the ten largest become +1, the ten smallest −1, all others 0.
fn charges(n: usize) -> Grid {
    let mut random = Random::new();
    let mut numbers: Vec<(f64, usize)> = (0..n * n * n).map(|at| (random.draw(), at)).collect();
    let mut grid = Grid::zero(n);
    let mut place = |charge: f64, points: &[(f64, usize)]| {
        for (_, at) in points {
            let (x, y, z) = (at % n, at / n % n, at / (n * n));
            grid.planes[z][(y + 1) * (n + 2) + x + 1] = charge;
        }
    };
    numbers.select_nth_unstable_by(CHARGES, |left, right| left.0.total_cmp(&right.0));
    place(-1.0, &numbers[..CHARGES]);
    let rest = numbers.len() - CHARGES;
    numbers.select_nth_unstable_by(rest, |left, right| left.0.total_cmp(&right.0));
    place(1.0, &numbers[rest..]);
    for plane in &mut grid.planes {
        wrap(plane, n);
    }
    grid
}
