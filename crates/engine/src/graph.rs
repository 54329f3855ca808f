//! The states and edges of a model that were met: what a walk leaves behind, and what formulas are
//! checked on. A state is expanded once if its edges are kept. Knows no search order and no formula.

use quadrille_model::{ActionId, Bound, Counts, GroupId, Model, StateId, TaskId};
use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::limits::{Progress, Watch};
use crate::space::Round;
use crate::workers::Workers;
use crate::{Edge, Space, Stopped};

/// Steps per chunk. A chunk never moves, so that growing copies nothing.
const CHUNK: usize = 1 << 16;
/// Bits of a list's entry that hold its length; the others hold where it starts.
const LENGTH_BITS: u32 = 24;
const UNKNOWN: u64 = u64::MAX;

/// A graph that does not keep edges remembers those of this many states: what is read was loaded just
/// before, and some are asked for again soon.
const RECENT: usize = 1 << 10;

/// A [`Space`] with what is known of the states that were expanded.
///
/// Checking several formulas on one graph explores the model once, and only as far as the
/// formulas need.
pub struct Graph<'m> {
    space: Space<'m>,
    expanded: Bits,
    n_expanded: u64,
    transitions: u64,
    deadlocks: u64,
    /// Per state, where its kept steps start and how many there are.
    lists: Vec<u64>,
    chunks: Vec<Vec<Step>>,
    /// Steps of some states whose steps are not kept, each at a place that follows from its number.
    recent: Vec<Recent>,
    /// Steps that there is room for in `recent`.
    recent_steps: usize,
    labels: Vec<(GroupId, ActionId)>,
    label_numbers: FxHashMap<(GroupId, ActionId), LabelId>,
    /// Per action, a label of it: most actions belong to one group.
    by_action: Vec<LabelId>,
}

/// Whether the edges of a state that is expanded are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// They are, in eight bytes each.
    Edges,
    /// They are not: the model is asked again where they are needed again.
    Nothing,
}

/// A group and an action of it, as one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LabelId(u32);

impl LabelId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge in eight bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub label: LabelId,
    pub to: StateId,
}

/// The kept steps of a graph, for several threads.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'g> {
    lists: &'g [u64],
    chunks: &'g [Vec<Step>],
}

impl<'g> Kept<'g> {
    /// The steps of a state, which were kept.
    #[inline]
    pub fn steps(self, state: StateId) -> &'g [Step] {
        match place_of(self.lists[state.index()]) {
            None | Some((_, 0)) => &[],
            Some((start, n_steps)) => &self.chunks[start / CHUNK][start % CHUNK..][..n_steps],
        }
    }
}

/// Where a list of kept steps starts and how many there are.
#[inline]
fn place_of(list: u64) -> Option<(usize, usize)> {
    let n_steps = (list & ((1 << LENGTH_BITS) - 1)) as usize;
    (list != UNKNOWN).then_some(((list >> LENGTH_BITS) as usize, n_steps))
}

#[derive(Clone, Default)]
struct Recent {
    state: Option<StateId>,
    steps: Vec<Step>,
}

impl<'m> Graph<'m> {
    /// A graph of which only the initial states are known.
    pub fn new(model: &'m dyn Model) -> Self {
        Self {
            space: Space::new(model),
            expanded: Bits::none(0),
            n_expanded: 0,
            transitions: 0,
            deadlocks: 0,
            lists: Vec::new(),
            chunks: Vec::new(),
            recent: Vec::new(),
            recent_steps: 0,
            labels: Vec::new(),
            label_numbers: FxHashMap::default(),
            by_action: Vec::new(),
        }
    }

