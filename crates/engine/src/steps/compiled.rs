//! Groups as masks on packed states, one by one, before they are put in their places.

use std::borrow::Cow;

use quadrille_model::{
    ActionId, Change, Group, GroupId, Guard, Signature, SlotId, SlotKind, ValueSet,
};

use crate::packing::{Packing, Part};

/// A model with more groups is expanded by its explorer, piece by piece.
const MOST_GROUPS: usize = 1 << 16;
/// A slot with more values is no lead: the index would grow too large. A number with more values is no set.
const WIDEST_LEAD: u32 = 1 << 10;

/// The bits of a slot, or some of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Field {
    pub pair: u32,
    pub shift: u32,
    pub mask: u64,
}

/// The bits of `mask` in a pair of words are `equals`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Test {
    pub pair: u32,
    pub mask: u64,
    pub equals: u64,
}

/// The bits of a pair of words that are not kept become `put`; then numbers in it become larger or smaller
/// by one addition, which no number leaves its bits by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    pub pair: u32,
    pub keep: u64,
    pub put: u64,
    pub add: u64,
}

/// What happens to a queue of several cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueStep {
    field: Field,
    /// Bits of a cell, and 2^16 divided by that, rounded up.
    cell: u32,
    reciprocal: u32,
    /// What the first free cell becomes; 0 where the front is taken away.
    put: u64,
}

/// A field that a group asks to have a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub field: Field,
    pub value: u32,
}

impl Field {
    /// The bits of a slot that does not straddle pairs of words.
    fn of(packing: &Packing, slot: SlotId) -> Option<Self> {
        let (first, rest) = packing.parts_of(slot).split_first()?;
        let (pair, mut mask, mut bits) =
            (first.word / 2, u64::from(first.mask), first.mask.count_ones());
        for part in rest {
            if part.word / 2 != pair || shift(part) != shift(first) + bits {
                return None;
            }
            mask |= u64::from(part.mask) << bits;
            bits += part.mask.count_ones();
        }
        Some(Self { pair, shift: shift(first), mask })
    }

    /// Some bits of a slot in a row, and what they are to be.
    fn of_bits(packing: &Packing, slot: SlotId, mask: u32, equals: u32) -> Option<Key> {
        let (whole, skip) = (Self::of(packing, slot)?, mask.trailing_zeros());
        let mask = u64::from(mask.checked_shr(skip)?);
        let in_a_row = mask & (mask + 1) == 0 && mask << skip & !whole.mask == 0;
        let field = Self { shift: whole.shift + skip, mask, ..whole };
        in_a_row.then_some(Key { field, value: equals >> skip })
    }

    #[inline]
    pub(super) fn take(self, source: &[u64]) -> u32 {
        (source[self.pair as usize] >> self.shift & self.mask) as u32
    }
}

/// Where a part starts in its pair of words.
fn shift(part: &Part) -> u32 {
    u32::from(part.shift) + part.word % 2 * u32::BITS
}

impl Test {
    #[inline]
    pub(super) fn passes(self, source: &[u64]) -> bool {
        source[self.pair as usize] & self.mask == self.equals
    }
}

impl Update {
    #[inline]
    pub(super) fn apply(self, state: &mut [u64]) {
        let pair = &mut state[self.pair as usize];
        *pair = (*pair & self.keep | self.put).wrapping_add(self.add);
    }
}

impl QueueStep {
    fn new(field: Field, cell: u32, put: u32) -> Self {
        Self { field, cell, reciprocal: (1 << 16) / cell + 1, put: u64::from(put) }
    }

    pub(super) fn pair(self) -> usize {
        self.field.pair as usize
    }

    #[inline]
    pub(super) fn apply(self, state: &mut [u64]) {
        let pair = &mut state[self.field.pair as usize];
        *pair = self.applied(*pair);
    }

    /// The pair with the queue, after the step.
    #[inline]
    pub(super) fn applied(self, pair: u64) -> u64 {
        let Field { shift, mask, .. } = self.field;
        let value = pair >> shift & mask;
        let used = u64::BITS - value.leading_zeros();
        // Exact: numerator and divisor have at most 64 bits.
        let n_cells = ((used + self.cell - 1) * self.reciprocal) >> 16;
        let after = if self.put == 0 {
            value >> self.cell
        } else {
            value | self.put << (n_cells * self.cell)
        };
        pair & !(mask << shift) | after << shift
    }
}

/// Groups in a row that are looked up by the same slot.
#[derive(Debug)]
pub(super) struct Block {
    pub lead: Field,
    first: usize,
    groups: Vec<Compiled>,
}

impl Block {
    /// How many values the bits of the lead can hold.
    pub(super) fn n_values(&self) -> u32 {
        self.lead.mask as u32 + 1
    }

    /// Its groups, in order.
    pub(super) fn groups(&self) -> impl Iterator<Item = (GroupId, &Compiled)> {
        let numbered = self.groups.iter().enumerate();
        numbered.map(|(position, group)| (GroupId::from_usize(self.first + position), group))
    }

