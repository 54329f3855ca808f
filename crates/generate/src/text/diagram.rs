//! What a role does, state by state, as lines of text for its documentation.

use proc_macro2::Ident;
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, Kind, LocalState, RoleId};
use quadrille_runtime::structure::Fork;

use super::Context;
use crate::typestate::TypedState;

/// Most states that documentation shows.
const MAX_STATES: usize = 16;
/// Most parallel parts that it names.
const MOST_PARTS: usize = 8;

/// The states of a role, one per line; nothing where the plan has no liberal form.
pub(super) fn diagram(plan: &Plan, forks: &[Fork], role: RoleId) -> Vec<String> {
    let Some(local) = plan.locals.get(role.index()) else { return Vec::new() };
    let shown = local.states.iter().take(MAX_STATES).enumerate();
    let mut lines: Vec<String> =
        shown.map(|(number, state)| line(plan, forks, role, number, state)).collect();
    if local.states.len() > MAX_STATES {
        lines.push(format!("… and {} more states", local.states.len() - MAX_STATES));
    }
    lines
}

/// The typed states of a role, one per line, as a block of a documentation.
pub(super) fn typed_diagram(
    context: &Context<'_>,
    names: &[Ident],
    states: &[TypedState],
) -> Vec<String> {
    let mut lines = vec![String::new(), " ```text".to_owned()];
    let shown = names.iter().zip(states).take(MAX_STATES);
    lines
        .extend(shown.map(|(name, state)| format!(" {}", typed_line(context, names, name, state))));
    if states.len() > MAX_STATES {
        lines.push(format!(" … and {} more states", states.len() - MAX_STATES));
    }
    lines.push(" ```".to_owned());
    lines
}

fn typed_line(context: &Context<'_>, names: &[Ident], name: &Ident, state: &TypedState) -> String {
    let role = |role: RoleId| &*context.plan.roles[role.index()];
    let message = |index| context.interface.message(index).ident.to_string();
    let mut steps: Vec<String> = Vec::new();
    for sending in &state.sends {
        let mut nexts: Vec<String> = Vec::new();
        for (_, next) in &sending.nexts {
            let next = names[*next].to_string();
            if !nexts.contains(&next) {
                nexts.push(next);
            }
        }
        let to = sending.to.map(|to| format!(" to {}", role(to))).unwrap_or_default();
        steps.push(format!("sends {}{to} → {}", message(sending.message), nexts.join(" or ")));
    }
    for reception in &state.receives {
        let what = match reception.label {
            Some(label) => context.plan.labels[label.index()].to_string(),
            None => message(reception.message),
        };
        let from = reception.from.map(|from| format!(" from {}", role(from))).unwrap_or_default();
        steps.push(format!("receives {what}{from} → {}", names[reception.next]));
    }
    for &(to, next) in &state.closes {
        steps.push(format!("closes to {} → {}", role(to), names[next]));
    }
    for &(label, next) in &state.does {
        steps.push(format!("does {} → {}", context.plan.labels[label.index()], names[next]));
    }
    if state.may_end {
        steps.push("may end".to_owned());
    }
    if steps.is_empty() {
        steps.push("nothing is possible: a deadlock".to_owned());
    }
    format!("{name}: {}", steps.join(" | "))
}

fn line(plan: &Plan, forks: &[Fork], role: RoleId, number: usize, state: &LocalState) -> String {
    let mut steps: Vec<String> = Vec::new();
    for edge in state.edges.iter() {
        let step = format!("{} → {}", step(plan, role, &plan.acts[edge.act.index()]), edge.to.0);
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    for fork in forks.iter().filter(|fork| fork.at.contains(&(number as u32))) {
        let mut parts: Vec<String> =
            fork.parts.iter().take(MOST_PARTS).map(u32::to_string).collect();
        if fork.parts.len() > MOST_PARTS {
            parts.push(format!("{} more", fork.parts.len() - MOST_PARTS));
        }
        steps.push(format!("at once from {}, then → {}", parts.join(" and "), fork.then));
    }
    if steps.is_empty() && !state.may_end {
        steps.push("this part is over".to_owned());
    }
    if state.may_end {
        steps.push("may end".to_owned());
    }
    format!("{number}: {}", steps.join(" | "))
}

/// An act from the point of view of one who takes part.
fn step(plan: &Plan, role: RoleId, act: &Act) -> String {
    let label = act.label.map_or("", |label| &plan.labels[label.index()]);
    let name = |role: RoleId| &*plan.roles[role.index()];
    let to = || act.to.iter().map(|&to| name(to)).collect::<Vec<_>>().join(", ");
    match act.kind {
        Kind::Receive => format!("receives {label} from {}", name(act.from)),
        Kind::Exchange if act.from != role => format!("takes {label} from {}", name(act.from)),
        Kind::Send => format!("sends {label} to {}", to()),
        Kind::Exchange => format!("passes {label} to {}", to()),
        Kind::Close => format!("closes to {}", to()),
        Kind::Local => format!("does {label}"),
    }
}
