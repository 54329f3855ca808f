//! The problem of IS: sizes, random keys, and the published ranks of five of them (RNR-94-007, section 2.5).

use super::{Answer, parallel, sequential};
use crate::channels;
use crate::generated::is_sort;
use crate::link::{Broken, Workers};
use crate::random::Random;
use crate::{Carrier, Class, Kernel, Verification};

/// A key to be ranked.
pub type Key = u32;

/// How often the keys are ranked.
pub const ITERATIONS: usize = 10;

/// Keys in random order.
pub struct Problem {
    /// The keys.
    pub(super) keys: Vec<Key>,
    /// All keys are below this.
    pub(super) key_bound: usize,
    /// The places of the keys whose ranks are published.
    pub(super) probes: [usize; 5],
}

struct Size {
    keys: usize,
    key_bound: usize,
    probes: [usize; 5],
    /// The published rank of each probe, and what each iteration adds to it.
    ranks: fn(iteration: usize) -> [usize; 5],
}

fn size(class: Class) -> Size {
    match class {
        Class::S => Size {
            keys: 1 << 16,
            key_bound: 1 << 11,
            probes: [48427, 17148, 23627, 62548, 4431],
            ranks: |i| [i, 18 + i, 346 + i, 64917 - i, 65463 - i],
        },
        Class::W => Size {
            keys: 1 << 20,
            key_bound: 1 << 16,
            probes: [357_773, 934_767, 875_723, 898_999, 404_505],
            ranks: |i| [1247 + i, 11696 + i, 1_039_987 - i, 1_043_896 - i, 1_048_018 - i],
        },
    }
}

impl Problem {
    /// Solves the problem over a module, if there is one for so many workers.
    fn over(self, module: Option<is_sort::Module>) -> Result<Answer, Broken> {
        let module = module.ok_or_else(Broken::no_module)?;
        let is_sort::Roles { master, workers } = module.into_roles();
        parallel::solve(self, master, workers)
    }
}

impl Kernel for Problem {
    type Answer = Answer;

    fn generate(class: Class) -> Self {
        let Size { keys, key_bound, probes, .. } = size(class);
        let mut random = Random::new();
        let quarter = key_bound as f64 / 4.0;
        let mut key = || {
            let sum = random.draw() + random.draw() + random.draw() + random.draw();
            (quarter * sum) as Key
        };
        Self { keys: (0..keys).map(|_| key()).collect(), key_bound, probes }
    }

    fn sequential(self) -> Answer {
        sequential::solve(self)
    }

    fn parallel(self, carrier: Carrier, workers: Workers) -> Result<Answer, Broken> {
        match carrier {
            Carrier::Channels => {
                let (master, workers) = channels::connect(workers);
                parallel::solve(self, master, workers)
            }
            Carrier::Strict => self.over(is_sort::strict(workers.get())),
            Carrier::Liberal => self.over(is_sort::liberal(workers.get())),
        }
    }

    fn verify(class: Class, answer: &Answer) -> Verification {
        let size = size(class);
        let wrong_ranks = (1..)
            .zip(&answer.probed)
            .flat_map(|(iteration, probed)| probed.iter().copied().zip((size.ranks)(iteration)))
            .filter(|(computed, published)| computed != published)
            .count();
        let missing = ITERATIONS.abs_diff(answer.probed.len());
        let mistakes = wrong_ranks + missing + answer.misplaced();
        let summary = format!("{} ranks as published, {mistakes} mistakes", 5 * ITERATIONS);
        Verification::exact(summary, mistakes)
    }
}