    /// The positions of the groups that a value of the lead lets through, in order.
    pub(super) fn positions(&self, value: u32) -> impl Iterator<Item = usize> {
        let groups = self.groups.iter().enumerate();
        let fits = move |group: &Compiled| {
            group.lead_values.as_ref().is_none_or(|values| values.contains(value))
        };
        groups.filter(move |(_, group)| fits(group)).map(|(position, _)| position)
    }

    /// The groups that a value of the lead lets through, in order.
    pub(super) fn let_through(&self, value: u32) -> impl Iterator<Item = (GroupId, &Compiled)> {
        let number = |position| GroupId::from_usize(self.first + position);
        self.positions(value).map(move |position| (number(position), &self.groups[position]))
    }
}

/// A group before it is put in its place.
#[derive(Debug)]
pub(super) struct Compiled {
    pub action: ActionId,
    lead: Option<Field>,
    lead_values: Option<ValueSet>,
    /// What is left to test, one entry per pair of words.
    pub tests: Vec<Test>,
    /// The same, field by field.
    pub keys: Vec<Key>,
    /// Fields that must have one of several values.
    pub sets: Vec<(Field, ValueSet)>,
    pub updates: Vec<Update>,
    pub queue_steps: Vec<QueueStep>,
}

/// The groups of a model, in order; `None` if some group does more than masks can say.
pub(super) fn blocks(signature: &Signature, packing: &Packing) -> Option<Vec<Block>> {
    let groups = &signature.groups;
    if groups.is_empty() || groups.len() > MOST_GROUPS {
        return None;
    }
    let cells = Cells::new(signature)?;
    let mut blocks: Vec<Block> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let compiled = Compiled::new(group, signature, packing, &cells)?;
        match blocks.last_mut() {
            Some(block) if block.groups[0].lead == compiled.lead => block.groups.push(compiled),
            _ => {
                let lead = compiled.lead.unwrap_or(Field { pair: 0, shift: 0, mask: 0 });
                blocks.push(Block { lead, first: number, groups: vec![compiled] });
            }
        }
    }
    Some(blocks)
}

/// Per slot that is a queue of cells, the bits of a cell.
struct Cells(Vec<Option<u32>>);

impl Cells {
    /// Guards show the cells: who takes the front tests the lowest one, who adds something asks for the
    /// highest to be empty. `None` if they do not agree.
    fn new(signature: &Signature) -> Option<Self> {
        let mut cells = vec![None; signature.n_slots()];
        for group in &signature.groups {
            for effect in &group.effects {
                let is_push = match effect.change {
                    Change::Push(_) => true,
                    Change::Pop(_) => false,
                    _ => continue,
                };
                let bits = signature.slot(effect.slot).domain.bits();
                let cell =
                    group.guards.iter().find_map(|&guard| match *signature.guard(guard) {
                        Guard::Masked { slot, mask, equals } if slot == effect.slot => {
                            let cell = mask.count_ones();
                            let lowest = u32::MAX.checked_shr(u32::BITS - cell)?;
                            let place = if is_push { lowest << (bits - cell) } else { lowest };
                            (mask == place && is_push == (equals == 0)).then_some(cell)
                        }
                        _ => None,
                    })?;
                let known = cells[effect.slot.index()].get_or_insert(cell);
                let is_queue = signature.slot(effect.slot).kind == SlotKind::Queue;
                if *known != cell || !bits.is_multiple_of(cell) || !is_queue {
                    return None;
                }
            }
        }
        Some(Self(cells))
    }
}

impl Compiled {
    fn new(group: &Group, signature: &Signature, packing: &Packing, cells: &Cells) -> Option<Self> {
        let [action] = group.actions.as_deref()? else { return None };
        if !group.guards_complete {
            return None;
        }
        let guards = group.guards.iter().map(|&guard| as_set(signature.guard(guard), signature));
        let guards: Vec<Cow<'_, Guard>> = guards.collect::<Option<_>>()?;
        let lead = narrowest(&guards, signature, packing);
        let mut compiled = Self {
            action: *action,
            lead: lead.map(|(_, field)| field),
            lead_values: None,
            tests: Vec::new(),
            keys: Vec::new(),
            sets: Vec::new(),
            updates: Vec::new(),
            queue_steps: Vec::new(),
        };
        for (position, guard) in guards.iter().enumerate() {
            match &**guard {
                Guard::In(_, set) if lead.is_some_and(|(lead, _)| lead == position) => {
                    compiled.lead_values = Some(set.clone());
                }
                Guard::In(slot, set) if set.len() == 1 => {
                    compiled.test(packing, *slot, u32::MAX, set.iter().next()?)?;
                }
                Guard::In(slot, set) => {
                    compiled.sets.push((Field::of(packing, *slot)?, set.clone()));
                }
                Guard::Masked { slot, mask, equals } => {
                    compiled.test(packing, *slot, *mask, *equals)?;
                }
                Guard::AtLeast(..) | Guard::Opaque { .. } => return None,
            }
        }
        for effect in &group.effects {
            compiled.change(signature, packing, effect.slot, &effect.change, cells)?;
        }
        Some(compiled)
    }

