//! Rules about going on: ends that can be reached, states where nothing can happen, roles that starve.

use quadrille_diagnostic::Diagnostic;
use quadrille_model::StateId;
use quadrille_protocol::core::{ActId, RoleId};
use quadrille_protocol::project::Global;

use crate::answer::Finding;
use crate::protocol::codes::{CANNOT_END, STARVES, STUCK};
use crate::protocol::explored::{Explored, steps_note};

pub(super) fn findings(explored: &Explored<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(stuck(explored));
    found.extend(cannot_end(explored));
    found.extend(explored.global().role_ids().filter_map(|role| starves(explored, role)));
    found.into_iter().map(Finding::from).collect()
}

/// A state in which nothing can happen and which is no end, with a shortest way to it.
pub fn stuck(explored: &Explored<'_>) -> Option<Diagnostic> {
    let global = explored.global();
    let state =
        global.states().find(|&state| global.edges(state).is_empty() && !global.is_end(state))?;
    let path = explored.path_to(state);
    let diagnostic = Diagnostic::warning(&STUCK, "the protocol can get stuck")
        .note(steps_note("after", &explored.labels(&path)))
        .help("give the protocol something to do there, or let it end");
    Some(at_last(explored, diagnostic, &path, "nothing can happen after this"))
}

fn cannot_end(explored: &Explored<'_>) -> Option<Diagnostic> {
    let global = explored.global();
    let ends = global.states().filter(|&state| global.is_end(state));
    let can_end = explored.reaching(ends, |_| true);
    let lost = |&state: &StateId| !can_end[state.index()] && !global.edges(state).is_empty();
    if !can_end[Global::START.index()] {
        return None;
    }
    let state = global.states().find(lost)?;
    let path = explored.path_to(state);
    let message = "the protocol can end, but not from every state";
    let diagnostic = Diagnostic::warning(&CANNOT_END, message)
        .note(steps_note("no end can be reached after", &explored.labels(&path)))
        .help("give every branch a way to end, or none");
    Some(at_last(explored, diagnostic, &path, "no way to end after this"))
}

/// Points at the last step of a path.
fn at_last(
    explored: &Explored<'_>,
    diagnostic: Diagnostic,
    path: &[ActId],
    text: &str,
) -> Diagnostic {
    match path.split_last() {
        Some((&last, before)) => explored.at(diagnostic, before, last, text),
        None => diagnostic,
    }
}

/// Whether the others can go on for ever without a role that could still act.
fn starves(explored: &Explored<'_>, role: RoleId) -> Option<Diagnostic> {
    let global = explored.global();
    let acts = |act: ActId| global.act(act).subjects().contains(&role);
    let has_role = |state: &StateId| global.edges(*state).iter().any(|&(act, _)| acts(act));
    let could_act = explored.reaching(global.states().filter(has_role), |_| true);
    // States from which one can go on for ever without the role, among those in which it could
    // still act: the others are taken away one by one.
    let goes_on = |state: StateId| {
        let edges = global.edges(state).iter();
        edges.filter(|&&(act, to)| !acts(act) && could_act[to.index()]).map(|&(_, to)| to)
    };
    let mut n_ways: Vec<usize> = global.states().map(|state| goes_on(state).count()).collect();
    let mut gone: Vec<bool> = could_act.iter().map(|could| !could).collect();
    let is_last = |&state: &StateId| could_act[state.index()] && n_ways[state.index()] == 0;
    let mut stack: Vec<StateId> = global.states().filter(is_last).collect();
    while let Some(state) = stack.pop() {
        gone[state.index()] = true;
        for &(act, from) in explored.into(state) {
            if !acts(act) && could_act[from.index()] {
                n_ways[from.index()] -= 1;
                if n_ways[from.index()] == 0 {
                    stack.push(from);
                }
            }
        }
    }
    let start = global.states().find(|state| !gone[state.index()])?;
    let path = explored.path_to(start);
    let cycle = cycle(global, start, |act, to| !acts(act) && !gone[to.index()]);
    let message = format!("role `{}` can starve", global.role(role));
    let diagnostic = Diagnostic::warning(&STARVES, message)
        .note(steps_note("after", &explored.labels(&path)))
        .note(steps_note("the others can repeat for ever", &explored.labels(&cycle)))
        .help("let the others come round to it, or rely on fairness and say so in formulas");
    let waits = explored.used_acts().find(|&act| acts(act));
    Some(match waits {
        Some(act) => {
            explored.at(diagnostic, &explored.path_before(act), act, "may never happen again")
        }
        None => diagnostic,
    })
}

/// A cycle of edges that are allowed, from a state where one can go on for ever.
fn cycle(global: &Global, start: StateId, allowed: impl Fn(ActId, StateId) -> bool) -> Vec<ActId> {
    let mut met = vec![None; global.n_states()];
    let mut acts = Vec::new();
    let mut state = start;
    while met[state.index()].is_none() {
        met[state.index()] = Some(acts.len());
        let next = global.edges(state).iter().find(|&&(act, to)| allowed(act, to));
        let Some(&(act, to)) = next else { break };
        acts.push(act);
        state = to;
    }
    acts.split_off(met[state.index()].unwrap_or(0))
}
