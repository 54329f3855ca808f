//! The operators of branching time on sets of nodes, each in time linear in the graph (Clarke,
//! Emerson & Sistla 1986). Only existential operators are computed; the others are their duals.

use quadrille_model::{Bound, StateId};

use super::nodes::{NodeId, Nodes};
use crate::bits::Bits;
use crate::limits::Watch;

impl Nodes<'_, '_> {
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
    pub(super) fn some_next(&self, set: &Bits, watch: &mut Watch<'_>) -> Result<Bits, Bound> {
        let mut found = Bits::none(self.n_nodes());
        for state in self.states() {
            if self.after(state).any(|node| set.contains(node.index())) {
                for node in self.of_state(state) {
                    found.insert(node.index());
                }
            }
            watch.work(self.graph.steps(state).len(), || self.bytes() + 2 * found.bytes())?;
        }
        Ok(found)
    }

    /// `E(hold U goal)`.
    pub(super) fn some_until(
        &self,
        hold: &Bits,
        goal: &Bits,
        watch: &mut Watch<'_>,
    ) -> Result<Bits, Bound> {
        let mut found = goal.clone();
        let mut done = Bits::none(self.n_states());
        // The goal is looked at piece by piece: what follows from a part of it is mostly the rest.
        let mut open: Vec<NodeId> = Vec::new();
        for node in self.members(goal) {
            open.push(node);
            while let Some(node) = open.pop() {
                for &source in self.sources(node) {
                    if done.insert(source.index()) {
                        for before in self.of_state(source) {
                            if hold.contains(before.index()) && found.insert(before.index()) {
                                open.push(before);
                            }
                        }
                    }
                }
                watch.work(1 + self.sources(node).len(), || {
                    self.bytes() + 3 * found.bytes() + open.capacity() * size_of::<NodeId>()
                })?;
            }
        }
        Ok(found)
    }

    /// `EG`: the greatest set within the given one each of whose nodes may be the last of a run or
    /// has a successor in it. A state is given up when the count of its successors reaches zero.
    pub(super) fn some_always(&self, set: &Bits, watch: &mut Watch<'_>) -> Result<Bits, Bound> {
        let mut found = set.clone();
        let mut counts: Vec<u32> = Vec::with_capacity(self.n_states());
        let mut lost: Vec<StateId> = Vec::new();
        let set_bytes = 2 * set.bytes();
        let own = |lost: &Vec<StateId>| {
            self.bytes() + set_bytes + 4 * (self.n_states() + lost.capacity())
        };
        for state in self.states() {
            let count = self.after(state).filter(|node| set.contains(node.index())).count() as u32;
            counts.push(count);
            if count == 0 && !self.may_end(state) {
                lost.push(state);
            }
            watch.work(self.graph.steps(state).len(), || own(&lost))?;
        }
        while let Some(state) = lost.pop() {
            for node in self.of_state(state) {
                if !found.contains(node.index()) {
                    continue;
                }
                found.remove(node.index());
                for &source in self.sources(node) {
                    let count = &mut counts[source.index()];
                    *count -= 1;
                    if *count == 0 && !self.may_end(source) {
                        lost.push(source);
                    }
                }
                watch.work(1 + self.sources(node).len(), || own(&lost))?;
            }
        }
        Ok(found)
    }

    /// `EY`: some previous node is in the set.
    pub(super) fn some_previous(&self, set: &Bits, watch: &mut Watch<'_>) -> Result<Bits, Bound> {
        let mut found = Bits::none(self.n_nodes());
        for state in self.states() {
            if self.of_state(state).any(|node| set.contains(node.index())) {
                for next in self.after(state) {
                    found.insert(next.index());
                }
            }
            watch.work(self.graph.steps(state).len(), || self.bytes() + 2 * found.bytes())?;
        }
        Ok(found)
    }

    /// `E(hold S goal)`.
    pub(super) fn some_since(
        &self,
        hold: &Bits,
        goal: &Bits,
        watch: &mut Watch<'_>,
    ) -> Result<Bits, Bound> {
        let mut found = goal.clone();
        let mut done = Bits::none(self.n_states());
        let mut open: Vec<StateId> = Vec::new();
        for state in self.states() {
            if self.of_state(state).any(|node| goal.contains(node.index()))
                && done.insert(state.index())
            {
                open.push(state);
            }
            while let Some(state) = open.pop() {
                for &step in self.graph.steps(state) {
                    let next = self.target(step).index();
                    // The successors of a node are those of its state: once is enough.
                    if hold.contains(next) && found.insert(next) && done.insert(step.to.index()) {
                        open.push(step.to);
                    }
                }
                watch.work(1 + self.graph.steps(state).len(), || {
                    self.bytes() + 3 * found.bytes() + open.capacity() * size_of::<StateId>()
                })?;
            }
        }
        Ok(found)
    }
}
