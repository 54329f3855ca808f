//! The strict form as a table: the edges of each state, grouped by the role that performs the act.

use super::{PlanError, initiator, within};
use crate::plan::{ActId, GlobalId, Kind, Plan, RoleId};

/// The automaton of all roles.
#[derive(Debug)]
pub(crate) struct GlobalTable {
    /// The first step of each state, and the end of the last.
    offsets: Vec<u32>,
    /// By state, then by role.
    steps: Vec<GlobalStep>,
    /// Pairs of sender and receiver.
    pub(crate) pairs: Vec<(RoleId, RoleId)>,
    /// By act: the pairs that its message travels between, in the order of receivers.
    pairs_of: Vec<Vec<u32>>,
}

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GlobalStep {
    /// The role that performs it.
    pub(crate) by: RoleId,
    pub(crate) act: ActId,
    pub(crate) to: GlobalId,
}

impl GlobalTable {
    pub(super) fn new(plan: &Plan) -> Result<Self, PlanError> {
        let mut offsets = vec![0];
        let mut steps = Vec::new();
        for state in plan.strict.iter() {
            let start = steps.len();
            for &(act, to) in state.edges.iter() {
                within("acts", plan.acts.len(), act.0)?;
                within("strict", plan.strict.len(), to.0)?;
                steps.push(GlobalStep { by: initiator(&plan.acts[act.index()]), act, to });
            }
            steps[start..].sort_by_key(|step| step.by);
            offsets.push(steps.len() as u32);
        }
        let (pairs, pairs_of) = pairs(plan);
        Ok(Self { offsets, steps, pairs, pairs_of })
    }

    /// The number of steps.
    pub(crate) fn n_steps(&self) -> usize {
        self.steps.len()
    }

    /// All steps from a state.
    pub(crate) fn steps(&self, state: GlobalId) -> &[GlobalStep] {
        let at = state.index();
        &self.steps[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// The steps from a state that a role takes.
    pub(crate) fn steps_by(&self, state: GlobalId, role: RoleId) -> &[GlobalStep] {
        let steps = self.steps(state);
        let start = steps.iter().position(|step| step.by >= role).unwrap_or(steps.len());
        let count = steps[start..].iter().take_while(|step| step.by == role).count();
        &steps[start..start + count]
    }

    /// The pairs of an act: one per receiver.
    pub(crate) fn pairs_of(&self, act: ActId) -> &[u32] {
        &self.pairs_of[act.index()]
    }
}

/// The pairs of sender and receiver, and the pairs of each act.
fn pairs(plan: &Plan) -> (Vec<(RoleId, RoleId)>, Vec<Vec<u32>>) {
    let mut pairs = Vec::new();
    for act in plan.acts.iter().filter(|act| matches!(act.kind, Kind::Send | Kind::Receive)) {
        pairs.extend(act.to.iter().map(|&to| (act.from, to)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let pairs_of = plan.acts.iter().map(|act| {
        if !matches!(act.kind, Kind::Send | Kind::Receive) {
            return Vec::new();
        }
        let place = |to: &RoleId| pairs.partition_point(|pair| *pair < (act.from, *to)) as u32;
        let mut places: Vec<u32> = act.to.iter().map(place).collect();
        places.sort_unstable();
        places.dedup();
        places
    });
    let pairs_of = pairs_of.collect();
    (pairs, pairs_of)
}
