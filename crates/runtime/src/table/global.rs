//! The strict form as a table: the edges of each state, grouped by the role that performs the act.

use super::forks::ForkTable;
use super::{PlanError, initiator, within};
use crate::plan::{ActId, GlobalId, Kind, Plan, RoleId};
use crate::structure::Fork;

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
    /// Its parallel parts.
    pub(crate) forks: ForkTable,
    /// How many states and entries steps lead to.
    pub(crate) n_targets: u32,
}

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GlobalStep {
    /// The role that performs it.
    pub(crate) by: RoleId,
    pub(crate) act: ActId,
    /// A state, or an entry of the forks.
    pub(crate) to: GlobalId,
    /// The slot of the state that it leaves.
    pub(crate) slot: u32,
}

impl GlobalTable {
    pub(super) fn new(plan: &Plan, forks: &[Fork]) -> Result<Self, PlanError> {
        for &(act, to) in plan.strict.iter().flat_map(|state| state.edges.iter()) {
            within("acts", plan.acts.len(), act.0)?;
            within("strict", plan.strict.len(), to.0)?;
        }
        let targets =
            |state: u32| plan.strict[state as usize].edges.iter().map(|&(_, to)| to.0).collect();
        let mut forks = if forks.is_empty() {
            ForkTable::default()
        } else {
            ForkTable::new(plan.strict.len(), forks, &targets)?
        };
        let mut offsets = vec![0];
        let mut steps = Vec::new();
        for (number, state) in plan.strict.iter().enumerate() {
            let start = steps.len();
            let slot = forks.slot(number as u32);
            let by = |act: ActId| initiator(&plan.acts[act.index()]);
            let own = state.edges.iter();
            steps.extend(own.map(|&(act, to)| GlobalStep { by: by(act), act, to, slot }));
            forks.entering(number as u32, &mut |forks, begun, part| {
                for &(act, to) in plan.strict[part as usize].edges.iter() {
                    let to = GlobalId(forks.entry(begun, to.0));
                    steps.push(GlobalStep { by: by(act), act, to, slot });
                }
            });
            steps[start..].sort_by_key(|step| step.by);
            offsets.push(steps.len() as u32);
        }
        let (pairs, pairs_of) = pairs(plan);
        let n_targets = forks.n_targets().max(plan.strict.len() as u32);
        Ok(Self { offsets, steps, pairs, pairs_of, forks, n_targets })
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
