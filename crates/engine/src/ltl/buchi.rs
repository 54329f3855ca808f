//! Automata made ready for the nested search: one acceptance set, and what each strongly
//! connected component of the automaton promises about cycles inside it. Knows no model.

use quadrille_logic::{Automaton, Edge, Location, Marks};

use crate::scc::{Components, components};

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
        let mut automaton = degeneralised(generalised);
        let Components { of: component, count } = components_of(&automaton, |_| true);
        let mut accepting = vec![false; count];
        for (location, edge) in all_edges(&mut automaton) {
            if component[location] == component[edge.to.index()] {
                accepting[component[location] as usize] |= edge.marks == ACCEPTING;
            } else {
                edge.marks = 0;
            }
        }
        let unmarked = components_of(&automaton, |edge| edge.marks == 0).of;
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

/// The components of an automaton of which only some edges are kept.
pub(super) fn components_of(automaton: &Automaton, keep: impl Fn(&Edge) -> bool) -> Components {
    components(automaton.n_locations(), |location, position| {
        let mut kept = automaton.edges[location].iter().filter(|edge| keep(edge));
        kept.nth(position).map(|edge| edge.to.index())
    })
}

/// The same language with one acceptance set: copies of the automaton that wait for one set each,
/// skipping ahead over all sets that one edge belongs to.
fn degeneralised(automaton: &Automaton) -> Automaton {
    if automaton.n_sets == 1 {
        return automaton.clone();
    }
    let n_sets = automaton.n_sets;
    let mut copies: Vec<(Location, u32)> = Vec::new();
    let mut number = rustc_hash::FxHashMap::default();
    let mut copy_of = |copies: &mut Vec<(Location, u32)>, location, waiting_for| {
        *number.entry((location, waiting_for)).or_insert_with(|| {
            copies.push((location, waiting_for));
            Location(copies.len() as u32 - 1)
        })
    };
    let starts = automaton.initial.iter();
    let initial = starts.map(|&location| copy_of(&mut copies, location, 0)).collect();
    let mut edges = Vec::new();
    while let Some(&(location, waiting_for)) = copies.get(edges.len()) {
        let leaving = automaton.edges[location.index()].iter().map(|edge| {
            let mut next = waiting_for;
            while next < n_sets && edge.marks >> next & 1 == 1 {
                next += 1;
            }
            let complete = next == n_sets;
            if complete {
                // A full round is over; the same edge may begin the next one.
                next = 0;
                while waiting_for != 0 && next < waiting_for && edge.marks >> next & 1 == 1 {
                    next += 1;
                }
            }
            let marks = if complete { ACCEPTING } else { 0 };
            Edge { label: edge.label, marks, to: copy_of(&mut copies, edge.to, next) }
        });
        let leaving = leaving.collect();
        edges.push(leaving);
    }
    Automaton { initial, edges, n_sets: 1 }
}
