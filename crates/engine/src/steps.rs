//! Steps as masks on packed states: a group that tests and assigns constants only is a comparison and
//! an update of a few words, without unpacking the state or asking the explorer. Everything comes
//! from the signature; a model of which some group is not like that has no such steps.
//!
//! Groups hang under the slot they test most narrowly; its value picks the few that are tried.

use std::ops::Range;

use quadrille_model::{ActionId, Change, Group, GroupId, Guard, Signature, SlotId, ValueSet};

use crate::packing::{Packing, Part};

/// A model with more groups is expanded by its explorer, piece by piece.
const MOST_GROUPS: usize = 1 << 14;
/// A slot with more values is no lead: the index would grow too large.
const WIDEST_LEAD: u32 = 1 << 10;
/// Where a value picks more steps than this, the explorer has a better index.
const MOST_CANDIDATES: usize = 24;
/// A group that tests sets of values is taken apart into at most this many steps, of which one at
/// most is possible in a state.
const MOST_ALTERNATIVES: usize = 8;

/// The next-state function of a model on packed states, whose words are taken in pairs.
#[derive(Clone, Debug)]
pub(crate) struct PackedSteps {
    leads: Vec<(Field, u32)>,
    /// Where the steps of each value of each lead start; one entry more than there are values.
    buckets: Vec<u32>,
    steps: Vec<PackedStep>,
    tests: Vec<Test>,
    sets: Vec<(Field, ValueSet)>,
    updates: Vec<Update>,
}

/// A group where the value of its lead lets it through. Its first test and its first update stand
/// here, so that most steps touch nothing else.
#[derive(Clone, Debug)]
pub(crate) struct PackedStep {
    pub group: GroupId,
    pub action: ActionId,
    test: Test,
    update: Update,
    /// Further tests, sets that values must be in, and further updates.
    tests: Range<u32>,
    sets: Range<u32>,
    updates: Range<u32>,
}

/// The bits of a slot.
#[derive(Clone, Copy, Debug)]
struct Field {
    pair: u32,
    shift: u32,
    mask: u64,
}

/// The bits of `mask` in a pair of words are `equals`.
#[derive(Clone, Copy, Debug, Default)]
struct Test {
    pair: u32,
    mask: u64,
    equals: u64,
}

/// The bits of a pair of words that are not kept become `put`.
#[derive(Clone, Copy, Debug)]
struct Update {
    pair: u32,
    keep: u64,
    put: u64,
}

/// A packed state as pairs of words.
pub(crate) fn pairs(words: &[u32]) -> impl Iterator<Item = u64> + '_ {
    words.chunks(2).map(|pair| match *pair {
        [low, high] => u64::from(low) | u64::from(high) << 32,
        [low] => u64::from(low),
        _ => 0,
    })
}

impl PackedSteps {
    /// The steps of a model; `None` if its groups do more than test and assign constants.
    pub(crate) fn new(signature: &Signature, packing: &Packing) -> Option<Self> {
        let groups = &signature.groups;
        if groups.is_empty() || groups.len() > MOST_GROUPS {
            return None;
        }
        let mut steps = Self {
            leads: Vec::new(),
            buckets: vec![0],
            steps: Vec::new(),
            tests: Vec::new(),
            sets: Vec::new(),
            updates: Vec::new(),
        };
        let compiled: Vec<Compiled> = groups
            .iter()
            .map(|group| Compiled::new(group, signature, packing))
            .collect::<Option<_>>()?;
        let mut first = 0;
        for block in compiled.chunk_by(|one, other| one.lead == other.lead) {
            steps.add_block(block, first, packing)?;
            first += block.len();
        }
        Some(steps)
    }

    /// Shows the steps that are enabled in a state, in the order of groups.
    #[inline]
    pub(crate) fn each(&self, source: &[u64], mut see: impl FnMut(&PackedStep)) {
        for (field, base) in &self.leads {
            let bucket = *base as usize + field.take(source) as usize;
            let range = self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize;
            for step in &self.steps[range] {
                let Test { pair, mask, equals } = step.test;
                if source[pair as usize] & mask == equals && self.passes(step, source) {
                    see(step);
                }
            }
        }
    }

