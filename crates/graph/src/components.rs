//! Strongly connected components of a graph that is held somewhere else. The product of a model and
//! an automaton has a search of its own in the engine, on the fly.

/// The nodes of a graph by strongly connected component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    /// The component of each node. An edge never leads to a higher number.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: usize,
}

const UNSEEN: u32 = u32::MAX;

/// The components of the graph with the nodes `0..n_nodes`.
///
/// Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
pub fn components<I: Iterator<Item = usize>>(
    n_nodes: usize,
    successors: impl Fn(usize) -> I,
) -> Components {
    let mut of = vec![UNSEEN; n_nodes];
    let mut low = vec![UNSEEN; n_nodes];
    let (mut count, mut n_seen) = (0, 0);
    let mut live = Vec::new();
    let mut path: Vec<(usize, u32, I)> = Vec::new();
    for start in 0..n_nodes {
        let mut entered = (low[start] == UNSEEN).then_some(start);
        loop {
            if let Some(node) = entered.take() {
                low[node] = n_seen;
                live.push(node);
                path.push((node, n_seen, successors(node)));
                n_seen += 1;
            }
            let Some((node, number, rest)) = path.last_mut() else { break };
            let (node, number) = (*node, *number);
            if let Some(next) = rest.next() {
                if low[next] == UNSEEN {
                    entered = Some(next);
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
mod tests;
