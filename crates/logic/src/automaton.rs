//! Generalised Büchi automata with labels and acceptance on edges: what a formula becomes and
//! what the engine multiplies with a model. Reads no formula and no file.

use quadrille_graph::{Components, components, reachable};

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

    /// The letters that satisfy both, if there are any.
    pub const fn and(self, other: Cube) -> Option<Cube> {
        let positive = self.positive | other.positive;
        let negative = self.negative | other.negative;
        if positive & negative == 0 { Some(Cube { positive, negative }) } else { None }
    }

    /// Whether every letter of `self` satisfies `other`.
    pub const fn implies(self, other: Cube) -> bool {
        self.positive & other.positive == other.positive
            && self.negative & other.negative == other.negative
    }

    /// Whether every letter of `self` is known to satisfy one of the others. The question is as hard
    /// as any; after a bounded effort the answer is no.
    pub(crate) fn is_covered_by(self, others: &[Cube]) -> bool {
        const EFFORT: usize = 1_000;
        self.covered(others, &mut { EFFORT })
    }

    fn covered(self, others: &[Cube], effort: &mut usize) -> bool {
        let meeting: Vec<Cube> =
            others.iter().copied().filter(|&other| self.and(other).is_some()).collect();
        if meeting.iter().any(|&other| self.implies(other)) {
            return true;
        }
        let support = self.positive | self.negative;
        let extra = |other: &Cube| (other.positive | other.negative) & !support;
        // Each meets one letter in 2^n of `self`: too little altogether cannot cover it.
        let share = |other: &Cube| 1u128 << (Letter::BITS - extra(other).count_ones());
        let Some(first) = meeting.first() else { return false };
        if meeting.iter().map(share).sum::<u128>() < 1 << Letter::BITS || *effort == 0 {
            return false;
        }
        *effort -= 1;
        let free = extra(first);
        let bit = free & free.wrapping_neg();
        let halves = [
            Cube { positive: self.positive | bit, ..self },
            Cube { negative: self.negative | bit, ..self },
        ];
        halves.into_iter().all(|half| half.covered(&meeting, effort))
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
        all_marks(self.n_sets)
    }

    /// Number of edges.
    pub fn n_edges(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The automaton that accepts every word.
    pub fn anything() -> Self {
        let stay = Edge { label: Cube::TRUE, marks: 0, to: Location(0) };
        Self { initial: vec![Location(0)], edges: vec![vec![stay]], n_sets: 0 }
    }

    /// The automaton that accepts nothing: one location, no edge.
    pub(crate) fn nothing() -> Self {
        Self { initial: vec![Location(0)], edges: vec![Vec::new()], n_sets: 0 }
    }

    /// Strongly connected components.
    pub(crate) fn components(&self) -> Components {
        self.components_where(|_, _| true)
    }

    /// Strongly connected components where only some edges are kept.
    pub fn components_where(&self, keep: impl Fn(Location, &Edge) -> bool) -> Components {
        let keep = &keep;
        components(self.n_locations(), |from| {
            let kept = move |edge: &&Edge| keep(Location(from as u32), edge);
            self.edges[from].iter().filter(kept).map(|edge| edge.to.index())
        })
    }

    /// Per component, the marks that occur on its own edges; `None` where it has no edge.
    pub(crate) fn component_marks(&self, components: &Components) -> Vec<Option<Marks>> {
        let mut marks = vec![None; components.count];
        for (from, edges) in self.edges.iter().enumerate() {
            let component = components.of[from];
            for edge in edges.iter().filter(|edge| components.of[edge.to.index()] == component) {
                *marks[component as usize].get_or_insert(0) |= edge.marks;
            }
        }
        marks
    }

    /// Per component, whether some run that stays in it is accepting.
    pub(crate) fn accepting_components(&self, components: &Components) -> Vec<bool> {
        let marks = self.component_marks(components).into_iter();
        marks.map(|marks| marks == Some(self.all_marks())).collect()
    }

    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        let components = self.components();
        let accepting = self.accepting_components(&components);
        let reached = self.reached();
        (0..self.n_locations()).all(|at| !(reached[at] && accepting[components.of[at] as usize]))
    }

    /// Which locations runs pass.
    pub(crate) fn reached(&self) -> Vec<bool> {
        let start = self.initial.iter().map(|location| location.index());
        reachable(self.n_locations(), start, |at| self.edges[at].iter().map(|edge| edge.to.index()))
    }
}

/// The marks of an edge that belongs to each of `n_sets` sets.
pub(crate) fn all_marks(n_sets: u32) -> Marks {
    if n_sets == 0 { 0 } else { Marks::MAX >> (Marks::BITS - n_sets) }
}
