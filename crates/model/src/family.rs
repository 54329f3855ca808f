//! Parts of a model that can be exchanged for each other, and what changes places when two of them
//! are.

use crate::{SlotId, Value};

/// Parts of the state vector that can be exchanged for each other: swapping any two members turns
/// runs into runs, with other actions, and initial states and ends into such.
///
/// What belongs to one member alone is in `members`. What is about several of them at once is in
/// `beside`: a relation between members has a slot for every two, and all slots of a row and of a
/// column change places; a slot that holds a member's name holds the other's name afterwards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Family {
    /// The slots of each member, in the same order for all.
    pub members: Vec<Vec<SlotId>>,
    /// What else changes places when a member and the one behind it do, for each but the last;
    /// empty where nothing does.
    pub beside: Vec<Swap>,
}

impl Family {
    /// A family of which nothing but the members' own slots changes places.
    pub fn of(members: Vec<Vec<SlotId>>) -> Self {
        Self { members, beside: Vec::new() }
    }

    /// What changes places when a member and the one behind it do, for each but the last. Every
    /// exchange of members is made up of these.
    pub fn swaps(&self) -> impl Iterator<Item = Swap> + '_ {
        self.members.windows(2).enumerate().map(|(position, pair)| {
            let mut swap = self.beside.get(position).cloned().unwrap_or_default();
            let own = pair[0].iter().copied().zip(pair[1].iter().copied());
            swap.slots.splice(0..0, own);
            swap
        })
    }
}

/// What changes places when two members of a [`Family`] do. Done twice, it changes nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Swap {
    /// Slots that change places; no slot is in two of these pairs.
    pub slots: Vec<(SlotId, SlotId)>,
    /// Then, the slots of which the values mean something else now: in the place of a value stands
    /// the entry of the list at its position. Values beyond the list stay what they are.
    pub values: Vec<(SlotId, Vec<Value>)>,
}

impl Swap {
    /// Gives the values of a slot other names, unless all stay what they are.
    pub fn rename(&mut self, slot: SlotId, values: Vec<Value>) {
        if values.iter().zip(0..).any(|(&value, before)| value != before) {
            self.values.push((slot, values));
        }
    }

    /// Does it to a state.
    #[inline]
    pub fn apply(&self, state: &mut [Value]) {
        for &(one, other) in &self.slots {
            state.swap(one.index(), other.index());
        }
        for (slot, values) in &self.values {
            let value = &mut state[slot.index()];
            *value = values.get(*value as usize).copied().unwrap_or(*value);
        }
    }

    /// Where what a slot holds is afterwards.
    pub fn slot(&self, slot: SlotId) -> SlotId {
        let found = self.slots.iter().find_map(|&(one, other)| match slot {
            _ if slot == one => Some(other),
            _ if slot == other => Some(one),
            _ => None,
        });
        found.unwrap_or(slot)
    }

    /// What stands for each value in a slot afterwards; `None` if all stay what they are.
    pub fn values(&self, slot: SlotId) -> Option<&[Value]> {
        let found = self.values.iter().find(|(renamed, _)| *renamed == slot);
        found.map(|(_, values)| values.as_slice())
    }

    /// The slots in which something may change.
    pub fn slots(&self) -> impl Iterator<Item = SlotId> + '_ {
        let moved = self.slots.iter().flat_map(|&(one, other)| [one, other]);
        moved.chain(self.values.iter().map(|(slot, _)| *slot))
    }
}
