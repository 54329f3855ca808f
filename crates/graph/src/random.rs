//! Seeded random graphs for the tests of this crate.

/// Xorshift (Marsaglia 2003).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// A graph with labels below 3 on its edges.
    pub(crate) fn graph(&mut self, max_nodes: usize) -> Vec<Vec<(u32, usize)>> {
        let n_nodes = 1 + self.below(max_nodes);
        let mut graph = vec![Vec::new(); n_nodes];
        for _ in 0..self.below(2 * n_nodes + 1) {
            let from = self.below(n_nodes);
            graph[from].push((self.below(3) as u32, self.below(n_nodes)));
        }
        graph
    }
}

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