    /// Appends the packed target of a step.
    #[inline]
    pub(crate) fn append_target(&self, step: &PackedStep, source: &[u32], batch: &mut Vec<u32>) {
        let start = batch.len();
        batch.extend_from_slice(source);
        let target = &mut batch[start..];
        step.update.apply(target);
        for update in &self.updates[step.updates.start as usize..step.updates.end as usize] {
            update.apply(target);
        }
    }

    #[inline]
    fn passes(&self, step: &PackedStep, source: &[u64]) -> bool {
        let tests = &self.tests[step.tests.start as usize..step.tests.end as usize];
        let sets = &self.sets[step.sets.start as usize..step.sets.end as usize];
        tests.iter().all(|test| source[test.pair as usize] & test.mask == test.equals)
            && sets.iter().all(|(field, set)| set.contains(field.take(source)))
    }

    /// Adds groups with the same lead, the first of which has the number `first`.
    fn add_block(&mut self, block: &[Compiled], first: usize, packing: &Packing) -> Option<()> {
        let (field, n_values) = match block[0].lead {
            Some((slot, n_values)) => (Field::of(packing, slot)?, n_values),
            None => (Field { pair: 0, shift: 0, mask: 0 }, 1),
        };
        self.leads.push((field, self.buckets.len() as u32 - 1));
        // Every value that the bits can hold has an entry.
        for value in 0..n_values.next_power_of_two() {
            let before = self.steps.len();
            for (position, group) in block.iter().enumerate() {
                if group.lead_values.as_ref().is_none_or(|values| values.contains(value)) {
                    self.add(GroupId::from_usize(first + position), group, packing)?;
                }
            }
            if self.steps.len() - before > MOST_CANDIDATES {
                return None;
            }
            self.buckets.push(u32::try_from(self.steps.len()).ok()?);
        }
        Some(())
    }

    fn add(&mut self, group: GroupId, compiled: &Compiled, packing: &Packing) -> Option<()> {
        let (mut alternatives, mut sets) = (vec![compiled.tests.clone()], Vec::new());
        for (slot, set) in &compiled.sets {
            if alternatives.len() * set.len() > MOST_ALTERNATIVES {
                sets.push((Field::of(packing, *slot)?, set.clone()));
                continue;
            }
            let before = std::mem::take(&mut alternatives);
            for (tests, value) in
                before.iter().flat_map(|tests| set.iter().map(move |it| (tests, it)))
            {
                let mut tests = tests.clone();
                add_test(&mut tests, packing, *slot, u32::MAX, value)?;
                alternatives.push(tests);
            }
        }
        let nothing = Update { pair: 0, keep: u64::MAX, put: 0 };
        let (update, updates) = match compiled.updates.split_first() {
            Some((first, rest)) => (*first, append(&mut self.updates, rest)),
            None => (nothing, 0..0),
        };
        let sets = append(&mut self.sets, &sets);
        for tests in alternatives {
            let (test, tests) = match tests.split_first() {
                Some((first, rest)) => (*first, append(&mut self.tests, rest)),
                None => (Test::default(), 0..0),
            };
            let (sets, updates) = (sets.clone(), updates.clone());
            let action = compiled.action;
            self.steps.push(PackedStep { group, action, test, update, tests, sets, updates });
        }
        Some(())
    }
}

fn append<T: Clone>(list: &mut Vec<T>, more: &[T]) -> Range<u32> {
    let start = list.len() as u32;
    list.extend_from_slice(more);
    start..list.len() as u32
}

impl Field {
    /// The bits of a slot that does not straddle words.
    fn of(packing: &Packing, slot: SlotId) -> Option<Self> {
        let [part] = packing.parts_of(slot) else { return None };
        Some(Self { pair: part.word / 2, shift: shift(part), mask: u64::from(part.mask) })
    }

    #[inline]
    fn take(self, source: &[u64]) -> u32 {
        (source[self.pair as usize] >> self.shift & self.mask) as u32
    }
}

/// Where a part starts in its pair of words.
fn shift(part: &Part) -> u32 {
    u32::from(part.shift) + part.word % 2 * u32::BITS
}

