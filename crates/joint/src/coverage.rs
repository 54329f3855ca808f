//! Which states were visited and which followed which: how much of a program a run has reached, and whether more running is likely to
//! reach more. Does not know what a state is; that is a vector of small numbers.

use std::fmt;

use quadrille_graph::{Csr, components};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// A state that was visited, in the order of first visits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct NodeId(pub u32);

/// A point of the growth curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Growth {
    /// Steps so far.
    pub steps: u64,
    /// Different states so far.
    pub states: usize,
    /// Different pairs of neighbours so far.
    pub pairs: usize,
}

/// Visited states and neighbouring pairs.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    ids: FxHashMap<Box<[u32]>, NodeId>,
    nodes: Vec<Box<[u32]>>,
    pairs: FxHashSet<(NodeId, NodeId)>,
    current: Option<NodeId>,
    steps: u64,
    /// The step that showed something new last.
    last_news: u64,
    curve: Vec<Growth>,
}

impl Coverage {
    /// Nothing visited yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A new run begins: its first state follows none.
    pub fn begin(&mut self) {
        self.current = None;
    }

    /// The run is in this state now. Says which one it is. Staying where it was is no pair.
    pub fn visit(&mut self, state: &[u32]) -> NodeId {
        self.steps += 1;
        let mut is_news = false;
        let id = self.ids.get(state).copied().unwrap_or_else(|| {
            is_news = true;
            let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 states"));
            self.ids.insert(state.into(), id);
            self.nodes.push(state.into());
            id
        });
        if let Some(previous) = self.current.replace(id)
            && previous != id
        {
            is_news |= self.pairs.insert((previous, id));
        }
        if is_news {
            self.last_news = self.steps;
        }
        // A logarithmic scale: growth slows down like the logarithm, so that this shows it with few points.
        if self.steps.is_power_of_two() {
            self.curve.push(self.growth());
        }
        id
    }

    /// How much there is now.
    #[must_use]
    pub fn growth(&self) -> Growth {
        Growth { steps: self.steps, states: self.nodes.len(), pairs: self.pairs.len() }
    }

    /// How it came to that: after 1, 2, 4, 8 … steps, and now.
    #[must_use]
    pub fn curve(&self) -> Vec<Growth> {
        let mut curve = self.curve.clone();
        if curve.last() != Some(&self.growth()) {
            curve.push(self.growth());
        }
        curve
    }

    /// The stop condition: whether the last `steps` steps showed nothing new.
    #[must_use]
    pub fn is_saturated(&self, steps: u64) -> bool {
        self.steps - self.last_news >= steps
    }

    /// A visited state.
    #[must_use]
    pub fn state(&self, id: NodeId) -> &[u32] {
        &self.nodes[id.0 as usize]
    }

    /// Which visited state this is.
    #[must_use]
    pub fn find(&self, state: &[u32]) -> Option<NodeId> {
        self.ids.get(state).copied()
    }

    /// All visited states, in the order of first visits.
    pub fn states(&self) -> impl Iterator<Item = &[u32]> {
        self.nodes.iter().map(|state| &**state)
    }

    /// All pairs of neighbours, in order.
    #[must_use]
    pub fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let mut pairs: Vec<_> = self.pairs.iter().copied().collect();
        pairs.sort_unstable();
        pairs
    }

    /// The states on a cycle of visited pairs. Where states leave out some of the data, such a cycle need not be one of the program.
    #[must_use]
    pub fn recurrent(&self) -> Vec<NodeId> {
        let pairs: Vec<(usize, usize)> =
            self.pairs().into_iter().map(|(from, to)| (from.0 as usize, to.0 as usize)).collect();
        on_cycles(self.nodes.len(), &pairs).into_iter().map(|index| NodeId(index as u32)).collect()
    }
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

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Growth { steps, states, pairs } = self.growth();
        writeln!(
            f,
            "{states} states and {pairs} pairs in {steps} steps, nothing new in the last {}",
            steps - self.last_news
        )?;
        for Growth { steps, states, pairs } in self.curve() {
            writeln!(f, "{steps:>12} steps {states:>8} states {pairs:>8} pairs")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
