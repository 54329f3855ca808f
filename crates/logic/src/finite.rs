//! Automata over finite words, for runs that end.

use crate::automaton::{Edge, Letter, Location};

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
