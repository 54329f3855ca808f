//! A space whose edges are remembered: what several locations of an automaton, and several
//! formulas, walk again and again without asking the model twice. Knows nothing of formulas.

use quadrille_model::{ActionId, GroupId, Model, StateId};
use rustc_hash::FxHashMap;

use crate::{Edge, Space};

/// Steps per chunk. A chunk never moves, so that growing copies nothing.
const CHUNK: usize = 1 << 16;
/// Bits of a list's entry that hold its length; the others hold where it starts.
const LENGTH_BITS: u32 = 24;
const UNKNOWN: u64 = u64::MAX;

/// A [`Space`] with the edges of every state that was expanded.
///
/// Checking several formulas on one graph explores the model once, and only as far as the
/// formulas need.
pub struct Graph<'m> {
    space: Space<'m>,
    /// Per state, where its steps start and how many there are.
    lists: Vec<u64>,
    chunks: Vec<Vec<Step>>,
    labels: Vec<(GroupId, ActionId)>,
    label_numbers: FxHashMap<(GroupId, ActionId), LabelId>,
    n_steps: u64,
}

/// A group and an action of it, as one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LabelId(u32);

impl LabelId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge in eight bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub label: LabelId,
    pub to: StateId,
}

impl<'m> Graph<'m> {
    /// A graph of which only the initial states are known.
    pub fn new(model: &'m dyn Model) -> Self {
        Self::from(Space::new(model))
    }

    /// The states met so far.
    pub fn space(&self) -> &Space<'m> {
        &self.space
    }

    /// Number of edges met so far.
    pub fn n_edges(&self) -> u64 {
        self.n_steps
    }

    /// Bytes allocated for states and edges.
    pub fn bytes(&self) -> usize {
        let steps: usize = self.chunks.iter().map(Vec::capacity).sum();
        self.space.bytes() + steps * size_of::<Step>() + self.lists.capacity() * size_of::<u64>()
    }

    /// All labels met so far; a [`LabelId`] is a position in this list.
    pub(super) fn labels(&self) -> &[(GroupId, ActionId)] {
        &self.labels
    }

    /// The edge that a step from anywhere stands for.
    pub(super) fn edge(&self, label: LabelId, to: StateId) -> Edge {
        let (group, action) = self.labels[label.index()];
        Edge { group, action, to }
    }

    pub(super) fn space_mut(&mut self) -> &mut Space<'m> {
        &mut self.space
    }

    /// Makes sure that the steps of a state are known.
    pub(super) fn expand(&mut self, state: StateId) {
        if self.lists.get(state.index()).is_some_and(|&list| list != UNKNOWN) {
            return;
        }
        let edges = self.space.expand(state);
        let n_edges = edges.len();
        assert!(n_edges < 1 << LENGTH_BITS, "a state with more than 2^24 edges");
        let fits = self.chunks.last().is_some_and(|last| last.capacity() - last.len() >= n_edges);
        if !fits {
            // The first chunk is small, so that a small model stays small.
            let least = if self.chunks.is_empty() { CHUNK / 64 } else { CHUNK };
            self.chunks.push(Vec::with_capacity(n_edges.max(least)));
        }
        let position = self.chunks.len() - 1;
        let chunk = &mut self.chunks[position];
        let start = (position * CHUNK + chunk.len()) as u64;
        for edge in edges {
            let next = LabelId(self.labels.len() as u32);
            let label = *self.label_numbers.entry((edge.group, edge.action)).or_insert(next);
            if label == next {
                self.labels.push((edge.group, edge.action));
            }
            chunk.push(Step { label, to: edge.to });
        }
        self.n_steps += n_edges as u64;
        if self.lists.len() < self.space.n_states() {
            self.lists.resize(self.space.n_states(), UNKNOWN);
        }
        self.lists[state.index()] = start << LENGTH_BITS | n_edges as u64;
    }

    /// The steps of a state that was expanded.
    #[inline]
    pub(super) fn steps(&self, state: StateId) -> &[Step] {
        let list = self.lists[state.index()];
        debug_assert_ne!(list, UNKNOWN, "steps of a state that was not expanded");
        let n_steps = (list & ((1 << LENGTH_BITS) - 1)) as usize;
        let start = (list >> LENGTH_BITS) as usize;
        &self.chunks[start / CHUNK][start % CHUNK..][..n_steps]
    }
}

impl<'m> From<Space<'m>> for Graph<'m> {
    fn from(space: Space<'m>) -> Self {
        Self {
            space,
            lists: Vec::new(),
            chunks: Vec::new(),
            labels: Vec::new(),
            label_numbers: FxHashMap::default(),
            n_steps: 0,
        }
    }
}
