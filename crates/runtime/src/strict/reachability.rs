//! Reachability in the strict form: whether a pending request can still be satisfied. A search over the automaton, off the
//! fast path, whose results are cached.

mod parts;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::plan::{Act, ActId, GlobalId, Kind, RoleId};
use crate::request::Request;
use crate::table::Table;
use parts::PartsReachability;

/// Cached results by role and request, valid until a role leaves.
#[derive(Debug, Default)]
pub(super) struct Reachability {
    by_request: FxHashMap<(RoleId, Request), RequestReachability>,
    /// The same where there are parallel parts.
    in_parts: FxHashMap<(RoleId, Request), PartsReachability>,
    back: Option<ReverseSteps>,
}

/// Whether a request can still be satisfied, by state.
#[derive(Debug)]
struct RequestReachability {
    /// By act.
    parts: Vec<ActRelation>,
    /// By state, as far as known.
    answers: Vec<Option<bool>>,
    /// The number of steps visited.
    n_looks: usize,
}

/// How an act relates to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ActRelation {
    /// It satisfies the request.
    Wanted,
    /// Other roles can perform it.
    ByOthers,
    /// It cannot happen before: it needs the waiting role itself, or one that has left.
    Excluded,
}

/// How each act relates to a request.
fn relations(
    table: &Table,
    role: RoleId,
    request: Request,
    is_live: impl Fn(RoleId) -> bool,
) -> Vec<ActRelation> {
    let relation = |number: usize| {
        let id = ActId(number as u32);
        let act = table.act(id);
        let can_happen = |other| other == role || is_live(other);
        if !needed(act).all(can_happen) {
            ActRelation::Excluded
        } else if request.is_for(table, role, id) {
            ActRelation::Wanted
        } else if subjects(act).any(|subject| subject == role) {
            ActRelation::Excluded
        } else {
            ActRelation::ByOthers
        }
    };
    (0..table.plan.acts.len()).map(relation).collect()
}

/// The reversed automaton.
#[derive(Debug)]
struct ReverseSteps {
    /// The first step to each state, and the end of the last.
    offsets: Vec<u32>,
    /// Sources of the steps, by target.
    steps: Vec<(GlobalId, ActId)>,
}

impl Reachability {
    /// Whether other roles can make a request possible.
    pub(super) fn can_happen(
        &mut self,
        table: &Table,
        state: GlobalId,
        role: RoleId,
        request: Request,
        is_live: impl Fn(RoleId) -> bool,
    ) -> bool {
        let Self { by_request, back, .. } = self;
        let answers_of = by_request
            .entry((role, request))
            .or_insert_with(|| RequestReachability::new(table, role, request, is_live));
        answers_of.answers[state.index()].unwrap_or_else(|| {
            // Repeated searches must not cost much more than solving for all states at once.
            if answers_of.n_looks > table.global.n_steps() {
                answers_of.solve_all(table, back.get_or_insert_with(|| ReverseSteps::new(table)));
                answers_of.answers[state.index()] == Some(true)
            } else {
                answers_of.search(table, state)
            }
        })
    }

    /// The same in a configuration of parallel parts.
    pub(super) fn can_happen_in_parts(
        &mut self,
        table: &Table,
        slots: &[u32],
        role: RoleId,
        request: Request,
        is_live: impl Fn(RoleId) -> bool,
    ) -> bool {
        let new = || PartsReachability::new(table, &relations(table, role, request, is_live));
        self.in_parts.entry((role, request)).or_insert_with(new).holds(table, slots)
    }

    /// Discards all results, after a role has left.
    pub(super) fn forget(&mut self) {
        self.by_request.clear();
        self.in_parts.clear();
    }
}

impl RequestReachability {
    fn new(
        table: &Table,
        role: RoleId,
        request: Request,
        is_live: impl Fn(RoleId) -> bool,
    ) -> Self {
        Self {
            parts: relations(table, role, request, is_live),
            answers: vec![None; table.plan.strict.len()],
            n_looks: 0,
        }
    }

    fn part(&self, act: ActId) -> ActRelation {
        self.parts[act.index()]
    }

    /// Depth-first search: the act is usually near.
    fn search(&mut self, table: &Table, from: GlobalId) -> bool {
        // Visited states are assumed not to reach it until the search ends.
        self.answers[from.index()] = Some(false);
        let mut met = vec![from];
        let mut stack = vec![from];
        while let Some(state) = stack.pop() {
            for step in table.global.steps(state) {
                self.n_looks += 1;
                let answer = self.answers[step.to.index()];
                match (self.part(step.act), answer) {
                    (ActRelation::Wanted, _) | (ActRelation::ByOthers, Some(true)) => {
                        for state in met {
                            self.answers[state.index()] = None;
                        }
                        self.answers[from.index()] = Some(true);
                        return true;
                    }
                    (ActRelation::ByOthers, None) => {
                        self.answers[step.to.index()] = Some(false);
                        met.push(step.to);
                        stack.push(step.to);
                    }
                    (ActRelation::ByOthers, Some(false)) | (ActRelation::Excluded, _) => {}
                }
            }
        }
        false
    }

