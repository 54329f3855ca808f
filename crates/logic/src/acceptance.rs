//! Fewer acceptance sets: a run stays in one strongly connected component in the end, so each
//! component can be looked at alone, and sets of different components can share a number.

use quadrille_graph::Components;

use crate::automaton::{Automaton, Edge, Location, Marks, all_marks};

/// Drops acceptance sets that some other set makes superfluous.
pub(crate) fn simplify(automaton: &mut Automaton) {
    let parts = automaton.components();
    let accepting = automaton.accepting_components(&parts);
    let has_edge: Vec<bool> =
        automaton.component_marks(&parts).iter().map(Option::is_some).collect();
    let needed: Vec<Vec<u32>> = (0..parts.count)
        .map(|part| if accepting[part] { needed(automaton, &parts, part) } else { Vec::new() })
        .collect();
    let rejects = (0..parts.count).any(|part| has_edge[part] && !accepting[part]);
    let n_sets = needed.iter().map(Vec::len).max().unwrap_or(0).max(usize::from(rejects)) as u32;
    for from in 0..automaton.n_locations() {
        let part = parts.of[from] as usize;
        for edge in &mut automaton.edges[from] {
            let inside = parts.of[from] == parts.of[edge.to.index()];
            edge.marks = if inside && accepting[part] {
                renumbered(edge.marks, &needed[part], n_sets)
            } else {
                0
            };
        }
    }
    automaton.n_sets = n_sets;
}

/// Gives all edges between components the same marks: they are passed finitely often, so any will
/// do, and which ones suit the simulation differs.
pub(crate) fn mark_transient(automaton: &mut Automaton, marks: Marks) {
    let parts = automaton.components();
    for (from, edges) in automaton.edges.iter_mut().enumerate() {
        for edge in edges {
            if parts.of[from] != parts.of[edge.to.index()] {
                edge.marks = marks;
            }
        }
    }
}

/// The marks with `needed[i]` as set `i`, and every set beyond on all edges.
fn renumbered(marks: Marks, needed: &[u32], n_sets: u32) -> Marks {
    let kept = needed.iter().enumerate().filter(|(_, set)| marks >> **set & 1 == 1);
    let kept = kept.fold(0, |kept, (new, _)| kept | 1 << new);
    kept | (all_marks(n_sets) & !all_marks(needed.len() as u32))
}

/// The sets that matter in an accepting component.
fn needed(automaton: &Automaton, parts: &Components, part: usize) -> Vec<u32> {
    let mut inside: Vec<Marks> = Vec::new();
    for (from, edges) in
        automaton.edges.iter().enumerate().filter(|(at, _)| parts.of[*at] as usize == part)
    {
        let own = edges.iter().filter(|edge| parts.of[edge.to.index()] == parts.of[from]);
        inside.extend(own.map(|edge| edge.marks));
    }
    let missed: Vec<u32> =
        (0..automaton.n_sets).filter(|&set| can_avoid(automaton, parts, part, set)).collect();
    let contains = |outer: u32, inner: u32| {
        inside.iter().all(|marks| marks >> inner & 1 == 0 || marks >> outer & 1 == 1)
    };
    let superfluous = |&set: &u32| {
        missed.iter().any(|&other| {
            other != set && contains(set, other) && (!contains(other, set) || other < set)
        })
    };
    missed.iter().copied().filter(|set| !superfluous(set)).collect()
}

/// Whether some cycle of a component has no edge of a set.
fn can_avoid(automaton: &Automaton, parts: &Components, part: usize, set: u32) -> bool {
    let part_of = |location: Location| parts.of[location.index()] as usize;
    let without = |from: Location, edge: &Edge| {
        edge.marks >> set & 1 == 0 && part_of(from) == part && part_of(edge.to) == part
    };
    let rest = automaton.components_where(without).of;
    automaton.edges.iter().enumerate().any(|(from, edges)| {
        let closes = |edge: &Edge| {
            without(Location(from as u32), edge) && rest[from] == rest[edge.to.index()]
        };
        edges.iter().any(closes)
    })
}
