//! A transition system held as a table: what files give, what other engines compare, and the
//! oracle's favourite input. Knows nothing of the file formats.

use crate::{
    Action, ActionId, Domain, Group, GroupId, Layout, Model, ParticipantId, PropositionId, Slot,
    SlotId, StateId, Successors, Value,
};

/// A transition system as data. States are numbered from 0; each action is a group of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explicit {
    initial: Vec<StateId>,
    /// Where each state's edges start in `edges`; one entry more than there are states.
    offsets: Vec<u32>,
    edges: Vec<(ActionId, StateId)>,
    labels: Vec<String>,
    propositions: Vec<String>,
    /// Per state, the propositions that hold, ascending.
    holding: Vec<Vec<PropositionId>>,
    ends: Vec<bool>,
    layout: Layout,
    groups: Vec<Group>,
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
        let only_slot = vec![SlotId::new(0)];
        let groups = self.labels.iter().map(|label| Group {
            name: label.clone(),
            reads: only_slot.clone(),
            writes: only_slot.clone(),
            ..Group::default()
        });
        Explicit {
            initial: self.initial,
            offsets,
            edges,
            groups: groups.collect(),
            labels: self.labels,
            propositions: self.propositions,
            holding,
            ends,
            layout: Layout::new(vec![Slot {
                name: "state".to_owned(),
                domain: Domain::Size(self.n_states),
            }]),
        }
    }

    fn cover(&mut self, state: StateId) {
        self.states(state.number() + 1);
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
        &self.labels
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
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        for state in &self.initial {
            sink(&[state.number()]);
        }
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        for (action, to) in self.edges(StateId::new(state[0])) {
            if action.index() == group.index() {
                sink.next(group, *action, &[to.number()]);
            }
        }
    }

    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        for (action, to) in self.edges(StateId::new(state[0])) {
            sink.next(GroupId::new(action.number()), *action, &[to.number()]);
        }
    }

    fn action(&self, action: ActionId) -> Action {
        Action::anonymous(self.labels[action.index()].clone())
    }

    fn n_actions(&self) -> usize {
        self.labels.len()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        unreachable!("a table has no participant {participant:?}")
    }

    fn propositions(&self) -> &[String] {
        &self.propositions
    }

    fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        self.holding[state[0] as usize].binary_search(&proposition).is_ok()
    }

    fn may_end(&self, state: &[Value]) -> bool {
        self.ends[state[0] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ending, Misfit, Step, Trace};

    fn two_states() -> Explicit {
        let mut builder = ExplicitBuilder::default();
        let (go, back) = (builder.action("go"), builder.action("back"));
        let [zero, one] = [0, 1].map(StateId::new);
        builder.initial(zero).edge(one, back, zero).edge(zero, go, one).end(one);
        builder.build()
    }

    fn walk(steps: &[(u32, u32)], ending: Ending) -> Trace {
        let steps = steps.iter().map(|&(action, to)| Step {
            group: GroupId::new(action),
            action: ActionId::new(action),
            state: vec![to],
        });
        Trace { initial: vec![0], steps: steps.collect(), ending }
    }

    #[test]
    fn edges_are_kept_by_source() {
        let model = two_states();
        assert_eq!((model.n_states(), model.n_edges()), (2, 2));
        assert_eq!(model.edges(StateId::new(1)), [(ActionId::new(1), StateId::new(0))]);
    }

    #[test]
    fn replay_accepts_what_the_model_does_and_nothing_else() {
        let model = two_states();
        assert_eq!(walk(&[(0, 1), (1, 0)], Ending::Loop { from: 0 }).replay(&model), Ok(()));
        assert_eq!(walk(&[(0, 1)], Ending::Finished).replay(&model), Ok(()));
        assert_eq!(walk(&[(0, 1), (0, 1)], Ending::Prefix).replay(&model), Err(Misfit::Step(1)));
        assert_eq!(walk(&[(0, 1)], Ending::Stuck).replay(&model), Err(Misfit::Ending));
        assert_eq!(walk(&[(0, 1)], Ending::Loop { from: 0 }).replay(&model), Err(Misfit::Ending));
    }
}
