//! A transition system held as a table: what files give, what other engines compare, and the
//! oracle's favourite input. Knows nothing of the file formats.

use crate::{
    Action, ActionId, Change, Domain, Effect, Explorer, Flow, Group, GroupId, Guard, GuardId,
    Model, Problem, Proposition, PropositionId, Signature, Slot, SlotId, StateId, Successors,
    TaskId, Value, ValueSet,
};

/// A transition system as data. States are numbered from 0; each action is a group of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explicit {
    initial: Vec<StateId>,
    edges: Rows<(ActionId, StateId)>,
    /// Per state, the propositions that hold, ascending.
    holding: Rows<PropositionId>,
    ends: Vec<bool>,
    signature: Signature,
}

/// A list per state, all in one vector.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rows<T> {
    /// Where the entries of each state start; one element more than there are states.
    offsets: Vec<u32>,
    entries: Vec<T>,
}

impl<T: Copy> Rows<T> {
    /// Groups entries by state; those of a state keep their order. Entries that come state by state are
    /// not moved.
    fn group(
        n_states: usize,
        states: impl Iterator<Item = StateId> + Clone,
        mut entries: Vec<T>,
    ) -> Self {
        let mut offsets = vec![0u32; n_states + 1];
        for state in states.clone() {
            offsets[state.index() + 1] += 1;
        }
        for state in 0..n_states {
            offsets[state + 1] += offsets[state];
        }
        if !states.clone().is_sorted() {
            let (given, mut next) = (entries.clone(), offsets.clone());
            for (state, entry) in states.zip(given) {
                let at = &mut next[state.index()];
                entries[*at as usize] = entry;
                *at += 1;
            }
        }
        Self { offsets, entries }
    }

    fn of(&self, state: usize) -> &[T] {
        &self.entries[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.offsets) + size_of_val(&*self.entries)
    }
}

/// Collects the parts of an [`Explicit`] in any order; least memory is taken where edges and
/// propositions come state by state.
#[derive(Clone, Debug, Default)]
pub struct ExplicitBuilder {
    n_states: u32,
    initial: Vec<StateId>,
    /// Where each edge starts.
    sources: Vec<StateId>,
    edges: Vec<(ActionId, StateId)>,
    labels: Vec<String>,
    propositions: Vec<String>,
    holding: Vec<(StateId, PropositionId)>,
    ends: Vec<StateId>,
}

impl ExplicitBuilder {
    /// Makes sure that the states `0..n_states` exist.
    pub fn states(&mut self, n_states: u32) -> &mut Self {
        self.n_states = self.n_states.max(n_states);
        self
    }

    /// Adds an initial state.
    pub fn initial(&mut self, state: StateId) -> &mut Self {
        self.cover(state);
        self.initial.push(state);
        self
    }

    /// Adds a new label; two actions may print alike and still be different.
    pub fn action(&mut self, label: impl Into<String>) -> ActionId {
        self.labels.push(label.into());
        ActionId::from_usize(self.labels.len() - 1)
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: StateId, action: ActionId, to: StateId) -> &mut Self {
        assert!(action.index() < self.labels.len(), "edge with an unknown action");
        self.cover(from);
        self.cover(to);
        self.sources.push(from);
        self.edges.push((action, to));
        self
    }

    /// Adds a proposition.
    pub fn proposition(&mut self, name: impl Into<String>) -> PropositionId {
        self.propositions.push(name.into());
        PropositionId::from_usize(self.propositions.len() - 1)
    }

    /// Says that a proposition holds in a state.
    pub fn holds(&mut self, state: StateId, proposition: PropositionId) -> &mut Self {
        self.cover(state);
        self.holding.push((state, proposition));
        self
    }

    /// Says that the system may stop in a state.
    pub fn end(&mut self, state: StateId) -> &mut Self {
        self.cover(state);
        self.ends.push(state);
        self
    }

