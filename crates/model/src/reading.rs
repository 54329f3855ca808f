//! States as people read them: one entry for each slot, but one for all slots that tell the members
//! of a set.

use std::ops::Range;

use crate::{Model, Signature, SlotId, Value};

/// An entry of a state as it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Its name: that of the slot, or of the set.
    pub name: String,
    /// Its slots: one, or those of a set.
    pub slots: Range<usize>,
    /// Whether traces leave it out.
    pub hidden: bool,
}

impl Signature {
    /// The entries of a state, in the order of slots.
    pub fn readings(&self) -> Vec<Reading> {
        let mut readings: Vec<Reading> = Vec::new();
        for (position, slot) in self.slots.iter().enumerate() {
            let set = slot.element.as_ref().map(|element| &element.set);
            match (set, readings.last_mut()) {
                (Some(set), Some(last)) if last.name == *set && last.slots.end == position => {
                    last.slots.end += 1;
                }
                _ => readings.push(Reading {
                    name: set.unwrap_or(&slot.name).clone(),
                    slots: position..position + 1,
                    hidden: slot.hidden,
                }),
            }
        }
        readings
    }
}

impl Reading {
    /// The slot that is read, where it is no set.
    pub fn only(&self, signature: &Signature) -> Option<SlotId> {
        let is_set = signature.slots[self.slots.start].element.is_some();
        (!is_set).then(|| SlotId::from_usize(self.slots.start))
    }

    /// What a state has there, as a person reads it.
    pub fn show(&self, model: &dyn Model, state: &[Value]) -> String {
        let signature = model.signature();
        if let Some(slot) = self.only(signature) {
            return model.show(slot, state[slot.index()]);
        }
        let members = self.slots.clone().filter(|&slot| state[slot] == 1);
        let names: Vec<&str> = members
            .filter_map(|slot| signature.slots[slot].element.as_ref())
            .map(|element| element.name.as_str())
            .collect();
        format!("{{{}}}", names.join(", "))
    }
}
