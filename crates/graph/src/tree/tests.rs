//! Breadth-first trees against the transitive closure.

use quadrille_workshop::check;
use quadrille_workshop::graphs::graph;

use super::*;
use crate::naive::closure;

/// Lengths of shortest paths from node 0 (Bellman and Ford).
fn distances(graph: &[Vec<(u32, usize)>]) -> Vec<Option<usize>> {
    let mut distances = vec![None; graph.len()];
    distances[0] = Some(0);
    for _ in graph {
        for (from, edges) in graph.iter().enumerate() {
            let Some(far) = distances[from] else { continue };
            for &(_, to) in edges {
                let known = distances[to].unwrap_or(usize::MAX);
                distances[to] = Some(known.min(far + 1));
            }
        }
    }
    distances
}

#[test]
fn paths_are_paths_and_shortest() {
    check(500, |choices| {
        let graph = graph(choices, 15);
        let distances = distances(&graph);
        for (goal, &distance) in distances.iter().enumerate().skip(1) {
            let path = shortest_path(0, |&n| graph[n].iter().copied(), |_, to| *to == goal);
            assert_eq!(path.as_ref().map(Vec::len), distance);
            let mut at = 0;
            for (label, to) in path.unwrap_or_default() {
                assert!(graph[at].contains(&(label, to)));
                at = to;
            }
        }
    });
}

#[test]
fn nodes_are_numbered_in_order_of_their_distance() {
    check(200, |choices| {
        let graph = graph(choices, 15);
        let mut tree = Tree::default();
        tree.root(0);
        while let Some(at) = tree.next() {
            for &(label, to) in &graph[*tree.node(at)] {
                tree.child(at, label, to);
            }
        }
        let distances = distances(&graph);
        assert!(tree.nodes().is_sorted_by_key(|&node| distances[node]));
        let n_reached = distances.iter().flatten().count();
        assert_eq!(tree.nodes().len(), n_reached);
        for (number, node) in tree.nodes().iter().enumerate() {
            assert_eq!(tree.number(node), Some(number));
        }
    });
}

#[test]
fn reachable_is_the_transitive_closure() {
    check(300, |choices| {
        let graph = graph(choices, 12);
        for (from, expected) in closure(&graph).into_iter().enumerate() {
            let found =
                reachable(graph.len(), [from], |node| graph[node].iter().map(|edge| edge.1));
            assert_eq!(found, expected);
        }
    });
}
