//! Automata made ready for the nested search: one acceptance set, and what each strongly
//! connected component of the automaton promises about cycles inside it. Knows no model.

use quadrille_logic::{Automaton, Edge, Location, Marks};

use super::scc::components;

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
    pub component: Vec<usize>,
    /// Whether some cycles of a location's component are accepting and others are not.
    pub mixed: Vec<bool>,
}

impl Buchi {
    /// Degeneralises an automaton and classifies its components.
    pub fn new(generalised: &Automaton) -> Self {
        let mut automaton = degeneralised(generalised);
        let component = components(&successors(&automaton, |_| true));
        for (location, edges) in automaton.edges.iter_mut().enumerate() {
            for edge in edges {
                if component[location] != component[edge.to.index()] {
                    edge.marks = 0;
                }
            }
        }
        let n_components = component.iter().map(|component| component + 1).max().unwrap_or(0);
        let accepting =
            components_with(&automaton, &component, n_components, |edge| edge.marks == ACCEPTING);
        let rejecting = {
            let unmarked = components(&successors(&automaton, |edge| edge.marks == 0));
            let mut found = vec![false; n_components];
            for (location, edge) in all_edges(&automaton) {
                let closes = unmarked[location] == unmarked[edge.to.index()];
                found[component[location]] |= closes && edge.marks == 0;
            }
            found
        };
        for (location, edges) in automaton.edges.iter_mut().enumerate() {
            let home = component[location];
            for edge in edges.iter_mut().filter(|edge| component[edge.to.index()] == home) {
                if accepting[home] && !rejecting[home] {
                    edge.marks = ACCEPTING;
                }
            }
        }
        let mixed = component.iter().map(|&home| accepting[home] && rejecting[home]).collect();
        Self { automaton, component, mixed }
    }
}

/// Which components have an inner edge with a property.
fn components_with(
    automaton: &Automaton,
    component: &[usize],
    n_components: usize,
    property: impl Fn(&Edge) -> bool,
) -> Vec<bool> {
    let mut found = vec![false; n_components];
    for (location, edge) in all_edges(automaton) {
        let inner = component[location] == component[edge.to.index()];
        found[component[location]] |= inner && property(edge);
    }
    found
}

fn all_edges(automaton: &Automaton) -> impl Iterator<Item = (usize, &Edge)> {
    let locations = automaton.edges.iter().enumerate();
    locations.flat_map(|(location, edges)| edges.iter().map(move |edge| (location, edge)))
}

/// The automaton as a graph, with the edges that a filter keeps.
pub(super) fn successors(automaton: &Automaton, keep: impl Fn(&Edge) -> bool) -> Vec<Vec<usize>> {
    let targets = |edges: &Vec<Edge>| {
        edges.iter().filter(|edge| keep(edge)).map(|edge| edge.to.index()).collect()
    };
    automaton.edges.iter().map(targets).collect()
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
