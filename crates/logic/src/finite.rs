//! Automata over finite words, for runs that end; and how to read them on infinite words.

use crate::automaton::{Automaton, Cube, Edge, Letter, Location, MAX_ATOMS};
use crate::formula::AtomId;

/// An automaton over finite words: a word is accepted when a run over it ends in a final location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FiniteAutomaton {
    /// Where runs start.
    pub initial: Vec<Location>,
    /// Edges by location; they carry no marks.
    pub edges: Vec<Vec<Edge>>,
    /// Per location, whether the word may end there.
    pub is_final: Vec<bool>,
}

impl FiniteAutomaton {
    /// The automaton over infinite words that accepts `w · 0 · 0 · …` for every accepted `w`, where
    /// the letters of `w` have the atom `alive` and the empty letters behind them do not.
    ///
    /// This is how an engine for infinite words checks finite ones: it sets `alive` in every step
    /// of a run and, once the run has ended properly, repeats the letter without any atom.
    ///
    /// # Panics
    /// When `alive` is not a bit of a letter.
    pub fn padded(&self, alive: AtomId) -> Automaton {
        assert!(alive.index() < MAX_ATOMS, "no bit is left for the atom of life");
        let alive = 1 << alive.index();
        let end = Location(self.edges.len() as u32);
        let dead = Cube { positive: 0, negative: alive };
        let mut edges = self.edges.clone();
        for (edges, &is_final) in edges.iter_mut().zip(&self.is_final) {
            for edge in edges.iter_mut() {
                edge.label.positive |= alive;
            }
            if is_final {
                edges.push(Edge { label: dead, marks: 0, to: end });
            }
        }
        edges.push(vec![Edge { label: dead, marks: 1, to: end }]);
        Automaton { initial: self.initial.clone(), edges, n_sets: 1 }
    }

    /// Whether a finite word is accepted.
    pub fn accepts(&self, letters: &[Letter]) -> bool {
        let mut places = vec![false; self.edges.len()];
        for start in &self.initial {
            places[start.index()] = true;
        }
        for &letter in letters {
            let mut next = vec![false; self.edges.len()];
            for (from, _) in places.iter().enumerate().filter(|(_, here)| **here) {
                for edge in self.edges[from].iter().filter(|edge| edge.label.accepts(letter)) {
                    next[edge.to.index()] = true;
                }
            }
            places = next;
        }
        places.iter().zip(&self.is_final).any(|(here, last)| *here && *last)
    }
}
