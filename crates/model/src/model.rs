//! The central trait. Front ends implement it, the engine consumes it, neither names the other.
//!
//! The lineage is the PINS interface of LTSmin (Blom, van de Pol, Weber, CAV 2010): a next-state
//! function cut into groups with declared dependencies; everything else is a wrapper. A model is
//! static data, its [`Signature`], and a function, of which every worker has an [`Explorer`] with
//! scratch memory of its own.

use std::ops::ControlFlow;

use crate::{
    Action, ActionId, Condition, Domain, GroupId, GuardId, Participant, ParticipantId, Place,
    Problem, PropositionId, Signature, SlotId, Value,
};

/// A transition system given by its initial states and a next-state function.
///
/// A state is a fixed-length vector of small integers, shaped by the slots of the signature. The
/// same question gets the same answers in the same order, from any explorer.
pub trait Model: Sync {
    /// What is known of the model before it is explored.
    fn signature(&self) -> &Signature;

    /// The next-state function, for one worker.
    fn explorer(&self) -> Box<dyn Explorer + '_>;

    /// How many action ids there are so far: all below this number may be asked for.
    fn n_actions(&self) -> usize {
        self.signature().actions.len()
    }

    /// What an action id that this model reported means.
    fn action(&self, action: ActionId) -> Action {
        self.signature().actions[action.index()].clone()
    }

    /// The participant that a group or an action mentions.
    fn participant(&self, participant: ParticipantId) -> Participant {
        self.signature().participants[participant.index()].clone()
    }

    /// What a proposition means, where it can be taken apart.
    fn meaning(&self, proposition: PropositionId) -> Option<Condition> {
        let _ = proposition;
        None
    }

    /// Where the system may stop, where that can be taken apart.
    fn ending(&self) -> Option<Condition> {
        None
    }

    /// A value as a person reads it.
    fn show(&self, slot: SlotId, value: Value) -> String {
        match &self.signature().slot(slot).domain {
            Domain::Named(names) => {
                names.get(value as usize).cloned().unwrap_or_else(|| value.to_string())
            }
            Domain::Size(_) | Domain::Interned => value.to_string(),
        }
    }

    /// Where a value is written in the text of the model: a local state of a participant.
    fn place(&self, slot: SlotId, value: Value) -> Option<Place> {
        let _ = (slot, value);
        None
    }

    /// Appends what a value stands for, as bytes that are the same in every process: numbers of
    /// interned values depend on the order in which they are met.
    fn content(&self, slot: SlotId, value: Value, out: &mut Vec<u8>) {
        let _ = slot;
        out.extend_from_slice(&value.to_le_bytes());
    }

    /// The value that stands for a content; `None` if the bytes are none. The inverse of
    /// [`Model::content`].
    fn value(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        let value = Value::from_le_bytes(content.try_into().ok()?);
        let size = self.signature().slot(slot).domain.size();
        size.is_none_or(|size| value < size).then_some(value)
    }

    /// Whether every step, guard, proposition and end can be computed, wherever it is asked for: then
    /// no [`Problem`] is overlooked where steps are left out.
    fn never_fails(&self) -> bool {
        false
    }

    /// Whether explorers may work side by side and everything still comes out the same: the steps of a
    /// state, in order and with their actions, do not depend on what was asked before, nor do
    /// [`Model::n_actions`] and [`Model::bytes`]. Values that are numbered as they are met do no harm,
    /// if all explorers give the same number to the same content.
    fn allows_workers(&self) -> bool {
        false
    }

    /// Bytes of tables that grow as the model is explored: interned values, steps that are remembered.
    /// They count for the limit of memory.
    fn bytes(&self) -> usize {
        0
    }
}

/// The next-state function of a model, for one worker.
pub trait Explorer {
    /// Reports every initial state.
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow;

    /// Reports the successors of `state` by one group.
    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow;

    /// Reports the successors of `state` by all groups.
    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow;

    /// Whether an [opaque](crate::Guard::Opaque) guard of the signature holds in a state.
    fn guard(&mut self, guard: GuardId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let _ = state;
        unreachable!("the model has no opaque guard {guard:?}")
    }

    /// Whether a proposition holds in a state.
    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let _ = state;
        unreachable!("the model has no proposition {proposition:?}")
    }

    /// Whether the system may stop here: "finished" as opposed to "stuck".
    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>>;
}

impl dyn Explorer + '_ {
    /// Shows every initial state.
    pub fn each_initial(&mut self, mut see: impl FnMut(&[Value])) -> Result<(), Box<Problem>> {
        settled(self.initial(&mut |state| {
            see(state);
            ControlFlow::Continue(())
        }))
    }

    /// Shows every edge out of a state.
    pub fn each_successor(
        &mut self,
        state: &[Value],
        mut see: impl FnMut(GroupId, ActionId, &[Value]),
    ) -> Result<(), Box<Problem>> {
        settled(self.expand(state, &mut |group: GroupId, action: ActionId, next: &[Value]| {
            see(group, action, next);
            ControlFlow::Continue(())
        }))
    }

    /// Whether a group has a successor.
    pub fn is_enabled(&mut self, group: GroupId, state: &[Value]) -> Result<bool, Box<Problem>> {
        let mut found = false;
        settled(self.successors(group, state, &mut |_: GroupId, _: ActionId, _: &[Value]| {
            found = true;
            ControlFlow::Break(Halt::Enough)
        }))?;
        Ok(found)
    }
}

/// Receives the successors of a state, one call per edge.
pub trait Successors {
    /// An edge by `group`, labelled `action`, to `state`. `state` differs from the source in slots
    /// that the group declares as written only. `Break` ends the enumeration.
    fn next(&mut self, group: GroupId, action: ActionId, state: &[Value]) -> Flow;
}

impl<F: FnMut(GroupId, ActionId, &[Value]) -> Flow> Successors for F {
    fn next(&mut self, group: GroupId, action: ActionId, state: &[Value]) -> Flow {
        self(group, action, state)
    }
}

/// How an enumeration goes on: implementations pass every `Break` of a sink on, by `?`.
pub type Flow = ControlFlow<Halt>;

/// Why an enumeration ended before everything was reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The sink has seen enough.
    Enough,
    /// Something could not be computed. What was reported is not everything there is, so nothing
    /// that holds of it need hold of the model.
    Problem(Box<Problem>),
}

impl From<Box<Problem>> for Halt {
    fn from(problem: Box<Problem>) -> Self {
        Halt::Problem(problem)
    }
}

/// The result of an enumeration in which stopping early is no failure.
pub fn settled(flow: Flow) -> Result<(), Box<Problem>> {
    match flow {
        ControlFlow::Continue(()) | ControlFlow::Break(Halt::Enough) => Ok(()),
        ControlFlow::Break(Halt::Problem(problem)) => Err(problem),
    }
}