impl Update {
    #[inline]
    fn apply(self, target: &mut [u32]) {
        for (position, word) in target.iter_mut().skip(self.pair as usize * 2).take(2).enumerate() {
            let half = position as u32 * u32::BITS;
            *word = *word & (self.keep >> half) as u32 | (self.put >> half) as u32;
        }
    }
}

/// A group before it is put in its place.
struct Compiled {
    action: ActionId,
    /// The slot it is looked up by, with how many values that has …
    lead: Option<(SlotId, u32)>,
    /// … and which of them let it through.
    lead_values: Option<ValueSet>,
    /// What is left to test, one entry per pair of words.
    tests: Vec<Test>,
    /// Slots that must have one of several values.
    sets: Vec<(SlotId, ValueSet)>,
    updates: Vec<Update>,
}

impl Compiled {
    fn new(group: &Group, signature: &Signature, packing: &Packing) -> Option<Self> {
        let [action] = group.actions.as_deref()? else { return None };
        if !group.guards_complete {
            return None;
        }
        let guards: Vec<&Guard> =
            group.guards.iter().map(|&guard| signature.guard(guard)).collect();
        let lead = narrowest(&guards, signature, packing);
        let mut compiled = Self {
            action: *action,
            lead: lead.map(|(position, n_values)| (guards[position].reads()[0], n_values)),
            lead_values: None,
            tests: Vec::new(),
            sets: Vec::new(),
            updates: Vec::new(),
        };
        for (position, guard) in guards.iter().enumerate() {
            match *guard {
                Guard::In(_, set) if lead.is_some_and(|(lead, _)| lead == position) => {
                    compiled.lead_values = Some(set.clone());
                }
                Guard::In(slot, set) if set.len() == 1 => {
                    let value = set.iter().next()?;
                    add_test(&mut compiled.tests, packing, *slot, u32::MAX, value)?;
                }
                Guard::In(slot, set) => compiled.sets.push((*slot, set.clone())),
                Guard::Masked { slot, mask, equals } => {
                    add_test(&mut compiled.tests, packing, *slot, *mask, *equals)?;
                }
                Guard::Opaque { .. } => return None,
            }
        }
        for effect in &group.effects {
            let Change::Assign(set) = &effect.change else { return None };
            if set.len() != 1 {
                return None;
            }
            compiled.update(packing, effect.slot, set.iter().next()?);
        }
        Some(compiled)
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
                None => self.updates.push(Update { pair, keep, put }),
            }
        }
    }
}

/// Adds a test; `None` if it can never pass together with those that are there, which is left to the
/// explorer.
fn add_test(
    tests: &mut Vec<Test>,
    packing: &Packing,
    slot: SlotId,
    mask: u32,
    equals: u32,
) -> Option<()> {
    for part in packing.parts_of(slot) {
        if equals & part.forbidden != 0 {
            return None;
        }
        let bits = |value: u32| u64::from(value >> part.skip & part.mask) << shift(part);
        let test = Test { pair: part.word / 2, mask: bits(mask), equals: bits(equals) };
        match tests.iter_mut().find(|known| known.pair == test.pair) {
            Some(known) if (known.equals ^ test.equals) & known.mask & test.mask != 0 => {
                return None;
            }
            Some(known) => {
                known.mask |= test.mask;
                known.equals |= test.equals;
            }
            None => tests.push(test),
        }
    }
    Some(())
}

/// The guard that lets the least share of values through, if its slot can be a lead, and how many
/// values that slot has; among equals the first.
fn narrowest(guards: &[&Guard], signature: &Signature, packing: &Packing) -> Option<(usize, u32)> {
    let leads = guards.iter().enumerate().filter_map(|(position, guard)| {
        let Guard::In(slot, set) = guard else { return None };
        let n_values = signature.slot(*slot).domain.size().filter(|&size| size <= WIDEST_LEAD)?;
        Field::of(packing, *slot)?;
        Some((position, set.len() as u64, n_values))
    });
    // a/b < c/d as a*d < c*b: all are small.
    let least = leads.min_by(|(_, one, of), (_, other, others)| {
        (one * u64::from(*others)).cmp(&(other * u64::from(*of)))
    });
    least.map(|(position, _, n_values)| (position, n_values))
}

