//! The whole protocol as one automaton, modulo strong bisimulation: the strict form, and what
//! projection starts from. As a [`Model`] it reports the same actions as the protocol.

use std::sync::Arc;

use quadrille_model::{
    Action, ActionId, Domain, Explicit, Group, GroupId, Layout, Model, ParticipantId, Slot, SlotId,
    StateId, Successors, Value,
};

use super::Vocabulary;
use super::partition::{Partition, Users};
use crate::core::{Act, ActId, ProtocolModel, Role, RoleId};

/// A protocol as one automaton. States are numbered from 0, where it starts.
#[derive(Clone, Debug)]
pub struct Global {
    pub(super) vocabulary: Arc<Vocabulary>,
    edges: Vec<(ActId, StateId)>,
    /// Where the edges of each state begin, and where the last ones end.
    offsets: Vec<usize>,
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
        // The start gets number 0 wherever it stands in the table.
        let place = |state: StateId| match state {
            _ if state == start => 0,
            _ if state < start => state.index() + 1,
            _ => state.index(),
        };
        let mut order: Vec<StateId> = table.states().collect();
        order.sort_unstable_by_key(|&state| place(state));
        let steps = || {
            order
                .iter()
                .flat_map(|&state| table.edges(state).iter().map(move |&(_, to)| (state, to)))
        };
        let users = Users::new(order.len(), || steps().map(|(from, to)| (place(from), place(to))));
        let signature = |element: usize, classes: &[u32]| {
            let edges = table.edges(order[element]).iter();
            edges.map(|&(act, to)| (act.number(), classes[place(to)], 0)).collect()
        };
        let partition = Partition::by_key(order.iter().map(|&state| table.is_end(state)))
            .refined(&users, signature);
        let members: Vec<StateId> =
            partition.first_members().into_iter().map(|element| order[element]).collect();
        let class = |state: StateId| StateId::new(partition.class_of[place(state)]);
        let mut edges: Vec<(ActId, StateId)> = Vec::new();
        let mut offsets = vec![0];
        for &member in &members {
            let begin = edges.len();
            for &(act, to) in table.edges(member) {
                let edge = (ActId(act.number()), class(to));
                if !edges[begin..].contains(&edge) {
                    edges.push(edge);
                }
            }
            offsets.push(edges.len());
        }
        let slot = Slot {
            name: "protocol".to_owned(),
            domain: Domain::Size(u32::try_from(members.len()).unwrap_or(u32::MAX)),
        };
        let only_slot = vec![SlotId::new(0)];
        Some(Self {
            vocabulary: Arc::new(vocabulary(model, table.labels().len())),
            edges,
            offsets,
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
        &self.edges[self.offsets[state.index()]..self.offsets[state.index() + 1]]
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
