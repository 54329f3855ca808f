//! The complement of a deterministic automaton: a word is accepted where its only run ends, or passes some
//! acceptance set finitely often. Which set that is, and from when on, is guessed.

use crate::automaton::{Automaton, Cube, Edge, Letter, Location};

/// Most conjunctions that the rest of a location's labels may become.
const MAX_CUBES: usize = 4_096;

impl Automaton {
    /// Whether every word has at most one run.
    pub fn is_deterministic(&self) -> bool {
        let differ = |edges: &[Edge]| {
            let mut pairs = edges
                .iter()
                .enumerate()
                .flat_map(|(position, one)| edges[..position].iter().map(move |two| (one, two)));
            // One label may be written as several that overlap.
            pairs.all(|(one, two)| {
                (one.to, one.marks) == (two.to, two.marks) || one.label.and(two.label).is_none()
            })
        };
        self.initial.len() <= 1 && self.edges.iter().all(|edges| differ(edges))
    }

    /// The automaton that accepts exactly the other words; `None` unless this one is deterministic and its
    /// labels are not too complicated.
    pub fn complement(&self) -> Option<Automaton> {
        if !self.is_deterministic() {
            return None;
        }
        let n_locations = self.n_locations();
        let sink = Location(u32::try_from(n_locations * (self.n_sets as usize + 1)).ok()?);
        let copy = |location: Location, number: usize| {
            Location((location.index() + n_locations * number) as u32)
        };
        let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(sink.index() + 1);
        for own in &self.edges {
            let mut follow = Vec::new();
            for edge in own {
                follow.push(Edge { marks: 0, ..*edge });
                for set in 0..self.n_sets as usize {
                    follow.push(Edge { marks: 0, to: copy(edge.to, set + 1), ..*edge });
                }
            }
            let ends = rest(own)?.into_iter().map(|label| Edge { label, marks: 0, to: sink });
            follow.extend(ends);
            edges.push(follow);
        }
        // In copy `i + 1`, set `i` is not passed any more.
        for set in 0..self.n_sets as usize {
            for own in &self.edges {
                let kept = own.iter().filter(|edge| edge.marks >> set & 1 == 0);
                let to_copy = |edge: &Edge| Edge { marks: 1, to: copy(edge.to, set + 1), ..*edge };
                edges.push(kept.map(to_copy).collect());
            }
        }
        edges.push(vec![Edge { label: Cube::TRUE, marks: 1, to: sink }]);
        let initial = if self.initial.is_empty() { vec![sink] } else { self.initial.clone() };
        Some(Automaton { initial, edges, n_sets: 1 })
    }
}

/// The letters that no edge accepts.
fn rest(edges: &[Edge]) -> Option<Vec<Cube>> {
    let mut pieces = vec![Cube::TRUE];
    for edge in edges {
        let mut next = Vec::new();
        for piece in pieces {
            subtract(piece, edge.label, &mut next);
        }
        if next.len() > MAX_CUBES {
            return None;
        }
        pieces = next;
    }
    Some(pieces)
}

/// Appends the letters of one cube that another does not accept, as disjoint cubes.
fn subtract(from: Cube, cube: Cube, out: &mut Vec<Cube>) {
    if from.and(cube).is_none() {
        return out.push(from);
    }
    let mut common = from;
    for atom in 0..Letter::BITS {
        let bit = 1 << atom;
        if cube.positive & bit & !common.positive != 0 {
            out.push(Cube { negative: common.negative | bit, ..common });
            common.positive |= bit;
        }
        if cube.negative & bit & !common.negative != 0 {
            out.push(Cube { positive: common.positive | bit, ..common });
            common.negative |= bit;
        }
    }
}
