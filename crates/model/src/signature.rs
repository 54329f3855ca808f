//! What a model says about itself before it is explored: its state vector, its participants, the
//! pieces of its next-state relation, its propositions. Static data; [`Checked`](crate::Checked)
//! holds a model to it.

use crate::{Action, Change, Family, Group, Guard, GuardId, Participant, ParticipantId, SlotId};

/// One entry of a state vector.
pub type Value = u32;

/// Everything that is known of a model before it is explored. Positions in its lists are the ids.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// The state vector.
    pub slots: Vec<Slot>,
    /// The participants, as far as they are known ([`Model::participant`](crate::Model::participant)).
    pub participants: Vec<Participant>,
    /// Participants that can be exchanged for each other.
    pub families: Vec<Family>,
    /// Names of the tasks: what fairness options name, and what a run is fair to. Each group
    /// belongs to one (Lynch & Tuttle 1989).
    pub tasks: Vec<String>,
    /// The guards that groups share.
    pub guards: Vec<Guard>,
    /// The next-state relation, in pieces.
    pub groups: Vec<Group>,
    /// The actions, as far as they are known ([`Model::action`](crate::Model::action)).
    pub actions: Vec<Action>,
    /// Named properties of states.
    pub propositions: Vec<Proposition>,
    /// The slots that decide whether the system may end, ascending.
    pub ends: Vec<SlotId>,
}

impl Signature {
    /// A signature that has only slots so far; whether the system may end depends on all of them.
    pub fn new(slots: Vec<Slot>) -> Self {
        let ends = (0..slots.len()).map(SlotId::from_usize).collect();
        Self { slots, ends, ..Self::default() }
    }

    /// Length of every state vector.
    pub fn n_slots(&self) -> usize {
        self.slots.len()
    }

    /// Whether some group counts: then numbers may be large, and what groups do is better taken from
    /// their declarations than asked for value by value.
    pub fn counts(&self) -> bool {
        let effects = self.groups.iter().flat_map(|group| &group.effects);
        effects.into_iter().any(|effect| matches!(effect.change, Change::Count { .. }))
            || self.guards.iter().any(|guard| matches!(guard, Guard::AtLeast(..)))
    }

    /// The slot at a position.
    pub fn slot(&self, slot: SlotId) -> &Slot {
        &self.slots[slot.index()]
    }

    /// All positions of the state vector in order.
    pub fn slot_ids(&self) -> impl Iterator<Item = SlotId> + use<> {
        (0..self.slots.len()).map(SlotId::from_usize)
    }

    /// A guard of the table.
    pub fn guard(&self, guard: GuardId) -> &Guard {
        &self.guards[guard.index()]
    }

    /// Bits of a state when every slot is packed into as few as its domain needs.
    pub fn packed_bits(&self) -> u32 {
        self.slots.iter().map(|slot| slot.domain.bits()).sum()
    }
}

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
    /// How many values there are, where that is bounded.
    pub fn size(&self) -> Option<u32> {
        match self {
            Domain::Size(size) => Some(*size),
            Domain::Named(names) => Some(names.len() as u32),
            Domain::Interned => None,
        }
    }

    /// Bits that hold any value of the domain.
    pub fn bits(&self) -> u32 {
        self.size().map_or(Value::BITS, |size| Value::BITS - size.saturating_sub(1).leading_zeros())
    }
}

/// A position of the state vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The name a trace prints.
    pub name: String,
    /// The values it may take.
    pub domain: Domain,
    /// The participant whose part of the state it is; of a queue, the receiver.
    pub owner: Option<ParticipantId>,
    /// What it holds.
    pub kind: SlotKind,
    /// Whether traces leave it out, because the actions say as much.
    pub hidden: bool,
    /// What its being 1, and not 0, makes a member of a set. Slots of one set stand side by side, and
    /// are shown as one.
    pub element: Option<Element>,
}

/// Something that may be in a set of which each possible member has a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// The name of the set.
    pub set: String,
    /// The name of the member.
    pub name: String,
}

/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    /// Where a participant, or the whole system, is.
    Control,
    /// Messages under way. The [content](crate::Model::content) of a value is its messages, four
    /// bytes each, little end first, the front of the queue first.
    Queue,
    /// A variable.
    Data,
}

impl Slot {
    /// A slot for control that belongs to no participant.
    pub fn new(name: impl Into<String>, domain: Domain) -> Self {
        let (name, kind) = (name.into(), SlotKind::Control);
        Self { name, domain, owner: None, kind, hidden: false, element: None }
    }

    /// Says whose it is.
    #[must_use]
    pub fn owned_by(mut self, owner: Option<ParticipantId>) -> Self {
        self.owner = owner;
        self
    }

    /// Says what it holds.
    #[must_use]
    pub fn of_kind(mut self, kind: SlotKind) -> Self {
        self.kind = kind;
        self
    }

    /// Says what it makes a member of a set.
    #[must_use]
    pub fn element(mut self, element: Element) -> Self {
        self.element = Some(element);
        self
    }

    /// Leaves it out of traces.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }
}

/// A named property of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// The name formulas use.
    pub name: String,
    /// The slots it depends on, ascending.
    pub support: Vec<SlotId>,
}

#[cfg(test)]
mod tests;
