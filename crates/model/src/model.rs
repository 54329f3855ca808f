//! The central trait. Front ends implement it, the engine consumes it, neither names the other.
//!
//! The lineage is the PINS interface of LTSmin (Blom, van de Pol, Weber, CAV 2010): a next-state
//! function cut into groups with declared dependencies; everything else is a wrapper.

use crate::layout::Domain;
use crate::{
    Action, ActionId, Group, GroupId, Layout, ParticipantId, PropositionId, SlotId, Value,
};

/// Receives the successors of a state, one call per edge.
pub trait Successors {
    /// An edge by `group`, labelled `action`, to `state`.
    /// `state` differs from the source in the group's declared writes only.
    fn next(&mut self, group: GroupId, action: ActionId, state: &[Value]);
}

impl<F: FnMut(GroupId, ActionId, &[Value])> Successors for F {
    fn next(&mut self, group: GroupId, action: ActionId, state: &[Value]) {
        self(group, action, state);
    }
}

/// A transition system given by its initial states and a next-state function.
///
/// A state is a fixed-length vector of small integers, shaped by [`Model::layout`]. All methods are
/// pure: the same arguments give the same answers in the same order, from any thread.
pub trait Model: Sync {
    /// The shape of the state vector.
    fn layout(&self) -> &Layout;

    /// The groups of the next-state relation; a [`GroupId`] is a position in this list.
    fn groups(&self) -> &[Group];

    /// Reports every initial state.
    fn initial(&self, sink: &mut dyn FnMut(&[Value]));

    /// Reports the successors of `state` by one group.
    fn successors(&self, group: GroupId, state: &[Value], sink: &mut dyn Successors);

    /// Reports the successors of `state` by every group, in order of groups.
    /// Override it where most groups can be passed over without asking each.
    fn expand(&self, state: &[Value], sink: &mut dyn Successors) {
        for group in 0..self.groups().len() {
            self.successors(GroupId::from_usize(group), state, sink);
        }
    }

    /// What an action id that this model reported means.
    fn action(&self, action: ActionId) -> Action;

    /// How many action ids there are so far: all below this number may be asked for.
    fn n_actions(&self) -> usize;

    /// The name of a participant that a group or an action mentions.
    fn participant(&self, participant: ParticipantId) -> String;

    /// Names of the propositions; a [`PropositionId`] is a position in this list.
    fn propositions(&self) -> &[String] {
        &[]
    }

    /// Whether a proposition holds in a state.
    fn holds(&self, proposition: PropositionId, state: &[Value]) -> bool {
        let _ = state;
        unreachable!("the model has no proposition {proposition:?}")
    }

    /// Whether the system may stop here: "finished" as opposed to "stuck".
    fn may_end(&self, state: &[Value]) -> bool;

    /// A value as a person reads it.
    fn show(&self, slot: SlotId, value: Value) -> String {
        match &self.layout().slot(slot).domain {
            Domain::Named(names) => {
                names.get(value as usize).cloned().unwrap_or_else(|| value.to_string())
            }
            Domain::Size(_) | Domain::Interned => value.to_string(),
        }
    }
}
