//! The list of workloads: which model in which size, what is known about it, and the same model
//! for Spin. Measures nothing.

use std::fmt;

use quadrille_logic::{AtomId, Formula, Unary};
use quadrille_model::Network;

use crate::models::{Grain, forkjoin, leader, pairs, peterson, phil, prod, twophase};

/// A model of a certain size.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Which model.
    pub family: &'static str,
    /// How large.
    pub size: usize,
    /// What other tools found; anything else is an error.
    pub known: Known,
    /// The same model for Spin.
    pub promela: Promela,
    /// A temporal property that holds, if the workload has a liveness row.
    pub liveness: Option<Liveness>,
    build: fn(usize) -> Network,
}

/// Published counts of a full search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Distinct states.
    pub states: u64,
    /// Transitions as Spin, TLC and Stateright count them: entering the initial state is one.
    pub transitions: u64,
}

/// A model in Promela, for a size given as the macro `N`.
#[derive(Clone, Copy, Debug)]
pub struct Promela {
    /// The text.
    pub source: &'static str,
    /// More options for `spin -a`.
    pub options: &'static [&'static str],
    /// Depth of Spin's search, rounded up.
    pub depth: u64,
}

/// A temporal property of a workload. The Promela text has the same one.
#[derive(Clone, Copy, Debug)]
pub struct Liveness {
    /// What is promised about the workload's only proposition.
    pub promise: Promise,
    /// States of the product with Spin's automaton.
    pub spin_states: u64,
    /// Depth of Spin's search, rounded up.
    pub depth: u64,
}

/// The form of a temporal property of one proposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    /// It holds again and again: `G F`.
    Recurs,
    /// It holds for ever from some time on: `F G`.
    Settles,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Promise::Recurs => "G F",
            Promise::Settles => "F G",
        })
    }
}

impl Promise {
    /// The formula, over atom 0.
    pub fn formula(self) -> Formula {
        let (outer, inner) = match self {
            Promise::Recurs => (Unary::Always, Unary::Eventually),
            Promise::Settles => (Unary::Eventually, Unary::Always),
        };
        let atom = Formula::atom(AtomId::from_usize(0));
        Formula::unary(outer, Formula::unary(inner, atom))
    }
}

impl Workload {
    /// The model.
    pub fn network(&self) -> Network {
        (self.build)(self.size)
    }

    /// Family and size.
    pub fn name(&self) -> String {
        format!("{} {}", self.family, self.size)
    }

    /// Whether a name typed on a command line means it: `phil` or `phil-8`.
    pub fn is_meant(&self, typed: &str) -> bool {
        typed == self.family || typed == format!("{}-{}", self.family, self.size)
    }
}

/// All workloads of the engine's table.
pub fn workloads() -> Vec<Workload> {
    FAMILIES.iter().flat_map(Family::workloads).collect()
}

/// Workloads that share a model.
struct Family {
    name: &'static str,
    build: fn(usize) -> Network,
    source: &'static str,
    options: &'static [&'static str],
    promise: Option<Promise>,
    sizes: &'static [Size],
}

/// What is known about one size of a family.
struct Size {
    n: usize,
    known: Known,
    depth: u64,
    /// States of Spin's product and depth of its search, where there is a liveness row.
    live: Option<(u64, u64)>,
}

const fn size(n: usize, states: u64, transitions: u64, depth: u64) -> Size {
    Size { n, known: Known { states, transitions }, depth, live: None }
}

impl Size {
    const fn live(self, spin_states: u64, depth: u64) -> Self {
        Self { live: Some((spin_states, depth)), ..self }
    }
}

impl Family {
    fn workloads(&self) -> impl Iterator<Item = Workload> + '_ {
        self.sizes.iter().map(|size| Workload {
            family: self.name,
            size: size.n,
            known: size.known,
            promela: Promela { source: self.source, options: self.options, depth: size.depth },
            liveness: self.promise.zip(size.live).map(|(promise, (spin_states, depth))| Liveness {
                promise,
                spin_states,
                depth,
            }),
            build: self.build,
        })
    }
}

const FAMILIES: [Family; 8] = [
    Family {
        name: "phil",
        build: phil,
        source: include_str!("../promela/phil.pml"),
        options: &[],
        promise: Some(Promise::Recurs),
        sizes: &[
            size(8, 103_682, 687_769, 81_000),
            size(9, 439_204, 3_277_612, 347_000).live(775_206, 694_000),
            size(10, 1_860_498, 15_426_871, 1_520_000).live(3_195_570, 3_030_000),
            size(11, 7_881_196, 71_884_198, 6_460_000),
        ],
    },
    Family {
        name: "forkjoin",
        build: forkjoin,
        source: include_str!("../promela/forkjoin.pml"),
        options: &[],
        promise: Some(Promise::Recurs),
        sizes: &[
            size(8, 109_226, 655_362, 1000),
            size(9, 436_906, 2_949_122, 1000),
            size(10, 1_747_626, 13_107_202, 1000).live(3_495_251, 1000),
        ],
    },
    Family {
        name: "leader-coarse",
        build: |n| leader(n, Grain::Coarse),
        source: include_str!("../promela/leader-coarse.pml"),
        options: &[],
        promise: None,
        sizes: &[size(9, 306_951, 1_668_013, 1000), size(10, 1_438_748, 8_633_663, 1000)],
    },
    Family {
        name: "leader-fine",
        build: |n| leader(n, Grain::Fine),
        source: include_str!("../promela/leader-fine.pml"),
        options: &["-o3"],
        promise: Some(Promise::Settles),
        sizes: &[size(7, 4_379_781, 24_868_562, 1000).live(8_756_873, 1000)],
    },
    Family {
        name: "peterson",
        build: peterson,
        source: include_str!("../promela/peterson.pml"),
        options: &[],
        promise: Some(Promise::Recurs),
        sizes: &[size(5, 5_659_100, 22_025_657, 830_000).live(11_318_042, 1_700_000)],
    },
    Family {
        name: "twophase",
        build: twophase,
        source: include_str!("../promela/twophase.pml"),
        options: &[],
        promise: None,
        sizes: &[size(7, 296_448, 2_744_706, 1000), size(8, 1_745_408, 18_507_778, 1000)],
    },
    Family {
        name: "pairs",
        build: pairs,
        source: include_str!("../promela/pairs.pml"),
        options: &[],
        promise: None,
        sizes: &[size(12, 531_441, 4_251_529, 1000)],
    },
    Family {
        name: "prod",
        build: prod,
        source: include_str!("../promela/prod.pml"),
        options: &[],
        promise: None,
        sizes: &[size(12, 1_062_882, 6_613_489, 1_120_000)],
    },
];
