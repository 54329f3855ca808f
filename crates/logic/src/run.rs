//! Whether automata accept given words, by multiplying them with the word.

use crate::automaton::{Automaton, Letter, Location, Marks};
use quadrille_graph::components;

impl Automaton {
    /// Whether the infinite word `stem · cycle · cycle · …` is accepted.
    ///
    /// # Panics
    /// When the cycle is empty.
    pub fn accepts_lasso(&self, stem: &[Letter], cycle: &[Letter]) -> bool {
        assert!(!cycle.is_empty(), "an infinite word needs a cycle");
        let letters: Vec<Letter> = stem.iter().chain(cycle).copied().collect();
        let length = letters.len();
        let follow = |place: usize| if place + 1 == length { stem.len() } else { place + 1 };
        let node = |location: Location, place: usize| location.index() * length + place;
        let moves_of = |from: usize| -> Vec<(usize, Marks)> {
            let (location, place) = (from / length, from % length);
            let taken =
                self.edges[location].iter().filter(|edge| edge.label.accepts(letters[place]));
            taken.map(|edge| (node(edge.to, follow(place)), edge.marks)).collect()
        };
        let n_nodes = self.n_locations() * length;
        let moves: Vec<_> = (0..n_nodes).map(moves_of).collect();
        let parts = components(n_nodes, |from| moves[from].iter().map(|step| step.0));
        let mut marks = vec![None; parts.count];
        let mut reached = vec![false; n_nodes];
        let mut open: Vec<usize> = self.initial.iter().map(|&start| node(start, 0)).collect();
        while let Some(from) = open.pop() {
            if std::mem::replace(&mut reached[from], true) {
                continue;
            }
            for &(to, marked) in &moves[from] {
                open.push(to);
                if parts.of[from] == parts.of[to] {
                    *marks[parts.of[from] as usize].get_or_insert(0) |= marked;
                }
            }
        }
        marks.contains(&Some(self.all_marks()))
    }
}
