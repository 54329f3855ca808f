//! Which visited states a program can come back to.

use quadrille_graph::{Csr, components};
pub use quadrille_sim::coverage::{Coverage, Growth, NodeId};

/// The states on a cycle of visited pairs. Where states leave out some of the data, such a cycle need
/// not be one of the program.
#[must_use]
pub fn recurrent(coverage: &Coverage) -> Vec<NodeId> {
    let pairs: Vec<(usize, usize)> =
        coverage.pairs().into_iter().map(|(from, to)| (from.0 as usize, to.0 as usize)).collect();
    let nodes = on_cycles(coverage.growth().states, &pairs);
    nodes.into_iter().map(|index| NodeId(index as u32)).collect()
}

/// The nodes of a graph that lie on a cycle of at least two nodes, in order.
pub(crate) fn on_cycles(n: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let successors = Csr::group(n, pairs.iter().copied());
    let components = components(n, |node| successors.row(node).iter().copied());
    let mut sizes = vec![0; components.count];
    for &component in &components.of {
        sizes[component as usize] += 1;
    }
    (0..n).filter(|&node| sizes[components.of[node] as usize] > 1).collect()
}

#[cfg(test)]
mod tests;
