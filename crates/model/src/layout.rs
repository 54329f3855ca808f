//! What a state vector looks like: one [`Slot`] per position, with the values it may take.
//! Knows nothing of how a store packs them beyond how many bits a slot needs.

use crate::SlotId;

/// One entry of a state vector.
pub type Value = u32;

/// Which values a slot may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// The values `0..size`, printed as numbers.
    Size(u32),
    /// The values `0..names.len()`, printed by name.
    Named(Vec<String>),
    /// Any 32-bit value: the model interns something larger (a queue, a term, an object).
    Interned,
}

impl Domain {
    /// Bits that hold any value of the domain.
    pub fn bits(&self) -> u32 {
        let size = match self {
            Domain::Size(size) => *size,
            Domain::Named(names) => names.len() as u32,
            Domain::Interned => return Value::BITS,
        };
        Value::BITS - size.saturating_sub(1).leading_zeros()
    }
}

/// A position of the state vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The name a trace prints.
    pub name: String,
    /// The values it may take.
    pub domain: Domain,
}

/// The shape of all state vectors of one model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    slots: Vec<Slot>,
}

impl Layout {
    /// A layout with these slots, in order.
    pub fn new(slots: Vec<Slot>) -> Self {
        Self { slots }
    }

    /// Length of every state vector.
    pub fn n_slots(&self) -> usize {
        self.slots.len()
    }

    /// All slots in order.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The slot at a position.
    pub fn slot(&self, slot: SlotId) -> &Slot {
        &self.slots[slot.index()]
    }

    /// All positions in order.
    pub fn slot_ids(&self) -> impl Iterator<Item = SlotId> + use<> {
        (0..self.slots.len()).map(SlotId::from_usize)
    }

    /// Bits of a state when every slot is packed into as few as its domain needs.
    pub fn packed_bits(&self) -> u32 {
        self.slots.iter().map(|slot| slot.domain.bits()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_the_least_that_hold_the_domain() {
        let bits = |size| Domain::Size(size).bits();
        assert_eq!([0, 1, 2, 3, 4, 5, 256, 257].map(bits), [0, 0, 1, 2, 2, 3, 8, 9]);
        assert_eq!(Domain::Interned.bits(), 32);
    }
}
