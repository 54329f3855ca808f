//! Rules about choices: which role decides, whether every role can tell the branches apart, whether branches begin alike.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Limits, Observer};
use quadrille_model::{InteractionKind, LocalId, StateId};
use quadrille_protocol::core::{Act, ActId, RoleId};
use quadrille_protocol::project::{Global, LocalAutomaton, Projection};

use crate::answer::Finding;
use crate::protocol::Stopped;
use crate::protocol::codes::{CANNOT_TELL, DECIDED_BY_SEVERAL, DIAMOND, SAME_BEGINNING};
use crate::protocol::explored::{Explored, steps_note};
use crate::protocol::faithful::projected;

pub(super) fn findings(
    explored: &Explored<'_>,
    limits: Limits,
    observer: &mut Observer<'_>,
) -> Result<Vec<Finding>, Stopped> {
    let mut conflicting = BTreeSet::new();
    let mut found = conflicts(explored, &mut conflicting);
    found.extend(same_beginnings(explored));
    let projection = projected(explored.global(), limits, observer)?;
    found.extend(cannot_tell(explored, &projection, conflicting));
    Ok(found.into_iter().map(Finding::from).collect())
}

/// Pairs of actions of different roles that are possible in one state and do not commute; one of each
/// kind for the same roles. All such actions are added to `conflicting`.
fn conflicts(explored: &Explored<'_>, conflicting: &mut BTreeSet<ActId>) -> Vec<Diagnostic> {
    let global = explored.global();
    let subjects: BTreeMap<ActId, Vec<RoleId>> =
        explored.used_acts().map(|act| (act, global.act(act).subjects())).collect();
    let shares = |one: &[RoleId], other: &[RoleId]| one.iter().any(|role| other.contains(role));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for state in global.states() {
        let edges = global.edges(state);
        for (position, &(a, after_a)) in edges.iter().enumerate() {
            for &(b, after_b) in &edges[position + 1..] {
                if shares(&subjects[&a], &subjects[&b]) || meet(global, (after_a, b), (after_b, a))
                {
                    continue;
                }
                conflicting.extend([a, b]);
                let is_diamond = !shares(&mentioned(global.act(a)), &mentioned(global.act(b)));
                let roles: BTreeSet<RoleId> =
                    subjects[&a].iter().chain(&subjects[&b]).copied().collect();
                if !seen.insert((roles, is_diamond)) {
                    continue;
                }
                found.push(conflict(explored, state, (a, b), is_diamond));
            }
        }
    }
    found
}

fn conflict(
    explored: &Explored<'_>,
    state: StateId,
    (a, b): (ActId, ActId),
    is_diamond: bool,
) -> Diagnostic {
    let global = explored.global();
    let (one, other) = (global.label(a), global.label(b));
    let diagnostic = if is_diamond {
        let message = format!("`{one}` and `{other}` are independent and exclude each other");
        Diagnostic::warning(&DIAMOND, message).help("put one role in charge, or let both happen")
    } else {
        let message = format!("a choice between `{one}` and `{other}` is not decided by one role");
        Diagnostic::warning(&DECIDED_BY_SEVERAL, message)
            .help("let one role decide and tell the others")
    };
    let path = explored.path_to(state);
    let diagnostic = diagnostic.note(steps_note("after", &explored.labels(&path)));
    let diagnostic = explored.at(diagnostic, &path, a, "either this");
    explored.at(diagnostic, &path, b, "or this")
}

/// Whether two actions can follow each other in both orders and then lead to one state.
fn meet(global: &Global, (after_a, b): (StateId, ActId), (after_b, a): (StateId, ActId)) -> bool {
    let then = |state: StateId, act: ActId| {
        global.edges(state).iter().filter(move |edge| edge.0 == act).map(|edge| edge.1)
    };
    then(after_a, b).any(|end| then(after_b, a).any(|other| other == end))
}

fn mentioned(act: &Act) -> Vec<RoleId> {
    std::iter::once(act.from).chain(act.to.iter().copied()).collect()
}

