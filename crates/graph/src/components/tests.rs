//! Components against mutual reachability; deep graphs.

use quadrille_workshop::check;
use quadrille_workshop::graphs::graph;

use super::*;
use crate::naive::closure;

#[test]
fn components_are_the_classes_of_mutual_reachability_in_reverse_topological_order() {
    let mut n_interesting = 0;
    check(1_000, |choices| {
        let graph = graph(choices, 12);
        let found = components(graph.len(), |node| graph[node].iter().map(|edge| edge.1));
        let reach = closure(&graph);
        let pairs = (0..graph.len()).flat_map(|from| (0..graph.len()).map(move |to| (from, to)));
        for (from, to) in pairs {
            let mutual = reach[from][to] && reach[to][from];
            assert_eq!(found.of[from] == found.of[to], mutual);
            assert!(!reach[from][to] || found.of[to] <= found.of[from]);
        }
        let highest = found.of.iter().max().map_or(0, |&highest| highest as usize + 1);
        assert_eq!(found.count, highest);
        n_interesting += usize::from(found.count > 1 && found.count < graph.len());
    });
    assert!(n_interesting > 300, "{n_interesting}");
}

#[test]
fn a_long_chain_does_not_overflow_the_stack() {
    let found = components(200_000, |node| node.checked_sub(1).into_iter());
    assert_eq!((found.of[199_999], found.count), (199_999, 200_000));
}
