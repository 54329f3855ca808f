//! Whether steps that a formula does not see can change its truth: only formulas on which they cannot
//! may be checked on a model of which steps were left out.

use crate::automaton::{Automaton, Cube, Edge, Letter, Location, Marks};
use crate::formula::Formula;
use crate::translate::{TranslationError, translate};

/// Most edges of an automaton closed under stuttering.
const MAX_EDGES: usize = 20_000;

impl Formula {
    /// Whether the truth of a linear formula is the same on any two runs that differ only in how
    /// often steps with the same letter repeat. Exact; quick where [`Formula::is_next_free`].
    ///
    /// This is what steps do that no atom sees where all atoms are about states; where some are about
    /// actions, see [`Formula::ignores_unseen_steps`].
    pub fn is_stutter_invariant(&self) -> Result<bool, TranslationError> {
        self.ignores_unseen_steps(0)
    }

    /// Whether the truth of a linear formula is the same on any two runs that differ only in steps
    /// that no atom sees: in which no atom about actions is true, and behind which the atoms about
    /// states are what they were. `actions` are the atoms about actions. Exact.
    ///
    /// Not every formula without `X` does: `a U b`, about actions, is true of *a a b* and false of
    /// *a, something else, a, b* (the *interruptible* properties of Siegel and Yan, CAV 2020).
    ///
    /// The formula and its negation are translated, both are made to accept what is left when such
    /// steps are removed, and a common word is looked for (as Michaud and Duret-Lutz, SPIN 2015, do
    /// for repetitions).
    pub fn ignores_unseen_steps(&self, actions: Letter) -> Result<bool, TranslationError> {
        if self.is_next_free() && self.letter() & actions == 0 {
            return Ok(true);
        }
        let with = closed(translate(self)?, actions)?;
        let without = closed(translate(&!self.clone())?, actions)?;
        Ok(with.and(&without).is_empty())
    }

    /// The atoms that occur; those beyond the last that a letter has count as all.
    fn letter(&self) -> Letter {
        let own = match self {
            Formula::Atom(atom) => 1u64.checked_shl(atom.index() as u32).unwrap_or(Letter::MAX),
            _ => 0,
        };
        self.operands().into_iter().fold(own, |letter, operand| letter | operand.letter())
    }
}

/// Adds an edge for every two of which the first can read a step that no atom sees, and the second the
/// step behind it.
fn closed(automaton: Automaton, actions: Letter) -> Result<Automaton, TranslationError> {
    let unseen = |label: Cube| {
        let Cube { positive, negative } = label;
        (positive & actions == 0).then_some(Cube { positive, negative: negative & !actions })
    };
    let mut edges = automaton.edges;
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..edges.len() {
            let mut at = 0;
            while at < edges[from].len() {
                let first = edges[from][at];
                at += 1;
                let Some(state) = unseen(first.label) else { continue };
                for second in edges[first.to.index()].clone() {
                    if let Some(label) = state.and(second.label) {
                        let marks = first.marks | second.marks;
                        changed |= insert(&mut edges[from], Edge { label, marks, to: second.to });
                    }
                }
            }
        }
        if edges.iter().map(Vec::len).sum::<usize>() > MAX_EDGES {
            return Err(TranslationError::TooLarge);
        }
    }
    Ok(Automaton { edges, ..automaton })
}

/// Adds an edge unless one that is as good is there.
fn insert(edges: &mut Vec<Edge>, edge: Edge) -> bool {
    let as_good = |known: &Edge| {
        known.to == edge.to && edge.label.implies(known.label) && edge.marks & !known.marks == 0
    };
    let new = !edges.iter().any(as_good);
    if new {
        edges.push(edge);
    }
    new
}

impl Automaton {
    /// The automaton that accepts what both accept.
    #[must_use]
    pub fn and(&self, other: &Automaton) -> Automaton {
        if self.n_sets + other.n_sets > Marks::BITS {
            return self.degeneralise().and(&other.degeneralise());
        }
        let width = other.n_locations();
        let pair = |a: Location, b: Location| Location((a.index() * width + b.index()) as u32);
        let mut edges = Vec::with_capacity(self.n_locations() * width);
        for left in &self.edges {
            for right in &other.edges {
                let both = left.iter().flat_map(|a| {
                    right.iter().filter_map(move |b| {
                        let label = a.label.and(b.label)?;
                        let marks = a.marks | b.marks << self.n_sets.min(Marks::BITS - 1);
                        Some(Edge { label, marks, to: pair(a.to, b.to) })
                    })
                });
                edges.push(both.collect());
            }
        }
        let starts =
            self.initial.iter().flat_map(|&a| other.initial.iter().map(move |&b| pair(a, b)));
        Automaton { initial: starts.collect(), edges, n_sets: self.n_sets + other.n_sets }
    }
}
