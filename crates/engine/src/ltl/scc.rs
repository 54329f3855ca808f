//! Strongly connected components of a small graph held in memory (an automaton, a word times an
//! automaton). The product of model and automaton has its own search, on the fly.

/// The component of each node of the graph with nodes `0..successors.len()`. Components are
/// numbered in reverse topological order: an edge never leads to a higher number.
///
/// Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
pub(super) fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let n_nodes = successors.len();
    let mut component = vec![UNSEEN; n_nodes];
    let mut low = vec![UNSEEN; n_nodes];
    let (mut n_components, mut n_seen) = (0, 0);
    let (mut live, mut path) = (Vec::new(), Vec::new());
    for start in 0..n_nodes {
        if low[start] != UNSEEN {
            continue;
        }
        path.push((start, n_seen, 0));
        while let Some((node, number, edge)) = path.last_mut() {
            let (node, number) = (*node, *number);
            if *edge == 0 {
                low[node] = number;
                n_seen += 1;
                live.push(node);
            }
            if let Some(&next) = successors[node].get(*edge) {
                *edge += 1;
                if low[next] == UNSEEN {
                    path.push((next, n_seen, 0));
                } else if component[next] == UNSEEN {
                    low[node] = low[node].min(low[next]);
                }
                continue;
            }
            path.pop();
            if low[node] == number {
                while let Some(member) = live.pop() {
                    component[member] = n_components;
                    if member == node {
                        break;
                    }
                }
                n_components += 1;
            }
            if let Some((parent, _, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_in_reverse_topological_order() {
        let graph = vec![vec![1], vec![2, 0], vec![3], vec![2, 3], vec![0]];
        assert_eq!(components(&graph), [1, 1, 0, 0, 2]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let graph: Vec<Vec<usize>> =
            (0..200_000).map(|node| if node == 0 { vec![] } else { vec![node - 1] }).collect();
        assert_eq!(components(&graph)[199_999], 199_999);
    }
}
