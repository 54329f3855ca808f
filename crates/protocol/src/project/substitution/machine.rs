//! What a role does, by labels that two protocols share: the automaton of a role without packets.

use std::collections::BTreeMap;

use quadrille_model::InteractionKind;

use crate::core::{Act, ActId, RoleId};

use super::super::{LocalState, Projection};

/// A label in the table of both automata.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LabelId(u32);

/// What a role does in a step.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) text: String,
    /// The others: who receives or sends.
    pub(super) peers: Vec<String>,
    /// Whether it happens at once for all, so that nothing is done before it that comes after.
    pub(super) is_sync: bool,
}

/// The labels of both automata.
#[derive(Debug, Default)]
pub(super) struct Labels {
    all: Vec<Label>,
    numbers: BTreeMap<String, LabelId>,
}

impl Labels {
    pub(super) fn get(&self, label: LabelId) -> &Label {
        &self.all[label.0 as usize]
    }

    pub(super) fn share_peer(&self, one: LabelId, other: LabelId) -> bool {
        let others = &self.get(other).peers;
        self.get(one).peers.iter().any(|peer| others.contains(peer))
    }

    pub(super) fn add(&mut self, label: Label) -> LabelId {
        if let Some(&known) = self.numbers.get(&label.text) {
            return known;
        }
        let id = LabelId(self.all.len() as u32);
        self.numbers.insert(label.text.clone(), id);
        self.all.push(label);
        id
    }
}

/// A state of an automaton.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// What the role may do by itself.
    pub(super) outputs: BTreeMap<LabelId, usize>,
    /// What it takes from others.
    pub(super) inputs: BTreeMap<LabelId, usize>,
    pub(super) may_end: bool,
}

/// The automaton of a role; it starts in the first state.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) states: Vec<State>,
}

impl Machine {
    /// The automaton of a role.
    ///
    /// # Errors
    /// The label of two steps from one state that lead to different ones.
    pub(super) fn new(
        projection: &Projection,
        role: RoleId,
        labels: &mut Labels,
    ) -> Result<Self, String> {
        let local = projection.locals().iter().find(|local| local.role == role);
        let states = local.map_or(&[][..], |local| &local.states);
        let mut made = Vec::with_capacity(states.len().max(1));
        for LocalState { edges, may_end, .. } in states {
            let mut state = State { may_end: *may_end, ..State::default() };
            for edge in edges {
                let (act, to) = (projection.act(edge.act), edge.to.index());
                let label = labels.add(label(projection, edge.act, act, role));
                let is_output = act.from == role && act.kind != InteractionKind::Receive;
                let steps = if is_output { &mut state.outputs } else { &mut state.inputs };
                if *steps.entry(label).or_insert(to) != to {
                    return Err(labels.get(label).text.clone());
                }
            }
            made.push(state);
        }
        if made.is_empty() {
            made.push(State { may_end: true, ..State::default() });
        }
        Ok(Self { states: made })
    }
}

fn label(projection: &Projection, id: ActId, act: &Act, role: RoleId) -> Label {
    let mut peers = vec![act.from];
    peers.extend(&act.to);
    // A message from a role to itself has the role as its peer.
    let others: Vec<RoleId> = peers.iter().copied().filter(|&peer| peer != role).collect();
    let peers = if others.is_empty() { peers } else { others };
    Label {
        text: projection.label(id).to_owned(),
        peers: peers.into_iter().map(|peer| projection.role(peer).to_owned()).collect(),
        is_sync: matches!(
            act.kind,
            InteractionKind::Exchange | InteractionKind::Local | InteractionKind::Close
        ),
    }
}