    /// The finished table. Edges keep the order of insertion per state.
    pub fn build(self) -> Explicit {
        let n_states = self.n_states as usize;
        let edges = Rows::group(n_states, self.sources.into_iter(), self.edges);
        let mut holding = self.holding;
        if !holding.is_sorted() {
            holding.sort_unstable();
        }
        holding.dedup();
        let propositions = holding.iter().map(|&(_, proposition)| proposition).collect();
        let holding = Rows::group(n_states, holding.iter().map(|&(state, _)| state), propositions);
        let mut ends = vec![false; n_states];
        for state in self.ends {
            ends[state.index()] = true;
        }
        let domain = Domain::Size(self.n_states);
        let slot = SlotId::new(0);
        let mut signature = Signature::new(vec![Slot::new("state", domain)]);
        signature.actions = self.labels.iter().map(Action::anonymous).collect();
        let group = |number: usize| Group {
            task: TaskId::from_usize(number),
            reads: vec![slot],
            effects: vec![Effect::any(slot)],
            actions: Some(vec![ActionId::from_usize(number)]),
            ..Group::default()
        };
        signature.groups = (0..self.labels.len()).map(group).collect();
        signature.tasks = self.labels;
        let of_row = |from: usize| {
            edges.of(from).iter().map(move |(action, _)| (action.index(), from as Value))
        };
        signature.declare_edges((0..n_states).flat_map(of_row));
        let proposition = |name| Proposition { name, support: vec![slot] };
        signature.propositions = self.propositions.into_iter().map(proposition).collect();
        Explicit { initial: self.initial, edges, holding, ends, signature }
    }

    /// Bytes of the table when it is finished, and of what it is made of.
    pub fn table_bytes(&self) -> usize {
        size_of_val(&*self.sources)
            + size_of_val(&*self.edges)
            + size_of_val(&*self.holding)
            + self.holding.len() * size_of::<PropositionId>()
            + self.n_states as usize * (2 * size_of::<u32>() + size_of::<bool>())
    }

    fn cover(&mut self, state: StateId) {
        self.states(state.number() + 1);
    }
}

/// Sets of states that are declared for the labels of a table take up to so many bits.
const MAX_DECLARED: usize = 1 << 22;

impl Signature {
    /// Declares where the labels of a table lead away from: `edges` are groups, which are labels, and
    /// sources; the table is the first slot. Says nothing of large tables, and nothing of where edges
    /// lead to: there may be several from one source, and their order counts.
    pub fn declare_edges(&mut self, edges: impl Iterator<Item = (usize, Value)>) {
        let slot = SlotId::new(0);
        let n_states = self.slot(slot).domain.size().map_or(usize::MAX, |size| size as usize);
        if n_states.saturating_mul(self.groups.len()) > MAX_DECLARED {
            return;
        }
        let mut sources = vec![ValueSet::default(); self.groups.len()];
        for (group, from) in edges {
            sources[group].insert(from);
        }
        for (group, sources) in self.groups.iter_mut().zip(sources) {
            group.guards = vec![GuardId::from_usize(self.guards.len())];
            group.guards_complete = true;
            group.effects = vec![Effect { slot, change: Change::Set }];
            self.guards.push(Guard::In(slot, sources));
        }
    }
}

impl Explicit {
    /// Number of states, reachable or not.
    pub fn n_states(&self) -> usize {
        self.ends.len()
    }

    /// Number of edges.
    pub fn n_edges(&self) -> usize {
        self.edges.entries.len()
    }

    /// Bytes of edges, propositions and ends.
    pub fn table_bytes(&self) -> usize {
        self.edges.bytes() + self.holding.bytes() + size_of_val(&*self.ends)
    }

    /// Initial states.
    pub fn initial_states(&self) -> &[StateId] {
        &self.initial
    }

    /// Edges that leave a state.
    pub fn edges(&self, state: StateId) -> &[(ActionId, StateId)] {
        self.edges.of(state.index())
    }

    /// All states in order.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.n_states()).map(StateId::from_usize)
    }

    /// The labels; an [`ActionId`] is a position in this list.
    pub fn labels(&self) -> &[String] {
        &self.signature.tasks
    }

    /// Propositions that hold in a state, ascending.
    pub fn holding(&self, state: StateId) -> &[PropositionId] {
        self.holding.of(state.index())
    }

    /// Whether the system may stop in a state.
    pub fn is_end(&self, state: StateId) -> bool {
        self.ends[state.index()]
    }
}

impl Model for Explicit {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn never_fails(&self) -> bool {
        true
    }

    fn allows_workers(&self) -> bool {
        true
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self)
    }
}

/// A table needs no scratch memory.
impl Explorer for &Explicit {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.initial.iter().try_for_each(|state| sink(&[state.number()]))
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let mut edges = self.edges(StateId::new(state[0])).iter();
        edges.try_for_each(|(action, to)| match action.index() == group.index() {
            true => sink.next(group, *action, &[to.number()]),
            false => Flow::Continue(()),
        })
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let mut edges = self.edges(StateId::new(state[0])).iter();
        edges.try_for_each(|(action, to)| {
            sink.next(GroupId::new(action.number()), *action, &[to.number()])
        })
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.holding.of(state[0] as usize).binary_search(&proposition).is_ok())
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.ends[state[0] as usize])
    }
}

#[cfg(test)]
mod tests;
