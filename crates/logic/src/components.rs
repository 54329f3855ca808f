//! Strongly connected components of automata (Tarjan 1972, without recursion).

use crate::automaton::{Automaton, Marks};

/// A partition into strongly connected components, numbered so that edges never lead to a higher
/// number.
pub(crate) struct Components {
    /// The component of each node.
    pub(crate) of: Vec<usize>,
    pub(crate) count: usize,
}

impl Components {
    /// Per component, the marks that occur on its own edges; `None` where it has no edge.
    pub(crate) fn marks(&self, automaton: &Automaton) -> Vec<Option<Marks>> {
        let mut marks = vec![None; self.count];
        for (from, edges) in automaton.edges.iter().enumerate() {
            for edge in edges {
                let component = self.of[from];
                if component == self.of[edge.to.index()] {
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

/// The components of the graph with nodes `0..n_nodes`.
pub(crate) fn components(n_nodes: usize, successors: impl Fn(usize) -> Vec<usize>) -> Components {
    const UNSEEN: usize = usize::MAX;
    let mut order = vec![UNSEEN; n_nodes];
    let mut low = vec![0; n_nodes];
    let mut of = vec![UNSEEN; n_nodes];
    let (mut n_seen, mut count) = (0, 0);
    let mut path: Vec<usize> = Vec::new();
    for root in 0..n_nodes {
        if order[root] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                order[node] = n_seen;
                low[node] = n_seen;
                n_seen += 1;
                path.push(node);
                calls.push((node, successors(node)));
            }
            let Some((node, rest)) = calls.last_mut() else { break };
            let node = *node;
            match rest.pop() {
                Some(next) if order[next] == UNSEEN => entering = Some(next),
                Some(next) => {
                    if of[next] == UNSEEN {
                        low[node] = low[node].min(order[next]);
                    }
                }
                None => {
                    calls.pop();
                    if let Some((parent, _)) = calls.last() {
                        low[*parent] = low[*parent].min(low[node]);
                    }
                    if low[node] == order[node] {
                        while let Some(member) = path.pop() {
                            of[member] = count;
                            if member == node {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    Components { of, count }
}
