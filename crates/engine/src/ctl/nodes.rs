//! What branching time is checked on: nodes, each a state with the action that led there. The
//! successors of a node depend on its state only, and all edges into a node carry its action;
//! therefore the graph is kept as steps between states and nodes, as long as the table of edges.

use quadrille_model::{ActionId, Explicit, StateId};

use super::bits::Bits;

/// A state together with the action that led there; initial nodes have none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(u32);

impl NodeId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    fn from_usize(position: usize) -> Self {
        NodeId(u32::try_from(position).expect("no more nodes than edges and states"))
    }
}

/// The nodes of a table and how they follow one another. All states must be reachable.
pub(super) struct Nodes {
    states: Vec<StateId>,
    actions: Vec<Option<ActionId>>,
    /// Where the nodes of each state start; nodes are sorted by state.
    of_state: Vec<u32>,
    /// By state: the nodes that follow.
    out: Lists<NodeId>,
    /// By node: the states it follows on.
    sources: Lists<StateId>,
    initial: Vec<NodeId>,
    /// States in which a run may end: those without edges, and those in which the system may stop.
    ends: Bits,
}

impl Nodes {
    pub fn new(table: &Explicit) -> Self {
        let mut pairs: Vec<(StateId, Option<ActionId>)> =
            table.initial_states().iter().map(|&state| (state, None)).collect();
        for state in table.states() {
            pairs.extend(table.edges(state).iter().map(|&(action, to)| (to, Some(action))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let find = |pair| NodeId::from_usize(pairs.partition_point(|other| *other < pair));
        let mut steps: Vec<(StateId, NodeId)> = Vec::with_capacity(table.n_edges());
        for state in table.states() {
            let edges = table.edges(state).iter();
            steps.extend(edges.map(|&(action, to)| (state, find((to, Some(action))))));
        }
        steps.sort_unstable();
        steps.dedup();
        let back = steps.iter().map(|&(state, node)| (node.index(), state));
        let starts = (0..=table.n_states())
            .map(|state| pairs.partition_point(|(other, _)| other.index() < state) as u32);
        Nodes {
            of_state: starts.collect(),
            sources: Lists::new(pairs.len(), back),
            out: Lists::new(table.n_states(), steps.iter().map(|&(s, node)| (s.index(), node))),
            initial: table.initial_states().iter().map(|&state| find((state, None))).collect(),
            ends: Bits::filter(table.n_states(), |number| {
                let state = StateId::from_usize(number);
                table.is_end(state) || table.edges(state).is_empty()
            }),
            states: pairs.iter().map(|pair| pair.0).collect(),
            actions: pairs.iter().map(|pair| pair.1).collect(),
        }
    }

    pub fn n_nodes(&self) -> usize {
        self.states.len()
    }

    pub fn n_states(&self) -> usize {
        self.of_state.len() - 1
    }

    pub fn initial(&self) -> &[NodeId] {
        &self.initial
    }

    pub fn state(&self, node: NodeId) -> StateId {
        self.states[node.index()]
    }

    pub fn action(&self, node: NodeId) -> Option<ActionId> {
        self.actions[node.index()]
    }

    /// All nodes of a state.
    pub fn of_state(&self, state: usize) -> impl Iterator<Item = NodeId> + use<> {
        (self.of_state[state]..self.of_state[state + 1]).map(NodeId)
    }

    /// The nodes that follow on a state.
    pub fn after(&self, state: usize) -> &[NodeId] {
        self.out.get(state)
    }

    /// The nodes that follow on a node.
    pub fn successors(&self, node: NodeId) -> &[NodeId] {
        self.after(self.state(node).index())
    }

    /// The states that a node follows on.
    pub fn sources(&self, node: NodeId) -> &[StateId] {
        self.sources.get(node.index())
    }

    /// Whether a run may end in a state.
    pub fn may_end(&self, state: usize) -> bool {
        self.ends.contains(state)
    }

    /// The nodes that pass a test.
    pub fn filter(&self, test: impl Fn(NodeId) -> bool) -> Bits {
        Bits::filter(self.n_nodes(), |node| test(NodeId::from_usize(node)))
    }

    /// All nodes of a set.
    pub fn members<'a>(&self, set: &'a Bits) -> impl Iterator<Item = NodeId> + use<'a> {
        set.iter().map(NodeId::from_usize)
    }
}

/// A list per position, all in one vector.
struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    fn new(n_lists: usize, entries: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0u32; n_lists + 1];
        for (list, _) in entries.clone() {
            starts[list + 1] += 1;
        }
        for list in 0..n_lists {
            starts[list + 1] += starts[list];
        }
        let mut order: Vec<(usize, T)> = entries.collect();
        order.sort_by_key(|entry| entry.0);
        Lists { starts, items: order.into_iter().map(|entry| entry.1).collect() }
    }

    fn get(&self, list: usize) -> &[T] {
        &self.items[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}