    /// The states met so far.
    pub fn space(&self) -> &Space<'m> {
        &self.space
    }

    /// Whether every state that was met is expanded.
    pub fn is_complete(&self) -> bool {
        self.n_expanded == self.space.n_states() as u64
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        Counts {
            states: self.space.n_states() as u64,
            transitions: self.transitions,
            deadlocks: self.deadlocks,
            depth: None,
            bytes: self.bytes() as u64,
        }
    }

    /// Bytes allocated for states and edges.
    pub fn bytes(&self) -> usize {
        let last = self.chunks.last().map_or(0, Vec::capacity);
        let steps = self.chunks.len().saturating_sub(1) * CHUNK + last;
        self.space.bytes()
            + steps * size_of::<Step>()
            + self.lists.capacity() * size_of::<u64>()
            + self.expanded.bytes()
            + self.recent.capacity() * size_of::<Recent>()
            + self.recent_steps * size_of::<Step>()
    }

    /// How many states were expanded.
    pub(crate) fn n_expanded(&self) -> u64 {
        self.n_expanded
    }

    pub(crate) fn space_mut(&mut self) -> &mut Space<'m> {
        &mut self.space
    }

    /// All labels met so far; a [`LabelId`] is a position in this list.
    pub(crate) fn labels(&self) -> &[(GroupId, ActionId)] {
        &self.labels
    }

    /// The task that a label's group belongs to.
    pub(crate) fn task(&self, label: LabelId) -> TaskId {
        let (group, _) = self.labels[label.index()];
        self.space.model().signature().groups[group.index()].task
    }

    /// The edge that a step stands for.
    pub(crate) fn edge(&self, label: LabelId, to: StateId) -> Edge {
        let (group, action) = self.labels[label.index()];
        Edge { group, action, to }
    }

    /// Expands a state that may have been expanded before and says whether it is a deadlock. The
    /// edges are those of [`Space::edges`].
    #[inline]
    pub(crate) fn expand(
        &mut self,
        state: StateId,
        keep: Keep,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        self.space.expand_within(state, watch)?;
        let mut deadlock = false;
        if self.expanded.insert_growing(state.index(), self.space.n_states()) {
            deadlock = self.space.edges().is_empty() && !self.space.may_end(state)?;
            self.count(deadlock);
        }
        if keep == Keep::Edges {
            self.keep(state);
        }
        Ok(deadlock)
    }

    /// Takes the expansion of a state that was not expanded before from a round.
    pub(crate) fn adopt(
        &mut self,
        state: StateId,
        keep: Keep,
        round: &mut Round,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        let deadlock = self.space.adopt(round, watch.most_states())?;
        self.expanded.insert_growing(state.index(), self.space.n_states());
        self.count(deadlock);
        if keep == Keep::Edges {
            self.keep(state);
        }
        Ok(deadlock)
    }

    /// Counts the state that was expanded last.
    fn count(&mut self, deadlock: bool) {
        self.n_expanded += 1;
        self.transitions += self.space.edges().len() as u64;
        self.deadlocks += u64::from(deadlock);
    }

    /// Computes the expansions that follow, from a state on, as far as that can be done.
    pub(crate) fn prepare(
        &self,
        first: u32,
        round: &mut Round,
        workers: Workers,
        watch: &mut Watch<'_>,
    ) -> Result<(), Bound> {
        let per_state = self.transitions / self.n_expanded.max(1) + 1;
        let n_waiting = self.space.n_states() - first as usize;
        round.compute(&self.space, first, n_waiting, per_state as usize, workers, watch)
    }

    /// Ends a round.
    pub(crate) fn settle(&mut self, round: &mut Round, workers: Workers) {
        self.space.settle(round, workers);
    }

    /// Makes a state the one that was expanded last, without its edges.
    pub(crate) fn view(&mut self, state: StateId) {
        self.space.view(state);
    }

    /// Expands everything that is not expanded yet or whose edges were not kept; in rounds where nothing
    /// is expanded yet.
    pub(crate) fn complete(
        &mut self,
        workers: Workers,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        let mut round = Round::default();
        let completed = self.complete_in(&mut round, workers, watch);
        self.settle(&mut round, workers);
        completed
    }

    fn complete_in(
        &mut self,
        round: &mut Round,
        workers: Workers,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        let has_rounds = self.n_expanded == 0 && self.space.model().allows_workers();
        let mut next = 0;
        while next < self.space.n_states() {
            let (state, n_waiting) = (StateId::from_usize(next), self.space.n_states() - next);
            if has_rounds && !round.holds(state.number()) {
                self.settle(round, workers);
                if workers.suit(n_waiting) {
                    self.prepare(state.number(), round, workers, watch)?;
                }
            }
            match round.holds(state.number()) {
                true => self.adopt(state, Keep::Edges, round, watch).map(|_| ()),
                false => self.load(state, Keep::Edges, watch),
            }?;
            next += 1;
            watch.check(self.space.n_states(), || Progress {
                states: self.space.n_states() as u64,
                transitions: self.transitions,
                depth: None,
                frontier: self.space.n_states() as u64 - self.n_expanded,
                bytes: self.bytes() as u64,
            })?;
        }
        Ok(())
    }

    /// Makes sure that the steps of a state can be read: asks the model, unless they were kept or
    /// are remembered.
    #[inline]
    pub(crate) fn load(
        &mut self,
        state: StateId,
        keep: Keep,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        if self.list(state).is_some() {
            return Ok(());
        }
        if keep == Keep::Edges {
            self.expand(state, keep, watch)?;
            return Ok(());
        }
        if self.recent.is_empty() {
            self.recent = vec![Recent::default(); RECENT];
        }
        let place = self.recent_place(state);
        if self.recent[place].state == Some(state) {
            return Ok(());
        }
        self.expand(state, keep, watch)?;
        let mut steps = std::mem::take(&mut self.recent[place].steps);
        self.recent_steps -= steps.capacity();
        steps.clear();
        for position in 0..self.space.edges().len() {
            let edge = self.space.edges()[position];
            steps.push(Step { label: self.label(edge), to: edge.to });
        }
        self.recent_steps += steps.capacity();
        self.recent[place] = Recent { state: Some(state), steps };
        Ok(())
    }

    /// The steps of all states, which were kept.
    pub(crate) fn kept(&self) -> Kept<'_> {
        Kept { lists: &self.lists, chunks: &self.chunks }
    }

    /// The steps of a state that was loaded: by now kept, or the last one at its place.
    #[inline]
    pub(crate) fn steps(&self, state: StateId) -> &[Step] {
        match self.list(state) {
            Some((_, 0)) => &[],
            Some((start, n_steps)) => &self.chunks[start / CHUNK][start % CHUNK..][..n_steps],
            None => {
                let recent = &self.recent[self.recent_place(state)];
                debug_assert_eq!(recent.state, Some(state), "steps of a state that was not loaded");
                &recent.steps
            }
        }
    }

    #[inline]
    fn recent_place(&self, state: StateId) -> usize {
        state.index() % RECENT
    }

    /// Where the kept steps of a state start and how many there are.
    #[inline]
    fn list(&self, state: StateId) -> Option<(usize, usize)> {
        place_of(*self.lists.get(state.index())?)
    }

    /// Keeps the edges of the state expanded last.
    fn keep(&mut self, state: StateId) {
        let n_edges = self.space.edges().len();
        assert!(n_edges < 1 << LENGTH_BITS, "a state with more than 2^24 edges");
        if self.lists.len() < self.space.n_states() {
            self.lists.resize(self.space.n_states(), UNKNOWN);
        }
        // A list without steps lies nowhere: the place after the last chunk does not exist.
        let mut start = 0;
        if n_edges > 0 {
            let fits = self
                .chunks
                .last()
                .is_some_and(|last| last.len() < CHUNK && last.capacity() - last.len() >= n_edges);
            if !fits {
                // The first chunk is small, so that a small model stays small.
                let least = if self.chunks.is_empty() { CHUNK / 64 } else { CHUNK };
                self.chunks.push(Vec::with_capacity(n_edges.max(least)));
            }
            let position = self.chunks.len() - 1;
            start = position * CHUNK + self.chunks[position].len();
            for edge in 0..n_edges {
                let edge = self.space.edges()[edge];
                let label = self.label(edge);
                self.chunks[position].push(Step { label, to: edge.to });
            }
        }
        self.lists[state.index()] = (start as u64) << LENGTH_BITS | n_edges as u64;
    }

    #[inline]
    fn label(&mut self, edge: Edge) -> LabelId {
        let wanted = (edge.group, edge.action);
        if let Some(&label) = self.by_action.get(edge.action.index())
            && self.labels.get(label.index()) == Some(&wanted)
        {
            return label;
        }
        let next = LabelId(self.labels.len() as u32);
        let label = *self.label_numbers.entry(wanted).or_insert(next);
        if label == next {
            self.labels.push(wanted);
        }
        if self.by_action.len() <= edge.action.index() {
            self.by_action.resize(edge.action.index() + 1, next);
        }
        self.by_action[edge.action.index()] = label;
        label
    }
}
