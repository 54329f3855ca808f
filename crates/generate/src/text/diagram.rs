//! What a role does, state by state, as lines of text for its documentation.

use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, Kind, LocalState, RoleId};
use quadrille_runtime::structure::Fork;

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