/// Actions that lead to different states from one.
fn same_beginnings(explored: &Explored<'_>) -> Vec<Diagnostic> {
    let global = explored.global();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for state in global.states() {
        let edges = global.edges(state);
        for (position, &(act, _)) in edges.iter().enumerate() {
            let again = edges[..position].iter().any(|&(other, _)| other == act);
            if again && seen.insert(act) {
                let message = format!("two branches begin with `{}`", global.label(act));
                let path = explored.path_to(state);
                let diagnostic = Diagnostic::warning(&SAME_BEGINNING, message)
                    .note(steps_note("after", &explored.labels(&path)))
                    .help("take it out of the choice, or give the messages different names");
                found.push(explored.at(diagnostic, &path, act, "which branch is this?"));
            }
        }
    }
    found
}

/// Actions that a role may take as far as it knows, and in another state that it cannot tell from this
/// one may never take; without those of which something was said already.
fn cannot_tell(
    explored: &Explored<'_>,
    projection: &Projection,
    mut seen: BTreeSet<ActId>,
) -> Vec<Diagnostic> {
    let global = explored.global();
    let mut found = Vec::new();
    for local in projection.locals() {
        // Where an action of the role is possible at once or after steps of others.
        let mut may_come: BTreeMap<ActId, Vec<bool>> = BTreeMap::new();
        for (number, state) in local.states.iter().enumerate() {
            for edge in &state.edges {
                let act = global.act(edge.act);
                if act.kind == InteractionKind::Receive
                    || act.from != local.role
                    || state.knows.len() < 2
                {
                    continue;
                }
                let may = may_come.entry(edge.act).or_insert_with(|| {
                    let has_act = |state: &StateId| {
                        global.edges(*state).iter().any(|&(other, _)| other == edge.act)
                    };
                    explored.reaching(global.states().filter(has_act), |step| {
                        !global.act(step).subjects().contains(&local.role)
                    })
                });
                let wrong = state.knows.iter().find(|known| !may[known.index()]);
                if let Some(&wrong) = wrong.filter(|_| seen.insert(edge.act)) {
                    let path = path_to_both(global, local, LocalId::from_usize(number), wrong);
                    found.push(untold(explored, local.role, edge.act, &path));
                }
            }
        }
    }
    found
}

fn untold(explored: &Explored<'_>, role: RoleId, act: ActId, path: &[ActId]) -> Diagnostic {
    let global = explored.global();
    let (role, label) = (global.role(role), global.label(act));
    let diagnostic = Diagnostic::warning(
        &CANNOT_TELL,
        format!("`{role}` cannot tell in time whether it may do `{label}`"),
    )
    .note(steps_note("as far as it knows it may; but it must not after", &explored.labels(path)))
    .help(format!("let the role that chooses tell `{role}` in every branch"));
    let before = explored.path_before(act);
    let diagnostic = explored.at(diagnostic, &before, act, "in one branch only");
    match path.iter().rposition(|&step| step != act) {
        Some(last) => explored.at(diagnostic, &path[..last], path[last], "not after this"),
        None => diagnostic,
    }
}

/// A shortest run after which the protocol is in a state and a role, by its own automaton, in another.
fn path_to_both(
    global: &Global,
    local: &LocalAutomaton,
    local_goal: LocalId,
    goal: StateId,
) -> Vec<ActId> {
    let start = (Global::START, LocalId::new(0));
    let mut arrivals = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some((state, own)) = queue.pop_front() {
        if (state, own) == (goal, local_goal) {
            break;
        }
        for &(act, to) in global.edges(state) {
            let is_own = global.act(act).subjects().contains(&local.role);
            let edges = local.states[own.index()].edges.iter().filter(|edge| edge.act == act);
            let stays = Some(own).filter(|_| !is_own);
            for own_to in edges.filter(|_| is_own).map(|edge| edge.to).chain(stays) {
                let next = (to, own_to);
                if next != start && !arrivals.contains_key(&next) {
                    arrivals.insert(next, ((state, own), act));
                    queue.push_back(next);
                }
            }
        }
    }
    let back = |&(from, _): &((StateId, LocalId), ActId)| arrivals.get(&from).copied();
    let steps = std::iter::successors(arrivals.get(&(goal, local_goal)).copied(), back);
    let mut path: Vec<ActId> = steps.map(|(_, act)| act).collect();
    path.reverse();
    path
}
