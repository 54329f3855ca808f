//! Conditions on states, taken apart as far as single slots. Where a model can say what a
//! proposition means so, sets of states are cut by it slot by slot; else each combination of values
//! has to be asked about.

use crate::{Guard, SlotId, Value};

/// A boolean combination of conditions on single slots.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// What a guard asks for that is not opaque.
    Guard(Guard),
    /// The other way round.
    Not(Box<Condition>),
    /// All of them; true for none.
    All(Vec<Condition>),
    /// One of them; false for none.
    Any(Vec<Condition>),
    /// What slots weigh is together at most this. Each slot is listed once.
    AtMost(Vec<(SlotId, Weight)>, i64),
}

/// What a value of a slot weighs in a sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Weight {
    /// Itself, this many times.
    Times(i64),
    /// What stands at its position; values beyond weigh nothing.
    Table(Vec<i64>),
}

impl Weight {
    /// The weight of a value.
    pub fn of(&self, value: Value) -> i64 {
        match self {
            Weight::Times(factor) => factor.saturating_mul(i64::from(value)),
            Weight::Table(table) => table.get(value as usize).copied().unwrap_or(0),
        }
    }
}

impl Condition {
    /// Whether it holds in a state; `None` if it has an opaque guard.
    pub fn holds(&self, state: &[Value]) -> Option<bool> {
        match self {
            Condition::Guard(guard) => guard.holds(state),
            Condition::Not(inner) => inner.holds(state).map(|holds| !holds),
            Condition::All(parts) => {
                parts.iter().try_fold(true, |all, part| Some(all & part.holds(state)?))
            }
            Condition::Any(parts) => {
                parts.iter().try_fold(false, |any, part| Some(any | part.holds(state)?))
            }
            Condition::AtMost(weights, most) => {
                let weights = weights.iter().map(|(slot, weight)| weight.of(state[slot.index()]));
                Some(weights.fold(0i64, i64::saturating_add) <= *most)
            }
        }
    }
}
