//! Why a stuck system is stuck: for each participant the steps it is ready for and what they lack.

use quadrille_model::{Group, Guard, Model, ParticipantId, Test, Value};
use serde::{Deserialize, Serialize};

use crate::Shown;
use crate::story::{Names, shown};

/// Somebody is ready for a step that is not possible.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// Who waits.
    pub participant: String,
    /// The step waited for.
    pub step: String,
    /// What the step lacks.
    pub needs: Vec<Need>,
}

/// A condition of a step that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Need {
    /// The slot looked at.
    pub slot: String,
    /// What it holds.
    pub is: Shown,
    /// What it would have to hold; empty where that cannot be listed shortly.
    #[serde(default)]
    pub wants: Vec<Shown>,
}

/// Wanted values are listed up to this many.
const MAX_WANTS: usize = 4;

/// Who waits for what in a state, as far as the groups' guards tell.
///
/// A participant waits for a group when the group's guards on the participant's own slots all hold,
/// there is at least one, and a guard elsewhere fails. A slot is a participant's own when it bears
/// its name.
pub(crate) fn waits(
    model: &dyn Model,
    state: &[Value],
    slots: &[String],
    names: &mut Names,
) -> Vec<Wait> {
    let mut found: Vec<(ParticipantId, Wait)> = Vec::new();
    for group in model.groups() {
        for &participant in &group.participants {
            let name = names.name(participant);
            if !ready(group, &name, slots, state) {
                continue;
            }
            let failing = group.guards.iter().filter(|guard| !guard.holds(state));
            let needs: Vec<Need> = failing.map(|guard| need(model, guard, slots, state)).collect();
            if !needs.is_empty() {
                let wait = Wait { participant: name, step: group.name.clone(), needs };
                if !found.iter().any(|(_, known)| *known == wait) {
                    found.push((participant, wait));
                }
            }
        }
    }
    found.sort_by_key(|(participant, _)| *participant);
    found.into_iter().map(|(_, wait)| wait).collect()
}

fn ready(group: &Group, participant: &str, slots: &[String], state: &[Value]) -> bool {
    let mut own = group.guards.iter().filter(|guard| {
        let slot = &slots[guard.slot.index()];
        slot.strip_prefix(participant).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let mut any = false;
    own.all(|guard| {
        any = true;
        guard.holds(state)
    }) && any
}

fn need(model: &dyn Model, guard: &Guard, slots: &[String], state: &[Value]) -> Need {
    let show = |value| shown(model, guard.slot, value);
    let wants = match &guard.test {
        Test::In(set) if set.len() <= MAX_WANTS => set.iter().map(show).collect(),
        Test::In(_) | Test::Masked { .. } => Vec::new(),
    };
    Need { slot: slots[guard.slot.index()].clone(), is: show(state[guard.slot.index()]), wants }
}
