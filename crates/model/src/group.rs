//! Transition groups: what a piece of the next-state relation declares about itself. Declarations
//! are promises that [`Checked`](crate::Checked) verifies. Engines rely on them: where the guards of all
//! groups are complete and their effects assign constants, steps are taken from the declarations and
//! no explorer is asked, so that a wrong one makes a wrong verdict.

use crate::{ActionId, GuardId, Origin, ParticipantId, SlotId, TaskId, Value, ValueSet};

/// A piece of the next-state relation and what it declares about itself. The default reads and
/// writes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What fairness counts its steps as.
    pub task: TaskId,
    /// Who takes part.
    pub participants: Vec<ParticipantId>,
    /// Necessary conditions: where one fails, the group has no successor.
    pub guards: Vec<GuardId>,
    /// Whether the guards are also sufficient: where all hold, there is a successor.
    pub guards_complete: bool,
    /// The slots that its results depend on, ascending; and, where its guards are not complete,
    /// those beside theirs that decide whether there are any.
    pub reads: Vec<SlotId>,
    /// What happens to the slots in which a successor may differ, ascending.
    pub effects: Vec<Effect>,
    /// The actions of its edges, ascending; `None` where they are not known beforehand.
    pub actions: Option<Vec<ActionId>>,
    /// Where it is written, if it is.
    pub origin: Origin,
}

impl Default for Group {
    fn default() -> Self {
        Self {
            task: TaskId::new(0),
            participants: Vec::new(),
            guards: Vec::new(),
            guards_complete: false,
            reads: Vec::new(),
            effects: Vec::new(),
            actions: None,
            origin: Origin::default(),
        }
    }
}

impl Group {
    /// The slots in which a successor may differ from its source, ascending.
    pub fn may_write(&self) -> impl Iterator<Item = SlotId> + '_ {
        self.effects.iter().map(|effect| effect.slot)
    }

    /// The slots that every successor gives a value which depends on what the group reads only:
    /// never what the slot held before, unless that is read.
    pub fn must_write(&self) -> impl Iterator<Item = SlotId> + '_ {
        let certain = self.effects.iter().filter(|effect| effect.change != Change::Any);
        certain.map(|effect| effect.slot)
    }

    /// Whether it only gives constants and counts: then no change depends on another slot.
    pub(crate) fn is_separable(&self) -> bool {
        self.effects.iter().all(|effect| match &effect.change {
            Change::Assign(values) => values.len() == 1,
            Change::Count { .. } => true,
            _ => false,
        })
    }

    /// What happens to a slot; `None` if it keeps its value.
    pub fn change(&self, slot: SlotId) -> Option<&Change> {
        let position = self.effects.binary_search_by_key(&slot, |effect| effect.slot).ok()?;
        Some(&self.effects[position].change)
    }
}

/// What a group does to a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// The slot.
    pub slot: SlotId,
    /// What happens to it.
    pub change: Change,
}

impl Effect {
    /// A slot that may change in any way, or keep its value.
    pub fn any(slot: SlotId) -> Self {
        Self { slot, change: Change::Any }
    }
}

/// How a slot changes. Those of queues speak of elements, as the
/// [content](crate::SlotKind::Queue) of the slot has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// In some way, or not at all.
    Any,
    /// It gets a value that depends on what the group reads only.
    Set,
    /// It gets one of these values.
    Assign(ValueSet),
    /// One of these is added behind the last; all that the step needs of the queue is room.
    Push(ValueSet),
    /// The front, one of these, is taken away; all that the step needs of the queue is its front.
    Pop(ValueSet),
    /// One of these is added to a queue without order, for which there always is room.
    Insert(ValueSet),
    /// One of these is taken from a queue without order; it is all that the step needs of it.
    Remove(ValueSet),
    /// A number becomes smaller and then larger. The slot is among those read; that it holds as much
    /// as is taken is for a guard to say.
    Count {
        /// What is taken away.
        take: Value,
        /// What is added.
        put: Value,
    },
}

impl Change {
    /// Whether both give a slot the same value, whatever the state.
    pub(crate) fn is_same_constant(&self, other: &Change) -> bool {
        matches!((self, other), (Change::Assign(one), Change::Assign(same))
            if one.len() == 1 && one == same)
    }

    /// Whether two steps that change a slot so, and are both possible, can be taken in any order.
    pub(crate) fn commutes_with(&self, other: &Change) -> bool {
        match (self, other) {
            (Change::Push(_), Change::Pop(_))
            | (Change::Pop(_), Change::Push(_))
            | (Change::Insert(_), Change::Insert(_) | Change::Remove(_))
            | (Change::Remove(_), Change::Insert(_)) => true,
            (Change::Remove(one), Change::Remove(other)) => !one.intersects(other),
            _ => false,
        }
    }
}

