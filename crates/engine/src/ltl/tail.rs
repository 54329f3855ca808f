//! What follows the end of a run: silence, the same letter for ever. Whether an automaton accepts
//! it depends on that letter and the location only, so ended runs need no nodes of their own in the
//! product.

use quadrille_logic::{Automaton, Letter};

use super::buchi::successors;
use super::scc::components;

/// The locations from which the automaton accepts one letter repeated for ever.
pub(super) fn accepts_for_ever(automaton: &Automaton, letter: Letter) -> Vec<bool> {
    let graph = successors(automaton, |edge| edge.label.accepts(letter));
    let component = components(&graph);
    let n_components = component.iter().map(|component| component + 1).max().unwrap_or(0);
    let mut has_cycle = vec![false; n_components];
    let mut marks = vec![0; n_components];
    for (location, edges) in automaton.edges.iter().enumerate() {
        let home = component[location];
        for edge in edges.iter().filter(|edge| edge.label.accepts(letter)) {
            if component[edge.to.index()] == home {
                has_cycle[home] = true;
                marks[home] |= edge.marks;
            }
        }
    }
    // Components are in reverse topological order: successors are settled first.
    let mut accepting: Vec<bool> = (0..n_components)
        .map(|home| has_cycle[home] && marks[home] == automaton.all_marks())
        .collect();
    let mut order: Vec<usize> = (0..graph.len()).collect();
    order.sort_unstable_by_key(|&location| component[location]);
    for location in order {
        let reaches = graph[location].iter().any(|&next| accepting[component[next]]);
        accepting[component[location]] |= reaches;
    }
    component.iter().map(|&home| accepting[home]).collect()
}

#[cfg(test)]
mod tests {
    use quadrille_logic::{Cube, Edge, Location};

    use super::*;

    #[test]
    fn a_tail_is_accepted_where_a_cycle_with_every_mark_can_be_reached() {
        let atom = Cube { positive: 1, negative: 0 };
        let edge = |label, marks, to| Edge { label, marks, to: Location(to) };
        let automaton = Automaton {
            initial: vec![Location(0)],
            edges: vec![
                vec![edge(Cube::TRUE, 0, 0), edge(atom, 0, 1)],
                vec![edge(Cube::TRUE, 1, 2)],
                vec![edge(Cube::TRUE, 2, 1)],
                vec![edge(Cube::TRUE, 1, 3)],
            ],
            n_sets: 2,
        };
        assert_eq!(accepts_for_ever(&automaton, 1), [true, true, true, false]);
        assert_eq!(accepts_for_ever(&automaton, 0), [false, true, true, false]);
    }
}
