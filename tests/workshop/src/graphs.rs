//! Random graphs with labels on their edges.

use crate::Choices;

/// The edges of each node, labels below 3; at least one node, at most two edges per node on average.
pub fn graph(choices: &mut Choices, max_nodes: usize) -> Vec<Vec<(u32, usize)>> {
    let n_nodes = 1 + choices.below(max_nodes);
    let mut graph = vec![Vec::new(); n_nodes];
    for _ in 0..choices.below(2 * n_nodes + 1) {
        let from = choices.below(n_nodes);
        graph[from].push((choices.below_u32(3), choices.below(n_nodes)));
    }
    graph
}
