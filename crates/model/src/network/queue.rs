//! A bounded FIFO queue packed into slots of the state vector: the head in the lowest cell, 0 for
//! an empty cell, as many cells per slot as fit. Knows nothing of templates.

use crate::{Domain, Guard, SlotId, Value};

/// Where a channel lives in the state vector and how its cells are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Queue {
    slot: u32,
    n_slots: u16,
    capacity: u16,
    /// Bits of a cell.
    cell: u8,
}

impl Queue {
    /// A queue from `slot` on. The builder bounds both numbers.
    pub(super) fn new(slot: SlotId, capacity: u16, n_messages: u16) -> Self {
        let cell = (u16::BITS - n_messages.leading_zeros()) as u8;
        let cells_per_slot = (Value::BITS / u32::from(cell)) as u16;
        Self { slot: slot.number(), n_slots: capacity.div_ceil(cells_per_slot), capacity, cell }
    }

    /// The slots it takes.
    pub(super) fn slots(self) -> std::ops::Range<usize> {
        self.slot as usize..self.slot as usize + usize::from(self.n_slots)
    }

    /// The slot of the head.
    pub(super) fn head_slot(self) -> SlotId {
        SlotId::new(self.slot)
    }

    /// The bits of the head in its slot.
    pub(super) fn head_mask(self) -> Value {
        (1 << self.cell) - 1
    }

    /// The domain of the slot at `position` among the queue's slots.
    pub(super) fn domain(self, position: usize) -> Domain {
        let bits = self.cells(position).len() as u32 * u32::from(self.cell);
        1u32.checked_shl(bits).map_or(Domain::Interned, Domain::Size)
    }

    /// The cells held by the slot at `position` among the queue's slots.
    pub(super) fn cells(self, position: usize) -> std::ops::Range<usize> {
        let first = position * self.cells_per_slot();
        first..usize::from(self.capacity).min(first + self.cells_per_slot())
    }

    /// "The head is this message."
    pub(super) fn head_is(self, message: Value) -> Guard {
        Guard::Masked { slot: self.head_slot(), mask: self.head_mask(), equals: message + 1 }
    }

    /// "There is room": the last cell is empty.
    pub(super) fn has_room(self) -> Guard {
        let last = usize::from(self.capacity) - 1;
        let shift = last % self.cells_per_slot() * usize::from(self.cell);
        Guard::Masked {
            slot: SlotId::new(self.slot + (last / self.cells_per_slot()) as u32),
            mask: self.head_mask() << shift,
            equals: 0,
        }
    }

    /// "Nothing is in it."
    pub(super) fn nothing(self) -> Guard {
        Guard::Masked { slot: self.head_slot(), mask: self.head_mask(), equals: 0 }
    }

    /// "This message is in it", a guard per cell.
    pub(super) fn cells_with(self, message: Value) -> impl Iterator<Item = Guard> {
        (0..usize::from(self.capacity)).map(move |cell| {
            let shift = cell % self.cells_per_slot() * usize::from(self.cell);
            Guard::Masked {
                slot: SlotId::new(self.slot + (cell / self.cells_per_slot()) as u32),
                mask: self.head_mask() << shift,
                equals: (message + 1) << shift,
            }
        })
    }

    /// Whether nothing is in it.
    pub(super) fn is_empty(self, state: &[Value]) -> bool {
        state[self.slot as usize] & self.head_mask() == 0
    }

    /// Takes the head away.
    pub(super) fn pop(self, state: &mut [Value]) {
        if self.n_slots == 1 {
            state[self.slot as usize] >>= self.cell;
        } else {
            let slots = &mut state[self.slots()];
            slots[0] >>= self.cell;
            let last_shift = (self.cells_per_slot() - 1) * usize::from(self.cell);
            for next in 1..slots.len() {
                slots[next - 1] |= (slots[next] & self.head_mask()) << last_shift;
                slots[next] >>= self.cell;
            }
        }
    }

    /// Adds a message behind the last; there must be room.
    pub(super) fn push(self, state: &mut [Value], message: Value) {
        if self.n_slots == 1 {
            let value = &mut state[self.slot as usize];
            *value |= (message + 1) << (self.used_cells(*value) * u32::from(self.cell));
            return;
        }
        let slots = &mut state[self.slots()];
        let mut at = slots.len() - 1;
        while at > 0 && slots[at] == 0 {
            at -= 1;
        }
        let mut shift = self.used_cells(slots[at]) * u32::from(self.cell);
        if at + 1 < slots.len() && shift == self.cells_per_slot() as u32 * u32::from(self.cell) {
            at += 1;
            shift = 0;
        }
        slots[at] |= (message + 1) << shift;
    }

    /// The messages in one slot's value, head first.
    pub(super) fn messages(self, value: Value) -> impl Iterator<Item = Value> {
        (0..self.used_cells(value))
            .map(move |cell| value >> (cell * u32::from(self.cell)) & self.head_mask())
            .filter_map(|code| code.checked_sub(1))
    }

    /// The value of the slot at `position` that holds these messages, head first; `None` if there
    /// are too many, or some that a cell cannot hold.
    pub(super) fn holding(
        self,
        position: usize,
        messages: impl ExactSizeIterator<Item = Value>,
    ) -> Option<Value> {
        if messages.len() > self.cells(position).len() {
            return None;
        }
        messages.enumerate().try_fold(0, |value, (cell, message)| {
            let code = message.checked_add(1).filter(|&code| code <= self.head_mask())?;
            Some(value | code << (cell as u32 * u32::from(self.cell)))
        })
    }

    fn used_cells(self, value: Value) -> u32 {
        (Value::BITS - value.leading_zeros()).div_ceil(u32::from(self.cell))
    }

    fn cells_per_slot(self) -> usize {
        Value::BITS as usize / usize::from(self.cell)
    }
}

#[cfg(test)]
mod tests;
