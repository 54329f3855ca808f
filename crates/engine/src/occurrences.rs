//! What occurs in a model and what never does: actions, groups, propositions, values of slots. A
//! [`Visitor`]; what it finds missing means something after a complete walk only.

use std::ops::ControlFlow;

use quadrille_model::{
    ActionId, Explorer, Flow, GroupId, Model, PropositionId, Signature, SlotId, StateId, Value,
    ValueSet,
};

use crate::bits::Bits;
use crate::explore::{Expansion, Explored, Visitor};
use crate::sweep::{Sift, SiftTest, Sight};

/// What occurred during a walk.
///
/// The actions of some models are numbered as they are met; such an action has occurred somewhere,
/// but perhaps in a step that was only tried. After the walk, an atom about actions matches nothing
/// if it matches none of [`Occurrences::actions`].
pub struct Occurrences<'m> {
    explorer: Box<dyn Explorer + 'm>,
    actions: Bits,
    groups: Bits,
    n_groups: usize,
    missing: Missing<'m>,
}

/// What did not occur so far in a state.
struct Missing<'m> {
    model: &'m dyn Model,
    /// Propositions that held nowhere.
    propositions: Vec<PropositionId>,
    /// Slots with a few values each, some of which they did not have.
    values: Vec<(SlotId, ValueSet)>,
}

impl Sift for Missing<'_> {
    fn begin(&self) -> SiftTest<'_> {
        let mut explorer = self.model.explorer();
        Box::new(move |state| {
            let is_new =
                |(slot, missing): &(SlotId, ValueSet)| missing.contains(state[slot.index()]);
            // What cannot be told is for the visitor to see.
            let mut holds = |&id| !matches!(explorer.holds(id, state), Ok(false));
            self.values.iter().any(is_new) || self.propositions.iter().any(&mut holds)
        })
    }
}

/// Slots with more values than this are not looked at.
const MOST_VALUES: u32 = 1 << 12;

/// The values of a slot that has few; whether each occurs is worth telling.
pub fn few_values(signature: &Signature, slot: SlotId) -> Option<ValueSet> {
    let size = signature.slot(slot).domain.size()?;
    (size <= MOST_VALUES).then(|| ValueSet::all(size))
}

impl<'m> Occurrences<'m> {
    /// Nothing occurred yet.
    pub fn new(model: &'m dyn Model) -> Self {
        let signature = model.signature();
        let propositions = 0..signature.propositions.len();
        Self {
            explorer: model.explorer(),
            actions: Bits::none(model.n_actions()),
            groups: Bits::none(signature.groups.len()),
            n_groups: signature.groups.len(),
            missing: Missing {
                model,
                propositions: propositions.map(PropositionId::from_usize).collect(),
                values: signature
                    .slot_ids()
                    .filter_map(|slot| Some((slot, few_values(signature, slot)?)))
                    .collect(),
            },
        }
    }

    /// Nothing occurred yet; only actions and groups are asked for afterwards, so no state is looked at.
    pub fn of_steps(model: &'m dyn Model) -> Self {
        let missing = Missing { model, propositions: Vec::new(), values: Vec::new() };
        Self { missing, ..Self::new(model) }
    }

    /// The actions that occurred, in ascending order.
    pub fn actions(&self) -> impl Iterator<Item = ActionId> + '_ {
        self.actions.iter().map(ActionId::from_usize)
    }

    /// The actions that the model knows and that never occurred.
    pub fn actions_missing(&self, model: &dyn Model) -> impl Iterator<Item = ActionId> + '_ {
        let all = 0..model.n_actions();
        all.filter(|&action| !self.actions.has(action)).map(ActionId::from_usize)
    }

    /// The groups that never made a step.
    pub fn groups_missing(&self) -> impl Iterator<Item = GroupId> + '_ {
        (0..self.n_groups).filter(|&group| !self.groups.has(group)).map(GroupId::from_usize)
    }

    /// The propositions that never held.
    pub fn propositions_missing(&self) -> &[PropositionId] {
        &self.missing.propositions
    }

    /// The values that slots never had: for a slot that holds a local state, local states that
    /// were never reached. Slots with interned or very many values are left out.
    pub fn values_missing(&self) -> impl Iterator<Item = (SlotId, Value)> + '_ {
        let slots = self.missing.values.iter();
        slots.flat_map(|(slot, missing)| missing.iter().map(|value| (*slot, value)))
    }
}

impl Visitor for Occurrences<'_> {
    fn needs_states(&self) -> bool {
        !self.missing.propositions.is_empty() || !self.missing.values.is_empty()
    }

    fn met(&mut self, _: &Explored<'_>, _: StateId, values: &[Value]) -> Flow {
        self.occur(values)
    }

    fn expanded(&mut self, walk: &Explored<'_>, expansion: &Expansion<'_>) -> Flow {
        let n_actions = walk.space().model().n_actions();
        for edge in expansion.edges {
            self.actions.insert_growing(edge.action.index(), n_actions);
            self.groups.insert(edge.group.index());
        }
        ControlFlow::Continue(())
    }

    fn can_sweep(&self) -> bool {
        true
    }

    fn sift(&self) -> Option<&dyn Sift> {
        Some(&self.missing)
    }

    fn swept(&mut self, sight: Sight<'_>) -> Flow {
        match sight {
            Sight::State(values) => self.occur(values)?,
            Sight::Deadlock => {}
            Sight::Step(group, action) => {
                self.actions.insert_growing(action.index(), action.index() + 1);
                self.groups.insert(group.index());
            }
        }
        ControlFlow::Continue(())
    }

    fn bytes(&self) -> usize {
        self.actions.bytes()
    }
}

impl Occurrences<'_> {
    /// Notes what occurs in a state.
    fn occur(&mut self, values: &[Value]) -> Flow {
        let Missing { propositions, values: slots, .. } = &mut self.missing;
        let mut position = 0;
        while let Some(&proposition) = propositions.get(position) {
            match self.explorer.holds(proposition, values) {
                Ok(true) => {
                    propositions.remove(position);
                }
                Ok(false) => position += 1,
                Err(problem) => return ControlFlow::Break(problem.into()),
            }
        }
        let mut all_seen = false;
        for (slot, missing) in &mut *slots {
            all_seen |= missing.remove(values[slot.index()]) && missing.is_empty();
        }
        if all_seen {
            slots.retain(|(_, missing)| !missing.is_empty());
        }
        ControlFlow::Continue(())
    }
}
