//! Minimal automata: states are told apart by whether they accept, by the exits through which they
//! leave a fork, and by where their letters lead. States are numbered anew, breadth-first.

use quadrille_graph::{Bisimulation, Csr, Partition, Tree, bisimulation_classes};

use super::forked_dfa::{DfaState, DfaStateId, ExitId, ForkedDfa, Letter, Target};

/// The smallest automaton with the same behaviour.
pub(crate) fn minimise(dfa: &ForkedDfa) -> ForkedDfa {
    let classes = equivalent_states(dfa);
    let members = classes.first_members();
    let mut tree = Tree::default();
    tree.root(classes.class(0));
    let mut states = Vec::new();
    while let Some(at) = tree.next() {
        let DfaState { edges, accepting } = &dfa.states[members[*tree.node(at) as usize]];
        let renumbered = edges.iter().map(|&(letter, target)| match target {
            Target::State(to) => {
                let number = tree.child(at, (), classes.class(to.index()));
                (letter, Target::State(DfaStateId(number as u32)))
            }
            Target::Leave(_) => (letter, target),
        });
        states.push(DfaState { edges: renumbered.collect(), accepting: *accepting });
    }
    ForkedDfa { states, forks: dfa.forks.clone() }
}

fn equivalent_states(dfa: &ForkedDfa) -> Partition {
    let states = dfa.states.iter();
    let edges = states.clone().enumerate().flat_map(|(from, state)| {
        state.edges.iter().map(move |&(letter, target)| (from, letter, target))
    });
    let labels = Partition::by_key(edges.clone().map(|(_, letter, _)| letter));
    let labelled = edges.zip(labels.classes()).filter_map(|((from, _, target), &label)| {
        if let Target::State(to) = target { Some((from, (label, to.0))) } else { None }
    });
    let graph = Csr::group(dfa.states.len(), labelled);
    let key = |state: &DfaState| {
        let leave = |&(letter, target): &(Letter, Target)| match target {
            Target::Leave(exit) => Some((letter, exit)),
            Target::State(_) => None,
        };
        let leaves: Vec<(Letter, ExitId)> = state.edges.iter().filter_map(leave).collect();
        (state.accepting, leaves)
    };
    bisimulation_classes(&graph, Partition::by_key(states.map(key)), Bisimulation::Strong)
}
