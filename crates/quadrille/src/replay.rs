//! Performing a run again: the actions of a counterexample, one after the other, on the module itself.

use std::fmt;

use quadrille_diagnostic::similar;
use quadrille_model::{ActionId, GroupId, Model, SlotId, Value};

/// A run that a module performed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// What the module can do after it, as labels, ascending.
    pub next: Vec<String>,
    /// Whether it may end after it.
    pub may_end: bool,
    /// The state after it: each slot with what it holds. The first of them, where steps with the same label
    /// lead to different states.
    pub state: Vec<(String, String)>,
}

/// A run that a module did not perform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The position of the action it does not do.
    pub position: usize,
    /// The action.
    pub action: String,
    /// What it can do instead.
    pub offers: Vec<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused { position, action, offers } = self;
        let number = position + 1;
        write!(f, "step {number}, `{action}`, is not possible")?;
        let near = similar(action, offers.iter().map(String::as_str));
        match (near.first(), &offers[..]) {
            (Some(near), _) => write!(f, "; did you mean `{near}`?"),
            (None, []) => f.write_str("; nothing is"),
            (None, offers) => write!(f, "; possible is: {}", offers.join(", ")),
        }
    }
}

impl std::error::Error for Refused {}

/// Lets a module perform these actions. Where equal labels lead to different states, all of them are followed.
/// This is no verdict: a step beside the wanted one may go wrong, as the last one of a fault's run does.
pub(crate) fn replay(module: &dyn Model, actions: &[&str]) -> Result<Replayed, Refused> {
    let mut explorer = module.explorer();
    let mut states: Vec<Vec<Value>> = Vec::new();
    let _ = explorer.each_initial(|state| states.push(state.to_vec()));
    for (position, action) in actions.iter().enumerate() {
        let (mut after, mut offers) = (Vec::new(), Vec::new());
        for state in &states {
            let look = |_: GroupId, id: ActionId, next: &[Value]| {
                let label = module.action(id).label;
                if label == *action && !after.iter().any(|known| known == next) {
                    after.push(next.to_vec());
                }
                offers.push(label);
            };
            let _ = explorer.each_successor(state, look);
        }
        if after.is_empty() {
            offers.sort();
            offers.dedup();
            return Err(Refused { position, action: (*action).to_owned(), offers });
        }
        states = after;
    }
    let mut next = Vec::new();
    for state in &states {
        let _ = explorer.each_successor(state, |_, id, _| next.push(module.action(id).label));
    }
    next.sort();
    next.dedup();
    let signature = module.signature();
    let show = |state: &Vec<Value>| {
        let show = |slot: SlotId| module.show(slot, state[slot.index()]);
        let slots = signature.slot_ids();
        slots.map(|slot| (signature.slot(slot).name.clone(), show(slot))).collect()
    };
    Ok(Replayed {
        next,
        may_end: states.iter().any(|state| explorer.may_end(state) == Ok(true)),
        state: states.first().map(show).unwrap_or_default(),
    })
}