/// The steps of states that fit one pair of words, for millions of states at a time.
///
/// Leads whose bits lie side by side are looked up together, as a window of the state; what is left
/// to test takes no branch that a processor could predict wrongly.
#[derive(Clone, Debug)]
pub(crate) struct WordSteps {
    windows: Vec<Window>,
    /// Where the steps of each value of each window start in `candidates`.
    buckets: Vec<u32>,
    /// Positions in `steps`.
    candidates: Vec<u32>,
    steps: Vec<WordStep>,
    /// The most successors of a state.
    pub most: usize,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    shift: u32,
    mask: u64,
    base: u32,
}

#[derive(Clone, Copy, Debug)]
struct WordStep {
    mask: u64,
    equals: u64,
    keep: u64,
    put: u64,
    group: GroupId,
    action: ActionId,
}

/// A window has no more bits than this: its table stays in the processor's first cache.
const WIDEST_WINDOW: u32 = 9;

impl WordSteps {
    /// The same steps; `None` if states are larger, or a test is not of equality.
    pub(crate) fn new(steps: &PackedSteps, n_words: usize) -> Option<Self> {
        if n_words > 2 || !steps.sets.is_empty() {
            return None;
        }
        let word_step = |step: &PackedStep| WordStep {
            mask: step.test.mask,
            equals: step.test.equals,
            keep: step.update.keep,
            put: step.update.put,
            group: step.group,
            action: step.action,
        };
        let mut word = Self {
            windows: Vec::new(),
            buckets: vec![0],
            candidates: Vec::new(),
            steps: steps.steps.iter().map(word_step).collect(),
            most: 0,
        };
        let mut leads = &steps.leads[..];
        while let Some((&(first, _), rest)) = leads.split_first() {
            let mut bits = first.mask.count_ones();
            let beside = rest.iter().take_while(|(field, _)| {
                let fits = field.shift == first.shift + bits
                    && bits + field.mask.count_ones() <= WIDEST_WINDOW;
                bits += if fits { field.mask.count_ones() } else { 0 };
                fits
            });
            let n_leads = 1 + beside.count();
            let (own, others) = leads.split_at(n_leads);
            word.add_window(steps, first.shift, bits, own)?;
            leads = others;
        }
        Some(word)
    }

    fn add_window(
        &mut self,
        steps: &PackedSteps,
        shift: u32,
        bits: u32,
        leads: &[(Field, u32)],
    ) -> Option<()> {
        let base = self.buckets.len() as u32 - 1;
        self.windows.push(Window { shift, mask: (1 << bits) - 1, base });
        let mut most = 0;
        for value in 0..1_u64 << bits {
            let before = self.candidates.len();
            for (field, base) in leads {
                let bucket = *base as usize + field.take(&[value << shift]) as usize;
                self.candidates.extend(steps.buckets[bucket]..steps.buckets[bucket + 1]);
            }
            most = most.max(self.candidates.len() - before);
            self.buckets.push(u32::try_from(self.candidates.len()).ok()?);
        }
        self.most += most;
        Some(())
    }

    /// Writes the successors of a state, in the order of groups, and says how many there are. There
    /// must be room for [`WordSteps::most`] and one more.
    #[inline]
    pub(crate) fn expand(&self, source: u64, targets: &mut [u64]) -> usize {
        let mut n_targets = 0;
        for &Window { shift, mask, base } in &self.windows {
            let bucket = base as usize + (source >> shift & mask) as usize;
            let range = self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize;
            for &candidate in &self.candidates[range] {
                let step = &self.steps[candidate as usize];
                targets[n_targets] = source & step.keep | step.put;
                n_targets += usize::from(source & step.mask == step.equals);
            }
        }
        n_targets
    }

    /// Shows the groups that have a step from a state, and its action.
    pub(crate) fn each(&self, source: u64, mut see: impl FnMut(GroupId, ActionId)) {
        for &Window { shift, mask, base } in &self.windows {
            let bucket = base as usize + (source >> shift & mask) as usize;
            let range = self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize;
            for &candidate in &self.candidates[range] {
                let step = &self.steps[candidate as usize];
                if source & step.mask == step.equals {
                    see(step.group, step.action);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
