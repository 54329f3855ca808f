//! Minimal automata: states are told apart by whether they accept, by the exits through which they
//! leave a fork, and by where their letters lead. States are numbered anew, breadth-first.

use quadrille_graph::{Bisimulation, Csr, Partition, Tree, bisimulation_classes};

use super::piece::{ExitId, Letter, Local, Piece, State, Target};

/// The smallest piece with the same behaviour.
pub(crate) fn minimise(piece: &Piece) -> Piece {
    let classes = equivalent_states(piece);
    let members = classes.first_members();
    let mut tree = Tree::default();
    tree.root(classes.class(0));
    let mut states = Vec::new();
    while let Some(at) = tree.next() {
        let State { edges, accepting } = &piece.states[members[*tree.node(at) as usize]];
        let renumbered = edges.iter().map(|&(letter, target)| match target {
            Target::State(to) => {
                let number = tree.child(at, (), classes.class(to.index()));
                (letter, Target::State(Local(number as u32)))
            }
            Target::Leave(_) => (letter, target),
        });
        states.push(State { edges: renumbered.collect(), accepting: *accepting });
    }
    Piece { states, forks: piece.forks.clone() }
}

fn equivalent_states(piece: &Piece) -> Partition {
    let states = piece.states.iter();
    let edges = states.clone().enumerate().flat_map(|(from, state)| {
        state.edges.iter().map(move |&(letter, target)| (from, letter, target))
    });
    let labels = Partition::by_key(edges.clone().map(|(_, letter, _)| letter));
    let labelled = edges.zip(labels.classes()).filter_map(|((from, _, target), &label)| {
        if let Target::State(to) = target { Some((from, (label, to.0))) } else { None }
    });
    let graph = Csr::group(piece.states.len(), labelled);
    let key = |state: &State| {
        let leave = |&(letter, target): &(Letter, Target)| match target {
            Target::Leave(exit) => Some((letter, exit)),
            Target::State(_) => None,
        };
        let leaves: Vec<(Letter, ExitId)> = state.edges.iter().filter_map(leave).collect();
        (state.accepting, leaves)
    };
    bisimulation_classes(&graph, Partition::by_key(states.map(key)), Bisimulation::Strong)
}
