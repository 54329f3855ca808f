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
    /// Where each state's edges start in `edges`; one entry more than there are states.
    offsets: Vec<u32>,
    edges: Vec<(ActionId, StateId)>,
    /// Per state, the propositions that hold, ascending.
    holding: Vec<Vec<PropositionId>>,
    ends: Vec<bool>,
    signature: Signature,
}

/// Collects the parts of an [`Explicit`] in any order.
#[derive(Clone, Debug, Default)]
pub struct ExplicitBuilder {
    n_states: u32,
    initial: Vec<StateId>,
    edges: Vec<(StateId, ActionId, StateId)>,
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
        self.edges.push((from, action, to));
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
        let mut offsets = vec![0u32; n_states + 1];
        for (from, _, _) in &self.edges {
            offsets[from.index() + 1] += 1;
        }
        for state in 0..n_states {
            offsets[state + 1] += offsets[state];
        }
        let mut place = offsets.clone();
        let mut edges = vec![(ActionId::new(0), StateId::new(0)); self.edges.len()];
        for (from, action, to) in self.edges {
            let at = &mut place[from.index()];
            edges[*at as usize] = (action, to);
            *at += 1;
        }
        let mut holding = vec![Vec::new(); n_states];
        for (state, proposition) in self.holding {
            holding[state.index()].push(proposition);
        }
        for list in &mut holding {
            list.sort_unstable();
            list.dedup();
        }
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
            let row = &edges[offsets[from] as usize..offsets[from + 1] as usize];
            row.iter().map(move |(action, _)| (action.index(), from as Value))
        };
        signature.declare_edges((0..n_states).flat_map(of_row));
        let proposition = |name| Proposition { name, support: vec![slot] };
        signature.propositions = self.propositions.into_iter().map(proposition).collect();
        Explicit { initial: self.initial, offsets, edges, holding, ends, signature }
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
        self.edges.len()
    }

    /// Initial states.
    pub fn initial_states(&self) -> &[StateId] {
        &self.initial
    }

    /// Edges that leave a state.
    pub fn edges(&self, state: StateId) -> &[(ActionId, StateId)] {
        let (from, to) = (self.offsets[state.index()], self.offsets[state.index() + 1]);
        &self.edges[from as usize..to as usize]
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
        &self.holding[state.index()]
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
        Ok(self.holding[state[0] as usize].binary_search(&proposition).is_ok())
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.ends[state[0] as usize])
    }
}

#[cfg(test)]
mod tests;