    /// Adds a test; `None` if it can never pass together with those that are there, which is left to
    /// the explorer.
    fn test(&mut self, packing: &Packing, slot: SlotId, mask: u32, equals: u32) -> Option<()> {
        for part in packing.parts_of(slot) {
            if equals & part.forbidden != 0 {
                return None;
            }
            let bits = |value: u32| u64::from(value >> part.skip & part.mask) << shift(part);
            let test = Test { pair: part.word / 2, mask: bits(mask), equals: bits(equals) };
            match self.tests.iter_mut().find(|known| known.pair == test.pair) {
                Some(known) if (known.equals ^ test.equals) & known.mask & test.mask != 0 => {
                    return None;
                }
                Some(known) => {
                    known.mask |= test.mask;
                    known.equals |= test.equals;
                }
                None => self.tests.push(test),
            }
        }
        let whole = packing.parts_of(slot).iter().fold(0, |all, part| all | part.mask << part.skip);
        self.keys.extend(Field::of_bits(packing, slot, mask & whole, equals));
        Some(())
    }

    fn change(
        &mut self,
        signature: &Signature,
        packing: &Packing,
        slot: SlotId,
        change: &Change,
        cells: &Cells,
    ) -> Option<()> {
        let set = match change {
            Change::Assign(set) | Change::Push(set) | Change::Pop(set) => set,
            Change::Count { take, put } => return self.add(signature, packing, slot, *take, *put),
            _ => return None,
        };
        // Of several values, nothing says that each is possible.
        let value = set.iter().next().filter(|_| set.len() == 1)?;
        if let Change::Assign(_) = change {
            self.update(packing, slot, value);
            return Some(());
        }
        let cell = cells.0[slot.index()]?;
        let is_push = matches!(change, Change::Push(_));
        let put = if is_push { value.checked_add(1)? } else { 0 };
        if u64::from(put) >> cell != 0 {
            return None;
        }
        if cell == signature.slot(slot).domain.bits() {
            self.update(packing, slot, put);
        } else {
            self.queue_steps.push(QueueStep::new(Field::of(packing, slot)?, cell, put));
        }
        Some(())
    }

    /// Adds to a number, or takes from it. Its guards, or what bounds it, keep it in its domain.
    fn add(
        &mut self,
        signature: &Signature,
        packing: &Packing,
        slot: SlotId,
        take: u32,
        put: u32,
    ) -> Option<()> {
        signature.slot(slot).domain.size()?;
        let field = Field::of(packing, slot)?;
        let change = u64::from(put).wrapping_sub(u64::from(take)) << field.shift;
        match self.updates.iter_mut().find(|known| known.pair == field.pair) {
            Some(known) => known.add = known.add.wrapping_add(change),
            None => {
                let (pair, keep) = (field.pair, u64::MAX);
                self.updates.push(Update { pair, keep, put: 0, add: change });
            }
        }
        Some(())
    }

    fn update(&mut self, packing: &Packing, slot: SlotId, value: u32) {
        for part in packing.parts_of(slot) {
            let (pair, keep) = (part.word / 2, !(u64::from(part.mask) << shift(part)));
            let put = u64::from(value >> part.skip & part.mask) << shift(part);
            match self.updates.iter_mut().find(|known| known.pair == pair) {
                Some(known) => {
                    known.keep &= keep;
                    known.put |= put;
                }
                None => self.updates.push(Update { pair, keep, put, add: 0 }),
            }
        }
    }
}

/// A guard that asks for a least number as one that asks for a set of them; `None` if there are too many.
fn as_set<'g>(guard: &'g Guard, signature: &Signature) -> Option<Cow<'g, Guard>> {
    let Guard::AtLeast(slot, least) = guard else { return Some(Cow::Borrowed(guard)) };
    let size = signature.slot(*slot).domain.size().filter(|&size| size <= WIDEST_LEAD)?;
    Some(Cow::Owned(Guard::In(*slot, (*least..size).collect())))
}

/// The guard that lets the least share of values through, if its slot can be a lead, and its field;
/// among equals the first.
fn narrowest(
    guards: &[Cow<'_, Guard>],
    signature: &Signature,
    packing: &Packing,
) -> Option<(usize, Field)> {
    let leads = guards.iter().enumerate().filter_map(|(position, guard)| {
        let Guard::In(slot, set) = &**guard else { return None };
        let n_values = signature.slot(*slot).domain.size().filter(|&size| size <= WIDEST_LEAD)?;
        Some((position, Field::of(packing, *slot)?, set.len() as u64, n_values))
    });
    // a/b < c/d as a*d < c*b: all are small.
    let least = leads.min_by(|(_, _, one, of), (_, _, other, others)| {
        (one * u64::from(*others)).cmp(&(other * u64::from(*of)))
    });
    least.map(|(position, field, ..)| (position, field))
}
