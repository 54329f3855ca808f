//! Which values of two slots can stand side by side in a reachable state: more than do, never fewer.
//! A fixpoint over pairs, computed once for a model.

use std::ops::ControlFlow;

use quadrille_model::{Change, Group, Halt, Model, Signature, SlotId, Value};

/// Slots with more values are not looked at.
const MAX_VALUES: u32 = 64;
/// With more values of all slots together, anything may stand beside anything.
const MAX_ALL: usize = 1 << 12;

/// Pairs of values of slots, as bits.
pub(crate) struct Together {
    /// Where the values of a slot start; `None` for a slot that is not looked at.
    starts: Vec<Option<usize>>,
    sizes: Vec<u32>,
    n_words: usize,
    rows: Vec<u64>,
}

impl Together {
    pub(crate) fn of(model: &dyn Model) -> Self {
        let signature = model.signature();
        let (mut starts, mut n_values) = (Vec::new(), 0);
        let sizes: Vec<u32> =
            signature.slots.iter().map(|slot| slot.domain.size().unwrap_or(u32::MAX)).collect();
        for &size in &sizes {
            let is_small = size <= MAX_VALUES && n_values + size as usize <= MAX_ALL;
            starts.push(is_small.then_some(n_values));
            n_values += if is_small { size as usize } else { 0 };
        }
        let n_words = n_values.div_ceil(64);
        let mut together = Self { starts, sizes, n_words, rows: vec![0; n_values * n_words] };
        let flow = model.explorer().initial(&mut |state| {
            let slots = || state.iter().enumerate();
            for (one, &value) in slots() {
                for (other, &beside) in slots() {
                    together.add((one, value), (other, beside));
                }
            }
            ControlFlow::Continue(())
        });
        debug_assert!(!matches!(flow, ControlFlow::Break(Halt::Problem(_))), "never fails");
        while signature
            .groups
            .iter()
            .fold(false, |grown, group| together.step(signature, group) | grown)
        {}
        together
    }

    /// Whether a value of a slot may stand beside a value of another.
    #[inline]
    pub(crate) fn may_be(&self, one: (SlotId, Value), other: (SlotId, Value)) -> bool {
        self.has((one.0.index(), one.1), (other.0.index(), other.1))
    }

    /// The values of a slot, if it is looked at.
    pub(crate) fn values(&self, slot: SlotId) -> Option<std::ops::Range<Value>> {
        self.starts[slot.index()].map(|_| 0..self.sizes[slot.index()])
    }

    fn place(&self, (slot, value): (usize, Value)) -> Option<usize> {
        self.starts[slot].map(|start| start + value as usize)
    }

    #[inline]
    fn has(&self, one: (usize, Value), other: (usize, Value)) -> bool {
        match (self.place(one), self.place(other)) {
            (Some(row), Some(column)) => {
                self.rows[row * self.n_words + column / 64] >> (column % 64) & 1 == 1
            }
            _ => true,
        }
    }

    fn add(&mut self, one: (usize, Value), other: (usize, Value)) -> bool {
        let (Some(row), Some(column)) = (self.place(one), self.place(other)) else { return false };
        let mut is_new = false;
        for (row, column) in [(row, column), (column, row)] {
            let word = &mut self.rows[row * self.n_words + column / 64];
            let before = std::mem::replace(word, *word | 1 << (column % 64));
            is_new |= *word != before;
        }
        is_new
    }

    /// Adds what a step of a group brings together, and says whether that was more than was known.
    fn step(&mut self, signature: &Signature, group: &Group) -> bool {
        let slots: Vec<usize> =
            (0..self.starts.len()).filter(|&it| self.starts[it].is_some()).collect();
        let allows = |slot: usize, value: Value| {
            group.guards.iter().map(|&guard| signature.guard(guard)).all(|guard| {
                let is_about = guard.reads().iter().any(|on| on.index() == slot);
                !is_about || guard.allows(value) != Some(false)
            })
        };
        let mut before: Vec<Vec<Value>> = vec![Vec::new(); self.starts.len()];
        for &slot in &slots {
            let values = 0..self.sizes[slot];
            let own = values.filter(|&it| self.has((slot, it), (slot, it)) && allows(slot, it));
            before[slot] = own.collect();
        }
        let guards = group.guards.iter().flat_map(|&guard| signature.guard(guard).reads());
        let guarded: Vec<usize> =
            guards.map(|slot| slot.index()).filter(|&slot| self.starts[slot].is_some()).collect();
        for &slot in &slots {
            let fits = |value: &Value| {
                guarded.iter().all(|&other| {
                    let mut beside = before[other].iter();
                    other == slot || beside.any(|&it| self.has((slot, *value), (other, it)))
                })
            };
            let own: Vec<Value> = before[slot].iter().copied().filter(fits).collect();
            if own.is_empty() {
                // No state that is known lets the group through.
                return false;
            }
            before[slot] = own;
        }
        let after = |slot: usize| -> Option<Vec<Value>> {
            Some(match group.change(SlotId::from_usize(slot))? {
                Change::Assign(set) => set.iter().collect(),
                _ => (0..self.sizes[slot]).collect(),
            })
        };
        let written: Vec<Option<Vec<Value>>> =
            (0..self.starts.len()).map(|it| self.starts[it].and_then(|_| after(it))).collect();
        let mut grown = false;
        for &slot in &slots {
            for &value in written[slot].iter().flatten() {
                for &other in &slots {
                    let beside = written[other].as_ref().unwrap_or(&before[other]);
                    let beside: &[Value] = if other == slot { &[value] } else { beside };
                    for &it in beside {
                        grown |= self.add((slot, value), (other, it));
                    }
                }
            }
        }
        grown
    }
}