/// A condition on states, in the table that groups share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guard {
    /// The value of the slot is one of these.
    In(SlotId, ValueSet),
    /// The value of the slot is `equals` in the bits of `mask` (the head of a queue, the last cell
    /// of a queue). Where groups push to the slot, the bits are a cell, or all bits of cells: zero in
    /// an empty one, else one more than the element; the head is in the lowest bits.
    Masked {
        /// The slot looked at.
        slot: SlotId,
        /// The bits looked at.
        mask: Value,
        /// What they must be.
        equals: Value,
    },
    /// The value of the slot is at least this.
    AtLeast(SlotId, Value),
    /// Only [`Explorer::guard`](crate::Explorer::guard) can tell.
    Opaque {
        /// The slots it depends on, ascending.
        reads: Vec<SlotId>,
        /// What it asks for, as people say it: `the front of a->b is M`.
        text: String,
    },
}

impl Guard {
    /// The slots it depends on, ascending.
    pub fn reads(&self) -> &[SlotId] {
        match self {
            Guard::In(slot, _) | Guard::Masked { slot, .. } | Guard::AtLeast(slot, _) => {
                std::slice::from_ref(slot)
            }
            Guard::Opaque { reads, .. } => reads,
        }
    }

    /// Whether it holds in a state; `None` if only the explorer can tell.
    pub fn holds(&self, state: &[Value]) -> Option<bool> {
        match self {
            Guard::In(slot, set) => Some(set.contains(state[slot.index()])),
            Guard::Masked { .. } | Guard::AtLeast(..) => {
                self.reads().first().and_then(|slot| self.allows(state[slot.index()]))
            }
            Guard::Opaque { .. } => None,
        }
    }

    /// Whether it holds where its slot has a value; `None` if only the explorer can tell.
    pub fn allows(&self, value: Value) -> Option<bool> {
        match self {
            Guard::In(_, set) => Some(set.contains(value)),
            Guard::Masked { mask, equals, .. } => Some(value & mask == *equals),
            Guard::AtLeast(_, least) => Some(value >= *least),
            Guard::Opaque { .. } => None,
        }
    }

    /// Whether a step that changes one of its slots so can make it true.
    pub(crate) fn may_become_true(&self, change: &Change) -> bool {
        match (self, change) {
            (Guard::In(_, set), Change::Assign(values)) => set.intersects(values),
            (Guard::Masked { mask, equals, .. }, Change::Assign(values)) => {
                values.iter().any(|value| value & mask == *equals)
            }
            (Guard::AtLeast(_, least), Change::Assign(values)) => {
                values.iter().any(|value| value >= *least)
            }
            (Guard::AtLeast(..), Change::Count { take, put }) => put > take,
            // A push fills empty cells: it empties none, and puts nothing else there.
            (Guard::Masked { equals: 0, .. }, Change::Push(_)) => false,
            (Guard::Masked { mask, equals, .. }, Change::Push(elements)) if mask & 1 == 1 => {
                elements.contains(equals - 1)
            }
            _ => true,
        }
    }

    /// Whether it surely holds after a step that changes its slot so, having held before.
    pub(crate) fn must_hold_after(&self, change: &Change) -> bool {
        match (self, change) {
            (Guard::In(_, set), Change::Assign(values)) => {
                values.iter().all(|value| set.contains(value))
            }
            (Guard::Masked { mask, equals, .. }, Change::Assign(values)) => {
                values.iter().all(|value| value & mask == *equals)
            }
            (Guard::AtLeast(_, least), Change::Assign(values)) => {
                values.iter().all(|value| value >= *least)
            }
            (Guard::AtLeast(_, least), Change::Count { take, put }) => put >= take || put >= least,
            _ => false,
        }
    }

    /// Whether it can hold together with another, as far as both say.
    pub(crate) fn agrees_with(&self, other: &Guard) -> bool {
        match (self, other) {
            (Guard::In(slot, one), Guard::In(same, other)) => slot != same || one.intersects(other),
            (
                Guard::Masked { slot, mask, equals },
                Guard::Masked { slot: same, mask: other, equals: wanted },
            ) => slot != same || (equals ^ wanted) & mask & other == 0,
            (Guard::In(slot, set), Guard::AtLeast(same, least))
            | (Guard::AtLeast(same, least), Guard::In(slot, set)) => {
                slot != same || set.iter().any(|value| value >= *least)
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;