    /// Solves for all states, backwards from the wanted acts.
    fn solve_all(&mut self, table: &Table, back: &ReverseSteps) {
        self.answers.fill(Some(false));
        let mut stack = Vec::new();
        for state in (0..self.answers.len()).map(|state| GlobalId(state as u32)) {
            if table
                .global
                .steps(state)
                .iter()
                .any(|step| self.part(step.act) == ActRelation::Wanted)
            {
                self.answers[state.index()] = Some(true);
                stack.push(state);
            }
        }
        while let Some(state) = stack.pop() {
            for &(from, act) in back.steps(state) {
                if self.part(act) == ActRelation::ByOthers
                    && self.answers[from.index()] == Some(false)
                {
                    self.answers[from.index()] = Some(true);
                    stack.push(from);
                }
            }
        }
    }
}

impl ReverseSteps {
    fn new(table: &Table) -> Self {
        let states = || (0..table.plan.strict.len()).map(|state| GlobalId(state as u32));
        let steps = || {
            states().flat_map(|from| table.global.steps(from).iter().map(move |step| (from, step)))
        };
        let mut offsets = vec![0; table.plan.strict.len() + 1];
        for (_, step) in steps() {
            offsets[step.to.index() + 1] += 1;
        }
        for state in 1..offsets.len() {
            offsets[state] += offsets[state - 1];
        }
        let mut free = offsets.clone();
        let mut back = vec![(GlobalId(0), ActId(0)); table.global.n_steps()];
        for (from, step) in steps() {
            let record = &mut free[step.to.index()];
            back[*record as usize] = (from, step.act);
            *record += 1;
        }
        Self { offsets, steps: back }
    }

    /// The steps to a state.
    fn steps(&self, state: GlobalId) -> &[(GlobalId, ActId)] {
        let at = state.index();
        &self.steps[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// Whether the protocol can end without another step of the role.
pub(super) fn may_finish(table: &Table, from: &[GlobalId], role: RoleId) -> bool {
    let states = reach(table, from, role);
    states.into_iter().any(|state| table.plan.strict[state.index()].may_end)
}

/// The next acts of a role, after any steps of other roles.
pub(super) fn acts(table: &Table, from: &[GlobalId], role: RoleId) -> BTreeSet<ActId> {
    let states = reach(table, from, role);
    let acts = states.into_iter().flat_map(|state| table.global.steps(state)).map(|step| step.act);
    acts.filter(|&act| subjects(table.act(act)).any(|subject| subject == role)).collect()
}

/// The states that other roles can reach, of each parallel part for itself.
fn reach(table: &Table, from: &[GlobalId], without: RoleId) -> BTreeSet<GlobalId> {
    let forks = &table.global.forks;
    let mut met: BTreeSet<GlobalId> = from.iter().copied().collect();
    let mut stack = from.to_vec();
    let mut over = parts::Joined::new(forks);
    while let Some(state) = stack.pop() {
        let mut meet = |state: GlobalId| {
            if met.insert(state) {
                stack.push(state);
            }
        };
        for step in table.global.steps(state).iter().filter(|step| !forks.is_entry(step.to.0)) {
            if subjects(table.act(step.act)).all(|role| role != without) {
                meet(step.to);
            }
        }
        for (parts, _) in forks.leaving(state.0) {
            parts.iter().for_each(|&part| meet(GlobalId(part)));
        }
        if let Some(then) = over.ended(forks, state.0) {
            meet(GlobalId(then));
        }
    }
    met
}

/// The roles that must be there: nothing is sent to a role that has left.
fn needed(act: &Act) -> impl Iterator<Item = RoleId> + '_ {
    let receivers = if act.kind == Kind::Send { &act.to[..] } else { &[] };
    subjects(act).chain(receivers.iter().copied())
}

/// The roles that perform the step.
fn subjects(act: &Act) -> impl Iterator<Item = RoleId> + '_ {
    let from = (act.kind != Kind::Receive).then_some(act.from);
    let to = match act.kind {
        Kind::Receive | Kind::Exchange => &act.to[..],
        Kind::Send | Kind::Close | Kind::Local => &[],
    };
    from.into_iter().chain(to.iter().copied())
}

#[cfg(test)]
mod tests;
