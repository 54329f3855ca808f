//! Exchanges of members made up of swaps, as one: what a slot holds comes from another slot, and
//! values that name members are replaced.

use quadrille_model::{SlotId, Swap, Value};

/// A permutation of slots with one of the values of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Renaming {
    /// For each slot the one that what it holds comes from, and what stands for each value.
    slots: Vec<(usize, Option<Vec<Value>>)>,
}

impl Renaming {
    /// What changes nothing.
    pub(crate) fn none(n_slots: usize) -> Self {
        Self { slots: (0..n_slots).map(|slot| (slot, None)).collect() }
    }

    /// Several swaps, one after the other.
    pub(crate) fn of<'s>(n_slots: usize, swaps: impl IntoIterator<Item = &'s Swap>) -> Self {
        let mut renaming = Self::none(n_slots);
        swaps.into_iter().for_each(|swap| renaming.then(swap));
        renaming
    }

    /// Adds a swap behind it.
    fn then(&mut self, swap: &Swap) {
        for &(one, other) in &swap.slots {
            self.slots.swap(one.index(), other.index());
        }
        for (slot, values) in &swap.values {
            let known = &mut self.slots[slot.index()].1;
            *known = Some(joined(known.as_deref(), values));
        }
    }

    /// Adds itself behind another.
    pub(crate) fn after(&self, first: &Self) -> Self {
        let slot = |(source, values): &(usize, Option<Vec<Value>>)| {
            let (from, known) = &first.slots[*source];
            let values = match values {
                Some(values) => Some(joined(known.as_deref(), values)),
                None => known.clone(),
            };
            (*from, values)
        };
        Self { slots: self.slots.iter().map(slot).collect() }
    }

    /// A state after it.
    pub(crate) fn applied(&self, state: &[Value]) -> Vec<Value> {
        let slot = |(source, values): &(usize, Option<Vec<Value>>)| {
            let value = state[*source];
            values.as_deref().map_or(value, |values| renamed(values, value))
        };
        self.slots.iter().map(slot).collect()
    }

    /// Whether it changes nothing.
    pub(crate) fn is_none(&self) -> bool {
        let stays = |(slot, (source, values)): (usize, &(usize, Option<Vec<Value>>))| {
            slot == *source && values.as_deref().is_none_or(is_identity)
        };
        self.slots.iter().enumerate().all(stays)
    }

    /// It as one swap, if it is its own inverse as far as slots go.
    pub(crate) fn as_swap(&self) -> Option<Swap> {
        let mut swap = Swap::default();
        for (slot, (source, values)) in self.slots.iter().enumerate() {
            if self.slots[*source].0 != slot {
                return None;
            }
            if slot < *source {
                swap.slots.push((SlotId::from_usize(slot), SlotId::from_usize(*source)));
            }
            if let Some(values) = values.as_ref().filter(|values| !is_identity(values)) {
                swap.values.push((SlotId::from_usize(slot), values.clone()));
            }
        }
        Some(swap)
    }
}

fn renamed(values: &[Value], value: Value) -> Value {
    values.get(value as usize).copied().unwrap_or(value)
}

fn is_identity(values: &[Value]) -> bool {
    values.iter().enumerate().all(|(position, &value)| value as usize == position)
}

/// One renaming of values after another.
fn joined(first: Option<&[Value]>, then: &[Value]) -> Vec<Value> {
    let first = first.unwrap_or_default();
    let n_values = first.len().max(then.len()) as Value;
    (0..n_values).map(|value| renamed(then, renamed(first, value))).collect()
}
