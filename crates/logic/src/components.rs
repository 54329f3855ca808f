//! Strongly connected components of a graph that is held somewhere else: an automaton, the internal
//! steps of a table. The product of model and automaton has a search of its own, on the fly.

use crate::automaton::{Automaton, Marks};

/// The nodes of a graph by strongly connected component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    /// The component of each node. An edge never leads to a higher number.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: usize,
}

impl Components {
    /// Per component, the marks that occur on its own edges; `None` where it has no edge.
    pub(crate) fn marks(&self, automaton: &Automaton) -> Vec<Option<Marks>> {
        let mut marks = vec![None; self.count];
        for (from, edges) in automaton.edges.iter().enumerate() {
            for edge in edges {
                let component = self.of[from] as usize;
                if self.of[from] == self.of[edge.to.index()] {
                    *marks[component].get_or_insert(0) |= edge.marks;
                }
            }
        }
        marks
    }

    /// Per component, whether some run that stays in it is accepting.
    pub(crate) fn accepting(&self, automaton: &Automaton) -> Vec<bool> {
        let all = automaton.all_marks();
        self.marks(automaton).into_iter().map(|marks| marks == Some(all)).collect()
    }
}

const UNSEEN: u32 = u32::MAX;

/// The components of the graph with the nodes `0..n_nodes`, where `successor(node, position)` is the
/// end of the edge at a position in the node's list, or `None` behind the last.
///
/// Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
pub fn components(n_nodes: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Components {
    let mut of = vec![UNSEEN; n_nodes];
    let mut low = vec![UNSEEN; n_nodes];
    let (mut count, mut n_seen) = (0, 0);
    let mut live = Vec::new();
    let mut path: Vec<(usize, u32, usize)> = Vec::new();
    for start in 0..n_nodes {
        if low[start] != UNSEEN {
            continue;
        }
        path.push((start, n_seen, 0));
        while let Some((node, number, position)) = path.last_mut() {
            let (node, number) = (*node, *number);
            if *position == 0 {
                low[node] = number;
                n_seen += 1;
                live.push(node);
            }
            if let Some(next) = successor(node, *position) {
                *position += 1;
                if low[next] == UNSEEN {
                    path.push((next, n_seen, 0));
                } else if of[next] == UNSEEN {
                    low[node] = low[node].min(low[next]);
                }
                continue;
            }
            path.pop();
            if low[node] == number {
                while let Some(member) = live.pop() {
                    of[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
            if let Some((parent, _, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    Components { of, count: count as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_in_reverse_topological_order() {
        let graph = [vec![1], vec![2, 0], vec![3], vec![2, 3], vec![0]];
        let found = components(graph.len(), |node, position| graph[node].get(position).copied());
        assert_eq!((found.of, found.count), (vec![1, 1, 0, 0, 2], 3));
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let found = components(200_000, |node, position| match position {
            0 => node.checked_sub(1),
            _ => None,
        });
        assert_eq!((found.of[199_999], found.count), (199_999, 200_000));
    }
}
