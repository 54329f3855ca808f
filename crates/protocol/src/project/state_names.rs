//! Which states of a role's automaton have the names that the text gives: those in which the role may be where the text
//! comes by a name, as far as it knows.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Projection;
use super::build::takes_part;
use crate::core::{ActId, NamedStates, ProtocolModel, RoleId, StateName};

/// Most pairs of a state of a role and the states that the protocol may be in.
const MAX_PAIRS: usize = 20_000;

/// Most states of a protocol that are looked at for the names of its projection.
const MAX_STATES: usize = 200_000;

impl Projection {
    /// What the text of its protocol calls local states, by role and state: the first name of each. None where the protocol
    /// is too large for that.
    pub fn state_names(&self, model: &ProtocolModel) -> BTreeMap<(RoleId, usize), String> {
        let Some(Ok(named)) = model.named_states(MAX_STATES) else { return BTreeMap::new() };
        let mut found = BTreeMap::new();
        for local in self.locals() {
            let steps: Vec<Vec<(&str, usize)>> = local
                .states
                .iter()
                .map(|state| {
                    let edges = state.edges.iter();
                    edges.map(|edge| (self.label(edge.act), edge.to.index())).collect()
                })
                .collect();
            let names = named.of_role(self.role(local.role), &steps).into_iter().enumerate();
            found.extend(names.filter_map(|(state, names)| {
                Some(((local.role, state), names.into_iter().next()?.name))
            }));
        }
        found
    }
}

/// States of a protocol, ascending.
type Known = Vec<u32>;

impl NamedStates {
    /// By state of an automaton of a role, the names that it has, in the order of the text. The first state is the start;
    /// a step is the label of an action, as models show it, and the state that it leads to.
    pub fn of_role(
        &self,
        role: &str,
        automaton: &[Vec<(&str, usize)>],
    ) -> Vec<BTreeSet<StateName>> {
        let mut names = vec![BTreeSet::new(); automaton.len()];
        let Some(role_id) = self.role(role) else { return names };
        let acts: Vec<ActId> = (0..self.n_acts() as u32).map(ActId).collect();
        let own: Vec<bool> = acts.iter().map(|&act| takes_part(self.act(act), role_id)).collect();
        let is_own = |act: ActId| own[act.0 as usize];
        let numbers: FxHashMap<String, ActId> =
            acts.iter().filter(|&&act| is_own(act)).map(|&act| (self.label(act), act)).collect();
        let start = (0, self.silently(vec![0], &is_own));
        let mut seen: FxHashSet<(usize, Known)> = FxHashSet::from_iter([start.clone()]);
        let mut open = vec![start];
        while let Some((state, known)) = open.pop() {
            let here = known.iter().flat_map(|&known| &self.names[known as usize]);
            let here = here.filter(|(role, _)| *role == role_id).map(|(_, name)| name.clone());
            names[state].extend(here);
            for &(label, to) in &automaton[state] {
                let Some(&act) = numbers.get(label) else { continue };
                let steps = known.iter().flat_map(|&known| &self.steps[known as usize]);
                let after: Known = steps.filter(|step| step.0 == act).map(|step| step.1).collect();
                let next = (to, self.silently(after, &is_own));
                if !next.1.is_empty() && seen.len() < MAX_PAIRS && seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        names
    }

    /// These states, and those that steps of others lead to.
    fn silently(&self, mut open: Known, is_own: &impl Fn(ActId) -> bool) -> Known {
        let mut found: BTreeSet<u32> = open.iter().copied().collect();
        while let Some(state) = open.pop() {
            for &(act, to) in &self.steps[state as usize] {
                if !is_own(act) && found.insert(to) {
                    open.push(to);
                }
            }
        }
        found.into_iter().collect()
    }
}
