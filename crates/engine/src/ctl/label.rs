//! The operators of branching time on sets of nodes, each in time linear in the graph (Clarke,
//! Emerson & Sistla 1986). Only existential operators are computed; the others are their duals.

use super::bits::Bits;
use super::nodes::{NodeId, Nodes};

impl Nodes {
    pub(super) fn all(&self) -> Bits {
        Bits::all(self.n_nodes())
    }

    /// Nodes that no action led to.
    pub(super) fn initial_set(&self) -> Bits {
        let mut set = Bits::none(self.n_nodes());
        for node in self.initial() {
            set.insert(node.index());
        }
        set
    }

    /// `EX`: some next node is in the set.
    pub(super) fn some_next(&self, set: &Bits) -> Bits {
        let mut found = Bits::none(self.n_nodes());
        for state in 0..self.n_states() {
            if self.after(state).iter().any(|node| set.contains(node.index())) {
                for node in self.of_state(state) {
                    found.insert(node.index());
                }
            }
        }
        found
    }

    /// `E(hold U goal)`.
    pub(super) fn some_until(&self, hold: &Bits, goal: &Bits) -> Bits {
        let mut found = goal.clone();
        let mut open: Vec<NodeId> = self.members(goal).collect();
        let mut done = Bits::none(self.n_states());
        while let Some(node) = open.pop() {
            for source in self.sources(node) {
                if done.insert(source.index()) {
                    for before in self.of_state(source.index()) {
                        if hold.contains(before.index()) && found.insert(before.index()) {
                            open.push(before);
                        }
                    }
                }
            }
        }
        found
    }

    /// `EG`: the greatest set within the given one each of whose nodes may be the last of a run or
    /// has a successor in it. A state is given up when the count of its successors reaches zero.
    pub(super) fn some_always(&self, set: &Bits) -> Bits {
        let mut found = set.clone();
        let mut counts: Vec<u32> = (0..self.n_states())
            .map(|state| {
                let after = self.after(state).iter();
                after.filter(|node| set.contains(node.index())).count() as u32
            })
            .collect();
        let is_lost = |counts: &[u32], state: usize| counts[state] == 0 && !self.may_end(state);
        let mut lost: Vec<usize> =
            (0..self.n_states()).filter(|&state| is_lost(&counts, state)).collect();
        while let Some(state) = lost.pop() {
            for node in self.of_state(state) {
                if !found.contains(node.index()) {
                    continue;
                }
                found.remove(node.index());
                for source in self.sources(node) {
                    counts[source.index()] -= 1;
                    if is_lost(&counts, source.index()) {
                        lost.push(source.index());
                    }
                }
            }
        }
        found
    }

    /// `EY`: some previous node is in the set.
    pub(super) fn some_previous(&self, set: &Bits) -> Bits {
        let mut found = Bits::none(self.n_nodes());
        let mut done = Bits::none(self.n_states());
        for node in self.members(set) {
            self.spread(node, &mut done, |next| {
                found.insert(next.index());
            });
        }
        found
    }

    /// `E(hold S goal)`.
    pub(super) fn some_since(&self, hold: &Bits, goal: &Bits) -> Bits {
        let mut found = goal.clone();
        let mut open: Vec<NodeId> = self.members(goal).collect();
        let mut done = Bits::none(self.n_states());
        while let Some(node) = open.pop() {
            self.spread(node, &mut done, |next| {
                if hold.contains(next.index()) && found.insert(next.index()) {
                    open.push(next);
                }
            });
        }
        found
    }

    /// Visits the successors of a node, unless its state was `done` before.
    fn spread(&self, node: NodeId, done: &mut Bits, mut visit: impl FnMut(NodeId)) {
        if done.insert(self.state(node).index()) {
            for &next in self.successors(node) {
                visit(next);
            }
        }
    }
}
