//! The whole protocol as one automaton, modulo strong bisimulation: the strict form, and what
//! projection starts from. As a [`Model`] it reports the same actions as the protocol.

use std::sync::Arc;

use quadrille_graph::{Bisimulation, Csr, LabelledGraph, Partition, bisimulation_classes};
use quadrille_model::{
    ActionId, Domain, Effect, Explicit, Explorer, Flow, Group, GroupId, Model, Problem, Signature,
    Slot, SlotId, StateId, Successors, Value,
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
    signature: Signature,
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
        let vocabulary = vocabulary(model, table.labels().len());
        let mut signature = signature(&vocabulary, members.len());
        let of_row = |from: usize| {
            edges.row(from).iter().map(move |(act, _)| (act.0 as usize, from as Value))
        };
        signature.declare_edges((0..members.len()).flat_map(of_row));
        Some(Self {
            signature,
            vocabulary: Arc::new(vocabulary),
            edges,
            ends: members.iter().map(|&member| table.is_end(member)).collect(),
            members,
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

    fn edges(&self, node: usize) -> impl Iterator<Item = (u32, usize)> + Clone {
        let edges = self.table.edges(self.state(node)).iter();
        edges.map(|&(act, to)| (act.number(), self.node(to)))
    }
}

/// One slot, and a group per action, all of one task.
fn signature(vocabulary: &Vocabulary, n_states: usize) -> Signature {
    let slot = SlotId::new(0);
    let domain = Domain::Size(u32::try_from(n_states).unwrap_or(u32::MAX));
    let mut signature = Signature::new(vec![Slot::new("protocol", domain).hidden()]);
    signature.participants.clone_from(&vocabulary.participants);
    signature.actions.clone_from(&vocabulary.actions);
    signature.tasks.push("protocol".to_owned());
    let group = |(number, act): (usize, &Act)| Group {
        participants: act.subjects().into_iter().map(RoleId::participant).collect(),
        reads: vec![slot],
        effects: vec![Effect::any(slot)],
        actions: Some(vec![ActionId::from_usize(number)]),
        ..Group::default()
    };
    signature.groups = vocabulary.acts.iter().enumerate().map(group).collect();
    signature
}

fn vocabulary(model: &ProtocolModel, n_acts: usize) -> Vocabulary {
    let terms = model.terms();
    let action_ids = || (0..n_acts).map(ActionId::from_usize);
    let participants: Vec<Role> =
        (0..terms.n_roles() as u32).map(|role| terms.role_of(RoleId(role)).clone()).collect();
    Vocabulary {
        roles: participants.iter().map(Role::to_string).collect(),
        participants,
        acts: action_ids().map(|action| model.act(action).clone()).collect(),
        actions: action_ids().map(|action| model.action(action)).collect(),
    }
}

impl Model for Global {
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

/// An automaton needs no scratch memory.
impl Explorer for &Global {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        sink(&[Global::START.number()])
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let mut edges = self.edges(StateId::new(state[0])).iter();
        edges.try_for_each(|&(act, to)| match act.0 == group.number() {
            true => sink.next(group, ActionId::new(act.0), &[to.number()]),
            false => Flow::Continue(()),
        })
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        let mut edges = self.edges(StateId::new(state[0])).iter();
        edges.try_for_each(|&(act, to)| {
            sink.next(GroupId::new(act.0), ActionId::new(act.0), &[to.number()])
        })
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        Ok(self.is_end(StateId::new(state[0])))
    }
}
