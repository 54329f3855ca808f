//! What may still come in the strict form: a search over the automaton, away from the path that messages
//! take. What was found is remembered, since the same questions come again and again.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::ask::Ask;
use crate::plan::{Act, ActId, GlobalId, Kind, RoleId};
use crate::table::Table;

/// Answers by state and role, for as long as nobody leaves.
#[derive(Debug, Default)]
pub(super) struct Hopes {
    answers: FxHashMap<(GlobalId, RoleId, Ask), bool>,
}

impl Hopes {
    /// Whether others can bring about that the role gets what it asks for.
    pub(super) fn is_there(
        &mut self,
        table: &Table,
        state: GlobalId,
        role: RoleId,
        ask: Ask,
        is_live: impl Fn(RoleId) -> bool,
    ) -> bool {
        *self.answers.entry((state, role, ask)).or_insert_with(|| {
            let is_it = |step| {
                ask.is_for(table, role, step)
                    && needed(table.act(step)).all(|other| other == role || is_live(other))
            };
            reach(table, state, role, &is_live)
                .into_iter()
                .any(|state| table.global.steps(state).iter().any(|step| is_it(step.act)))
        })
    }

    /// Somebody left: what could come may not come any more.
    pub(super) fn forget(&mut self) {
        self.answers.clear();
    }
}

/// Whether the protocol may end without the role doing anything more.
pub(super) fn may_finish(table: &Table, state: GlobalId, role: RoleId) -> bool {
    let states = reach(table, state, role, |_| true);
    states.into_iter().any(|state| table.plan.strict[state.index()].may_end)
}

/// What a role may do when it is its turn.
pub(super) fn acts(table: &Table, state: GlobalId, role: RoleId) -> BTreeSet<ActId> {
    let states = reach(table, state, role, |_| true);
    let acts = states.into_iter().flat_map(|state| table.global.steps(state)).map(|step| step.act);
    acts.filter(|&act| subjects(table.act(act)).any(|subject| subject == role)).collect()
}

/// The states that others who are live reach without a role.
fn reach(
    table: &Table,
    from: GlobalId,
    without: RoleId,
    is_live: impl Fn(RoleId) -> bool,
) -> BTreeSet<GlobalId> {
    let mut met = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(state) = stack.pop() {
        for step in table.global.steps(state) {
            let act = table.act(step.act);
            let may = subjects(act).all(|role| role != without) && needed(act).all(&is_live);
            if may && met.insert(step.to) {
                stack.push(step.to);
            }
        }
    }
    met
}

/// Who must be there: nothing is sent to somebody who has left.
fn needed(act: &Act) -> impl Iterator<Item = RoleId> + '_ {
    let receivers = if act.kind == Kind::Send { &act.to[..] } else { &[] };
    subjects(act).chain(receivers.iter().copied())
}

/// Who takes part in the step.
fn subjects(act: &Act) -> impl Iterator<Item = RoleId> + '_ {
    let from = (act.kind != Kind::Receive).then_some(act.from);
    let to = match act.kind {
        Kind::Receive | Kind::Exchange => &act.to[..],
        Kind::Send | Kind::Close | Kind::Alone => &[],
    };
    from.into_iter().chain(to.iter().copied())
}
