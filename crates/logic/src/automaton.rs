//! Generalised Büchi automata with labels and acceptance on edges: what a formula becomes and
//! what the engine multiplies with a model. Reads no formula and no file.

/// A state of an automaton (a *state* is the model's).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location(pub u32);

impl Location {
    /// The position in the automaton's table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Most atoms one automaton can speak about: a valuation is one machine word.
pub const MAX_ATOMS: usize = 64;

/// Which atoms are true in one step: bit `i` is atom `i`.
pub type Letter = u64;

/// A conjunction of literals over atoms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// Atoms that must be true.
    pub positive: Letter,
    /// Atoms that must be false.
    pub negative: Letter,
}

impl Cube {
    /// The cube that every letter satisfies.
    pub const TRUE: Cube = Cube { positive: 0, negative: 0 };

    /// Whether a letter satisfies every literal.
    pub const fn accepts(self, letter: Letter) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }
}

/// Acceptance sets an edge belongs to: bit `i` is set `i`.
pub type Marks = u32;

/// An edge: taken on any letter its label accepts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// Which letters.
    pub label: Cube,
    /// Which acceptance sets it belongs to.
    pub marks: Marks,
    /// Where it leads.
    pub to: Location,
}

/// A generalised Büchi automaton: a run is accepting when it passes an edge of each of the
/// `n_sets` acceptance sets infinitely often. With no set, every infinite run is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// Where runs start.
    pub initial: Vec<Location>,
    /// Edges by location.
    pub edges: Vec<Vec<Edge>>,
    /// Number of acceptance sets, at most 32.
    pub n_sets: u32,
}

impl Automaton {
    /// Number of locations.
    pub fn n_locations(&self) -> usize {
        self.edges.len()
    }

    /// The marks of an edge that belongs to every acceptance set.
    pub fn all_marks(&self) -> Marks {
        if self.n_sets == 0 { 0 } else { Marks::MAX >> (Marks::BITS - self.n_sets) }
    }
}
