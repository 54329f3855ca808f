//! Automata made ready for the nested search: one acceptance set, and what each strongly
//! connected component of the automaton promises about cycles inside it. Knows no model.

use quadrille_graph::Components;
use quadrille_logic::{Automaton, Edge, Marks};

/// The mark of the only acceptance set.
pub(super) const ACCEPTING: Marks = 1;

/// An automaton with one acceptance set, its marks on edges inside components only.
///
/// A cycle of the product stays inside one component of the automaton, so marks on edges between
/// components say nothing; and where a component has no cycle without a mark (it is *weak*),
/// every cycle is accepting and one depth-first search finds it
/// (Černá and Pelánek, "Distributed explicit fair cycle detection", SPIN 2003).
pub(super) struct Buchi {
    /// The automaton with at most one set.
    pub automaton: Automaton,
    /// The component of each location.
    pub component: Vec<u32>,
    /// Whether some cycles of a location's component are accepting and others are not.
    pub mixed: Vec<bool>,
}

impl Buchi {
    /// Degeneralises an automaton and classifies its components.
    pub fn new(generalised: &Automaton) -> Self {
        let mut automaton = generalised.degeneralise();
        let Components { of: component, count } = automaton.components_where(|_, _| true);
        let mut accepting = vec![false; count];
        for (location, edge) in all_edges(&mut automaton) {
            if component[location] == component[edge.to.index()] {
                accepting[component[location] as usize] |= edge.marks == ACCEPTING;
            } else {
                edge.marks = 0;
            }
        }
        let unmarked = automaton.components_where(|_, edge| edge.marks == 0).of;
        let mut rejecting = vec![false; count];
        for (location, edge) in all_edges(&mut automaton) {
            let closes = edge.marks == 0 && unmarked[location] == unmarked[edge.to.index()];
            rejecting[component[location] as usize] |= closes;
        }
        for (location, edge) in all_edges(&mut automaton) {
            let home = component[location] as usize;
            let inside = component[location] == component[edge.to.index()];
            if inside && accepting[home] && !rejecting[home] {
                edge.marks = ACCEPTING;
            }
        }
        let is_mixed = |&home: &u32| accepting[home as usize] && rejecting[home as usize];
        Self { mixed: component.iter().map(is_mixed).collect(), automaton, component }
    }
}

fn all_edges(automaton: &mut Automaton) -> impl Iterator<Item = (usize, &mut Edge)> {
    let locations = automaton.edges.iter_mut().enumerate();
    locations.flat_map(|(location, edges)| edges.iter_mut().map(move |edge| (location, edge)))
}
