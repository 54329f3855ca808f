//! Which states were visited and which followed which: how much of a program executions have reached,
//! and whether more of them are likely to reach more. Does not know what a state is; that is a vector
//! of small numbers.

use std::collections::hash_map::Entry;
use std::fmt;

use rustc_hash::FxHashMap;

mod positions;

pub use positions::Positions;

/// A state that was visited, in the order of first visits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A point of the growth curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// The states, with the step that visited them first.
    nodes: Vec<(Box<[u32]>, u64)>,
    /// The same of pairs.
    pairs: FxHashMap<(NodeId, NodeId), u64>,
    current: Option<NodeId>,
    steps: u64,
    /// The step that showed something new last.
    last_news: u64,
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
        let id = self.enter(state, self.steps);
        if let Some(previous) = self.current.replace(id)
            && previous != id
        {
            self.follow((previous, id), self.steps);
        }
        id
    }

    fn enter(&mut self, state: &[u32], step: u64) -> NodeId {
        if let Some(&known) = self.ids.get(state) {
            return known;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 states"));
        self.ids.insert(state.into(), id);
        self.nodes.push((state.into(), step));
        self.last_news = step;
        id
    }

    fn follow(&mut self, pair: (NodeId, NodeId), step: u64) {
        if let Entry::Vacant(vacant) = self.pairs.entry(pair) {
            vacant.insert(step);
            self.last_news = self.last_news.max(step);
        }
    }

    /// Adds the first `steps` steps of other runs, as if they had been visited here.
    pub fn append(&mut self, other: &Coverage, steps: u64) {
        let steps = steps.min(other.steps);
        let mut ids = Vec::new();
        for (state, step) in other.nodes.iter().take_while(|(_, step)| *step <= steps) {
            ids.push(self.enter(state, self.steps + step));
        }
        let mut pairs: Vec<_> = other.pairs.iter().map(|(&pair, &step)| (step, pair)).collect();
        pairs.sort_unstable();
        for (step, (from, to)) in pairs.into_iter().take_while(|(step, _)| *step <= steps) {
            self.follow((ids[from.0 as usize], ids[to.0 as usize]), self.steps + step);
        }
        self.steps += steps;
        self.current = None;
    }

    /// How much there is now.
    #[must_use]
    pub fn growth(&self) -> Growth {
        Growth { steps: self.steps, states: self.nodes.len(), pairs: self.pairs.len() }
    }

    /// How it came to that: after 1, 2, 4, 8 … steps, and now. Growth slows down like the logarithm, so
    /// that this shows it with few points.
    #[must_use]
    pub fn curve(&self) -> Vec<Growth> {
        let mut pairs: Vec<u64> = self.pairs.values().copied().collect();
        pairs.sort_unstable();
        let powers = (0..u64::BITS).map(|power| 1 << power).take_while(|&steps| steps < self.steps);
        let points = powers.chain((self.steps > 0).then_some(self.steps));
        let at = |steps: u64| Growth {
            steps,
            states: self.nodes.partition_point(|(_, first)| *first <= steps),
            pairs: pairs.partition_point(|first| *first <= steps),
        };
        points.map(at).collect()
    }

    /// The stop condition: whether the last `steps` steps showed nothing new.
    #[must_use]
    pub fn is_saturated(&self, steps: u64) -> bool {
        self.steps - self.last_news >= steps
    }

    /// A visited state.
    #[must_use]
    pub fn state(&self, id: NodeId) -> &[u32] {
        &self.nodes[id.0 as usize].0
    }

    /// Which visited state this is.
    #[must_use]
    pub fn find(&self, state: &[u32]) -> Option<NodeId> {
        self.ids.get(state).copied()
    }

    /// All visited states, in the order of first visits.
    pub fn states(&self) -> impl Iterator<Item = &[u32]> {
        self.nodes.iter().map(|(state, _)| &**state)
    }

    /// All pairs of neighbours, in order.
    #[must_use]
    pub fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let mut pairs: Vec<_> = self.pairs.keys().copied().collect();
        pairs.sort_unstable();
        pairs
    }
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
