//! The whole protocol as one automaton, modulo strong bisimulation: the strict form, and what
//! projection starts from. As a [`Model`] it reports the same actions as the protocol.

use std::sync::Arc;

use quadrille_graph::{Bisimulation, Csr, LabelledGraph, Partition, bisimulation_classes};
use quadrille_model::{
    Action, ActionId, Domain, Explicit, Group, GroupId, Layout, Model, ParticipantId, Slot, SlotId,
    StateId, Successors, Value,
};

use super::Vocabulary;
use crate::core::{Act, ActId, ProtocolModel, Role, RoleId};

/// A protocol as one automaton. States are numbered from 0, where it starts.
#[derive(Clone, Debug)]
pub struct Global {
    pub(super) vocabulary: Arc<Vocabulary>,
    edges: Csr<(ActId, StateId)>,
    ends: Vec<bool>,
    /// Per state the first state of the table that it stands for.
    members: Vec<StateId>,
    layout: Layout,
    groups: Vec<Group>,
}

impl Global {
    /// The automaton of a protocol, given the table of everything reachable in it, with the model's
    /// own action numbers. `None` where the protocol has no initial state.
    pub fn new(model: &ProtocolModel, table: &Explicit) -> Option<Self> {
        let &start = table.initial_states().first()?;
        let graph = StartFirst { table, start };
        let initial = Partition::by_key(graph.states().map(|state| table.is_end(state)));
        let partition = bisimulation_classes(&graph, initial, Bisimulation::Strong);
        let members: Vec<StateId> =
            partition.first_members().into_iter().map(|node| graph.state(node)).collect();
        let mut edges: Csr<(ActId, StateId)> = Csr::default();
        for &member in &members {
            let mut row: Vec<(ActId, StateId)> = Vec::new();
            for &(act, to) in table.edges(member) {
                let edge = (ActId(act.number()), StateId::new(partition.class(graph.node(to))));
                if !row.contains(&edge) {
                    row.push(edge);
                }
            }
            edges.push_row(row);
        }
        let slot = Slot {
            name: "protocol".to_owned(),
            domain: Domain::Size(u32::try_from(members.len()).unwrap_or(u32::MAX)),
        };
        let only_slot = vec![SlotId::new(0)];
        Some(Self {
            vocabulary: Arc::new(vocabulary(model, table.labels().len())),
            edges,
            ends: members.iter().map(|&member| table.is_end(member)).collect(),
            members,
            layout: Layout::new(vec![slot]),
            groups: vec![Group {
                name: "protocol".to_owned(),
                reads: only_slot.clone(),
                writes: only_slot,
                ..Group::default()
            }],
        })
    }

    /// The state it starts in.
    pub const START: StateId = StateId::new(0);

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.ends.len()
    }

    /// All states in order.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.n_states()).map(StateId::from_usize)
    }

    /// The steps from a state, each once.
    pub fn edges(&self, state: StateId) -> &[(ActId, StateId)] {
        self.edges.row(state.index())
    }

    /// Whether the protocol may end in a state.
    pub fn is_end(&self, state: StateId) -> bool {
        self.ends[state.index()]
    }

    /// A state of the table that this state stands for.
    pub fn member(&self, state: StateId) -> StateId {
        self.members[state.index()]
    }

    /// What an action stands for.
    pub fn act(&self, act: ActId) -> &Act {
        self.vocabulary.act(act)
    }

    /// The label of an action.
    pub fn label(&self, act: ActId) -> &str {
        &self.vocabulary.action(act).label
    }

    /// The actions of the protocol, reachable or not.
    pub fn act_ids(&self) -> impl Iterator<Item = ActId> + use<> {
        (0..self.vocabulary.acts.len() as u32).map(ActId)
    }

    /// The roles of the protocol.
    pub fn role_ids(&self) -> impl Iterator<Item = RoleId> + use<> {
        self.vocabulary.role_ids()
    }

    /// The name of a role.
    pub fn role(&self, role: RoleId) -> &str {
        self.vocabulary.name(role)
    }
}

/// A table whose start is node 0, wherever it stands in the table.
struct StartFirst<'a> {
    table: &'a Explicit,
    start: StateId,
}

impl StartFirst<'_> {
    fn node(&self, state: StateId) -> usize {
        match state {
            _ if state == self.start => 0,
            _ if state < self.start => state.index() + 1,
            _ => state.index(),
        }
    }

    fn state(&self, node: usize) -> StateId {
        match node {
            0 => self.start,
            _ if node <= self.start.index() => StateId::from_usize(node - 1),
            _ => StateId::from_usize(node),
        }
    }

    fn states(&self) -> impl Iterator<Item = StateId> {
        (0..self.table.n_states()).map(|node| self.state(node))
    }
}

impl LabelledGraph for StartFirst<'_> {
    fn n_nodes(&self) -> usize {
        self.table.n_states()
    }

    fn edges(&self, node: usize) -> impl Iterator<Item = (u32, usize)> {
        let edges = self.table.edges(self.state(node)).iter();
        edges.map(|&(act, to)| (act.number(), self.node(to)))
    }
}

fn vocabulary(model: &ProtocolModel, n_acts: usize) -> Vocabulary {
    let terms = model.terms();
    let action_ids = || (0..n_acts).map(ActionId::from_usize);
    Vocabulary {
        roles: (0..terms.n_roles() as u32)
            .map(|role| Role::to_string(terms.role_of(RoleId(role))))
            .collect(),
        acts: action_ids().map(|action| model.act(action).clone()).collect(),
        actions: action_ids().map(|action| model.action(action)).collect(),
    }
}

impl Model for Global {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn initial(&self, sink: &mut dyn FnMut(&[Value])) {
        sink(&[Self::START.number()]);
    }

    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors) {
        for &(act, to) in self.edges(StateId::new(state[0])) {
            sink.next(group, ActionId::new(act.0), &[to.number()]);
        }
    }

    fn action(&self, action: ActionId) -> Action {
        self.vocabulary.actions[action.index()].clone()
    }

    fn n_actions(&self) -> usize {
        self.vocabulary.actions.len()
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.role(participant.into()).to_owned()
    }

    fn may_end(&self, state: &[Value]) -> bool {
        self.is_end(StateId::new(state[0]))
    }
}
