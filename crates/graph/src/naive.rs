//! What the algorithms are tested against.

/// Which nodes paths of any length lead to, by Warshall's algorithm.
pub(crate) fn closure(graph: &[Vec<(u32, usize)>]) -> Vec<Vec<bool>> {
    let n_nodes = graph.len();
    let mut reach = vec![vec![false; n_nodes]; n_nodes];
    for (from, edges) in graph.iter().enumerate() {
        reach[from][from] = true;
        for &(_, to) in edges {
            reach[from][to] = true;
        }
    }
    for via in 0..n_nodes {
        for from in 0..n_nodes {
            for to in 0..n_nodes {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}
