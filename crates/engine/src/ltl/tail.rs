//! What follows the last step of a run: the letter of the state it ends in, without action, once in a
//! finite word and for ever otherwise. Whether an automaton accepts it depends on that letter and the
//! location only, so ended runs need no nodes of their own in the product.

use quadrille_graph::Components;
use quadrille_logic::{Automaton, Edge, Letter};

/// The locations from which one letter leads to a final one.
pub(crate) fn accepts_last(automaton: &Automaton, finals: &[bool], letter: Letter) -> Vec<bool> {
    let accepts = |edge: &Edge| edge.label.accepts(letter) && finals[edge.to.index()];
    automaton.edges.iter().map(|edges| edges.iter().any(accepts)).collect()
}

/// The locations from which the automaton accepts one letter repeated for ever.
pub fn accepts_for_ever(automaton: &Automaton, letter: Letter) -> Vec<bool> {
    let open = |edge: &Edge| edge.label.accepts(letter);
    let Components { of, count } = automaton.components_where(|_, edge| open(edge));
    let home = |location: usize| of[location] as usize;
    // The marks inside each component, if it has a cycle.
    let mut inside = vec![None; count];
    for (location, edges) in automaton.edges.iter().enumerate() {
        for edge in edges.iter().filter(|edge| open(edge)) {
            if of[edge.to.index()] == of[location] {
                *inside[home(location)].get_or_insert(0) |= edge.marks;
            }
        }
    }
    let mut accepting: Vec<bool> =
        inside.into_iter().map(|marks| marks == Some(automaton.all_marks())).collect();
    // Edges never lead to higher components: in this order, what a location reaches is settled.
    let mut order: Vec<usize> = (0..automaton.n_locations()).collect();
    order.sort_unstable_by_key(|&location| of[location]);
    for location in order {
        let mut edges = automaton.edges[location].iter().filter(|edge| open(edge));
        accepting[home(location)] |= edges.any(|edge| accepting[home(edge.to.index())]);
    }
    (0..automaton.n_locations()).map(|location| accepting[home(location)]).collect()
}

#[cfg(test)]
mod tests;
