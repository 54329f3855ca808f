//! Accepted tails.

use quadrille_logic::{Cube, Location};

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
