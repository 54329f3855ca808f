//! Breadth-first search: nodes numbered in order of discovery, each with the edge that discovered
//! it. Nodes may be anything that can be hashed, so that graphs need not be built beforehand.

use std::hash::Hash;

use crate::sets::{Numbering, hash_of};

/// A breadth-first tree under construction: which nodes were met, in order, and how.
///
/// ```
/// let mut tree = quadrille_graph::Tree::default();
/// tree.root(1);
/// while let Some(at) = tree.next() {
///     let n = *tree.node(at);
///     for next in [n * 2, n * 3].into_iter().filter(|next| *next < 20) {
///         tree.child(at, next / n, next);
///     }
/// }
/// let twelve = tree.number(&12).unwrap();
/// assert_eq!(tree.path(twelve), [(2, 2), (2, 4), (3, 12)]);
/// ```
#[derive(Clone, Debug)]
pub struct Tree<N, L = ()> {
    nodes: Vec<N>,
    numbers: Numbering,
    parents: Vec<Option<(u32, L)>>,
    n_expanded: usize,
}

impl<N, L> Default for Tree<N, L> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            numbers: Numbering::default(),
            parents: Vec::new(),
            n_expanded: 0,
        }
    }
}

impl<N: Hash + Eq, L: Clone> Tree<N, L> {
    /// The number of a node where the search starts.
    pub fn root(&mut self, node: N) -> usize {
        self.meet(node, || None)
    }

    /// The number of a node that an edge leads to.
    pub fn child(&mut self, parent: usize, label: L, node: N) -> usize {
        self.meet(node, || Some((parent as u32, label)))
    }

    fn meet(&mut self, node: N, parent: impl FnOnce() -> Option<(u32, L)>) -> usize {
        let Self { nodes, numbers, parents, .. } = self;
        let hash = hash_of(&node);
        if let Some(known) = numbers.find(hash, |number| nodes[number] == node) {
            return known;
        }
        nodes.push(node);
        parents.push(parent());
        numbers.insert(hash, |number| hash_of(&nodes[number]))
    }

    /// The number of the next node whose edges were not asked for yet, in order of discovery.
    #[allow(clippy::should_implement_trait, reason = "nodes are added between two calls")]
    pub fn next(&mut self) -> Option<usize> {
        let next = Some(self.n_expanded).filter(|&next| next < self.nodes.len())?;
        self.n_expanded += 1;
        Some(next)
    }

    /// All nodes met, in order.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// The node with a number.
    pub fn node(&self, number: usize) -> &N {
        &self.nodes[number]
    }

    /// The number of a node, if it was met.
    pub fn number(&self, node: &N) -> Option<usize> {
        self.numbers.find(hash_of(node), |number| self.nodes[number] == *node)
    }

    /// The edge by which a node was discovered; a root has none.
    pub fn parent(&self, number: usize) -> Option<(usize, L)> {
        self.parents[number].clone().map(|(parent, label)| (parent as usize, label))
    }
}

impl<N: Hash + Eq + Clone, L: Clone> Tree<N, L> {
    /// A shortest path from a root: the labels of its edges and the nodes they lead to.
    pub fn path(&self, to: usize) -> Vec<(L, N)> {
        let mut path = Vec::new();
        let mut at = to;
        while let Some((parent, label)) = self.parent(at) {
            path.push((label, self.nodes[at].clone()));
            at = parent;
        }
        path.reverse();
        path
    }
}

/// A shortest path from `start` to the first edge that `is_goal`: labels and the nodes they lead to.
/// The start itself is no goal. `edges` shows all edges of a node, in an order of preference.
pub fn shortest_path<N: Hash + Eq + Clone, L: Clone, I: IntoIterator<Item = (L, N)>>(
    start: N,
    mut edges: impl FnMut(&N) -> I,
    mut is_goal: impl FnMut(&L, &N) -> bool,
) -> Option<Vec<(L, N)>> {
    let mut tree = Tree::default();
    tree.root(start);
    while let Some(at) = tree.next() {
        for (label, node) in edges(tree.node(at)) {
            if is_goal(&label, &node) {
                let mut path = tree.path(at);
                path.push((label, node));
                return Some(path);
            }
            tree.child(at, label, node);
        }
    }
    None
}

/// Which of the nodes `0..n_nodes` edges lead to from some of them, these included.
pub fn reachable<I: IntoIterator<Item = usize>>(
    n_nodes: usize,
    from: impl IntoIterator<Item = usize>,
    successors: impl Fn(usize) -> I,
) -> Vec<bool> {
    let mut reached = vec![false; n_nodes];
    let mut open: Vec<usize> = from.into_iter().collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(successors(node).into_iter().filter(|&next| !reached[next]));
        }
    }
    reached
}

#[cfg(test)]
mod tests;
