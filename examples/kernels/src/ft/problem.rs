//! The problem of FT: sizes, random initial field, published checksums (RNR-94-007, section 2.4).

use super::{Complex, channels, parallel, sequential};
use crate::generated::ft;
use crate::link::{Broken, Workers};
use crate::random::Random;
use crate::{Carrier, Class, Kernel, Verification};

/// The lengths of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Along the dimension whose neighbours are neighbours in memory.
    pub x: usize,
    /// Rows of a plane.
    pub y: usize,
    /// Planes.
    pub z: usize,
}

/// A field to start from.
pub struct Problem {
    /// The lengths of the field.
    pub(super) shape: Shape,
    /// Its values, plane after plane, row after row.
    pub(super) field: Vec<Complex>,
    /// How many time steps to make.
    pub(super) steps: usize,
}

/// A checksum of the field after each time step.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The checksums, in order of time.
    pub checksums: Vec<Complex>,
}

struct Size {
    shape: Shape,
    checksums: [(f64, f64); 6],
}

fn size(class: Class) -> Size {
    match class {
        Class::S => Size {
            shape: Shape { x: 64, y: 64, z: 64 },
            checksums: [
                (554.6087004964, 484.5363331978),
                (554.6385409189, 486.5304269511),
                (554.6148406171, 488.3910722336),
                (554.5423607415, 490.1273169046),
                (554.4255039624, 491.7475857993),
                (554.2683411902, 493.2597244941),
            ],
        },
        Class::W => Size {
            shape: Shape { x: 128, y: 128, z: 32 },
            checksums: [
                (567.3612178944, 529.3246849175),
                (563.1436885271, 528.2149986629),
                (559.4024089970, 527.0996558037),
                (556.0698047020, 526.0027904925),
                (553.0898991250, 524.9400845633),
                (550.4159734538, 523.9212247086),
            ],
        },
    }
}

impl Problem {
    /// Solves the problem over a module, if there is one for so many workers.
    fn over(self, module: Option<ft::Module>) -> Result<Answer, Broken> {
        let module = module.ok_or_else(Broken::no_module)?;
        let ft::Roles { master, evolves, ffts } = module.into_roles();
        parallel::solve(self, master, evolves, ffts)
    }
}

impl Kernel for Problem {
    type Answer = Answer;

    fn generate(class: Class) -> Self {
        let Size { shape, checksums } = size(class);
        let mut random = Random::new();
        let field = (0..shape.x * shape.y * shape.z)
            .map(|_| Complex { re: random.draw(), im: random.draw() })
            .collect();
        Self { shape, field, steps: checksums.len() }
    }

    fn sequential(self) -> Answer {
        sequential::solve(self)
    }

    fn parallel(self, carrier: Carrier, workers: Workers) -> Result<Answer, Broken> {
        match carrier {
            Carrier::Channels => channels::solve(self, workers),
            Carrier::Strict => self.over(ft::strict(workers.get())),
            Carrier::Liberal => self.over(ft::liberal(workers.get())),
        }
    }

    fn verify(class: Class, answer: &Answer) -> Verification {
        let published = size(class).checksums;
        // A missing checksum counts as zero, which is wrong.
        let values: Vec<(f64, f64)> = published
            .iter()
            .enumerate()
            .flat_map(|(step, (re, im))| {
                let computed = answer.checksums.get(step).copied().unwrap_or_default();
                [(computed.re, *re), (computed.im, *im)]
            })
            .collect();
        let last = answer.checksums.last().copied().unwrap_or_default();
        let summary = format!("last checksum {:.10} + {:.10}i", last.re, last.im);
        Verification::relative(summary, &values, 1e-12)
    }
}
