//! Why a stuck system is stuck: for each participant the steps it is ready for and what they lack.

use quadrille_model::{Group, Guard, GuardId, Model, ParticipantId, Signature, SlotKind, Value};
use serde::{Deserialize, Serialize};

use crate::Shown;
use crate::story::{Names, shown};

/// A participant is ready for a step that is not possible.
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
/// A participant waits for a group when the group's guards on the participant's own control all
/// hold, there is at least one, and another guard fails.
pub(crate) fn waits(
    model: &dyn Model,
    state: &[Value],
    slots: &[String],
    names: &mut Names,
) -> Vec<Wait> {
    let signature = model.signature();
    let mut explorer = model.explorer();
    let mut holds = |id: GuardId| match signature.guard(id).holds(state) {
        Some(holds) => holds,
        // What cannot be computed is not what is waited for.
        None => explorer.guard(id, state).unwrap_or(true),
    };
    let mut found: Vec<(ParticipantId, Wait)> = Vec::new();
    for group in &signature.groups {
        let failing: Vec<GuardId> = group.guards.iter().copied().filter(|&id| !holds(id)).collect();
        if failing.is_empty() {
            continue;
        }
        for &participant in &group.participants {
            if !is_ready(signature, group, participant, &failing) {
                continue;
            }
            let step = group.actions.iter().flatten().next();
            let step = step.map(|&action| model.action(action).label).unwrap_or_default();
            let needs = failing.iter().map(|&id| need(model, signature.guard(id), slots, state));
            let wait = Wait { participant: names.name(participant), step, needs: needs.collect() };
            if !found.iter().any(|(_, known)| *known == wait) {
                found.push((participant, wait));
            }
        }
    }
    found.sort_by_key(|(participant, _)| *participant);
    found.into_iter().map(|(_, wait)| wait).collect()
}

/// Whether the control of a participant is where the group needs it.
fn is_ready(
    signature: &Signature,
    group: &Group,
    participant: ParticipantId,
    failing: &[GuardId],
) -> bool {
    let is_own = |id: &&GuardId| {
        let slots = signature.guard(**id).reads().iter().map(|&slot| signature.slot(slot));
        let mut control = slots.filter(|slot| slot.kind == SlotKind::Control);
        control.any(|slot| slot.owner == Some(participant))
    };
    let mut own = group.guards.iter().filter(is_own).peekable();
    own.peek().is_some() && own.all(|id| !failing.contains(id))
}

fn need(model: &dyn Model, guard: &Guard, slots: &[String], state: &[Value]) -> Need {
    let slot = guard.reads()[0];
    let show = |value| shown(model, slot, value);
    let wants = match guard {
        Guard::In(_, set) if set.len() <= MAX_WANTS => set.iter().map(show).collect(),
        Guard::In(..) | Guard::Masked { .. } | Guard::AtLeast(..) | Guard::Opaque { .. } => {
            Vec::new()
        }
    };
    Need { slot: slots[slot.index()].clone(), is: show(state[slot.index()]), wants }
}
