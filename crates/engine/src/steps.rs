//! Steps as masks on packed states: a group that tests and assigns constants, counts, or adds to and takes
//! from queues whose cells are bits of a slot, is a comparison and an update of a few words, without
//! unpacking the state or asking the explorer. Everything comes from the signature; a model of which
//! some group is not like that has no such steps.
//!
//! Groups hang under the slot they test most narrowly; its value picks a few, and if these are still
//! many, another field that they test (the front of a queue) picks the fewer that are tried.

mod compiled;
mod word;

use std::ops::Range;

use quadrille_model::{ActionId, GroupId, Signature, ValueSet};

use crate::packing::Packing;
use compiled::{Block, Compiled, Field, Key, QueueStep, Test, Update, blocks};

pub(crate) use word::WordSteps;

/// Where a value picks more steps than this, the explorer has a better index.
const MOST_CANDIDATES: usize = 24;
/// More steps than this take too much memory.
const MOST_STEPS: usize = 1 << 20;
/// As many steps are tried one after the other; more are picked by another field.
const FEW: usize = 4;
/// A field with more bits picks nothing: its table would grow too large.
const WIDEST_SPLIT: u32 = 8;

/// The next-state function of a model on packed states, whose words are taken in pairs.
#[derive(Clone, Debug)]
pub(crate) struct PackedSteps {
    leads: Vec<(Field, u32)>,
    /// By value of a lead, the field that is looked at next, and where its leaves start.
    buckets: Vec<(Field, u32)>,
    /// Where the steps of each leaf start; one entry more than there are leaves.
    leaves: Vec<u32>,
    steps: Vec<PackedStep>,
    tests: Vec<Test>,
    sets: Vec<(Field, ValueSet)>,
    updates: Vec<Update>,
    queue_steps: Vec<QueueStep>,
}

/// A group where the value of its lead lets it through. Its first test and its first update stand
/// here, so that most steps touch nothing else.
#[derive(Clone, Debug)]
pub(crate) struct PackedStep {
    pub group: GroupId,
    pub action: ActionId,
    test: Test,
    update: Update,
    /// Further tests, sets that values must be in, further updates, and what happens to queues.
    tests: Range<u32>,
    sets: Range<u32>,
    updates: Range<u32>,
    queue_steps: Range<u32>,
}

/// A packed state as pairs of words.
pub(crate) fn pairs(words: &[u32]) -> impl Iterator<Item = u64> + '_ {
    words.chunks(2).map(|pair| match *pair {
        [low, high] => u64::from(low) | u64::from(high) << 32,
        [low] => u64::from(low),
        _ => 0,
    })
}

/// The words of a state in pairs.
pub(crate) fn words(pairs: &[u64]) -> impl Iterator<Item = u32> + '_ {
    pairs.iter().flat_map(|&pair| [pair as u32, (pair >> 32) as u32])
}

impl PackedSteps {
    /// The steps of a model; `None` if some group does more than masks can say.
    pub(crate) fn new(signature: &Signature, packing: &Packing) -> Option<Self> {
        let mut steps = Self {
            leads: Vec::new(),
            buckets: Vec::new(),
            leaves: vec![0],
            steps: Vec::new(),
            tests: Vec::new(),
            sets: Vec::new(),
            updates: Vec::new(),
            queue_steps: Vec::new(),
        };
        for block in blocks(signature, packing)? {
            steps.add_block(&block)?;
        }
        Some(steps)
    }

    /// Shows the steps that are enabled in a state, in the order of groups.
    #[inline]
    pub(crate) fn each(&self, source: &[u64], mut see: impl FnMut(&PackedStep)) {
        for (field, base) in &self.leads {
            let (split, base) = self.buckets[*base as usize + field.take(source) as usize];
            let leaf = base as usize + split.take(source) as usize;
            let range = self.leaves[leaf] as usize..self.leaves[leaf + 1] as usize;
            for step in &self.steps[range] {
                if step.test.passes(source) && self.passes(step, source) {
                    see(step);
                }
            }
        }
    }

    /// Makes the target of a step from its source, and shows which pairs change.
    #[inline]
    pub(crate) fn apply(
        &self,
        step: &PackedStep,
        state: &mut [u64],
        mut changes: impl FnMut(usize),
    ) {
        step.update.apply(state);
        changes(step.update.pair as usize);
        for update in &self.updates[step.updates.start as usize..step.updates.end as usize] {
            update.apply(state);
            changes(update.pair as usize);
        }
        let range = step.queue_steps.start as usize..step.queue_steps.end as usize;
        for queue_step in &self.queue_steps[range] {
            queue_step.apply(state);
            changes(queue_step.pair());
        }
    }

    #[inline]
    fn passes(&self, step: &PackedStep, source: &[u64]) -> bool {
        let tests = &self.tests[step.tests.start as usize..step.tests.end as usize];
        let sets = &self.sets[step.sets.start as usize..step.sets.end as usize];
        tests.iter().all(|test| test.passes(source))
            && sets.iter().all(|(field, set)| set.contains(field.take(source)))
    }

    fn add_block(&mut self, block: &Block) -> Option<()> {
        self.leads.push((block.lead, self.buckets.len() as u32));
        for value in 0..block.n_values() {
            let groups: Vec<(GroupId, &Compiled)> = block.let_through(value).collect();
            let split = narrowest_split(&groups);
            self.buckets.push((split, self.leaves.len() as u32 - 1));
            for value in 0..=split.mask {
                let before = self.steps.len();
                for &(number, group) in &groups {
                    let key = group.keys.iter().find(|key| key.field == split);
                    if key.is_none_or(|key| u64::from(key.value) == value) {
                        self.add(number, group);
                    }
                }
                if self.steps.len() - before > MOST_CANDIDATES || self.steps.len() > MOST_STEPS {
                    return None;
                }
                self.leaves.push(self.steps.len() as u32);
            }
        }
        Some(())
    }

    fn add(&mut self, group: GroupId, compiled: &Compiled) {
        let nothing = Update { pair: 0, keep: u64::MAX, put: 0, add: 0 };
        let (update, updates) = match compiled.updates.split_first() {
            Some((first, rest)) => (*first, append(&mut self.updates, rest)),
            None => (nothing, 0..0),
        };
        let (test, tests) = match compiled.tests.split_first() {
            Some((first, rest)) => (*first, append(&mut self.tests, rest)),
            None => (Test::default(), 0..0),
        };
        self.steps.push(PackedStep {
            group,
            action: compiled.action,
            test,
            update,
            tests,
            sets: append(&mut self.sets, &compiled.sets),
            updates,
            queue_steps: append(&mut self.queue_steps, &compiled.queue_steps),
        });
    }
}

/// The field that leaves the fewest of some groups to try on average, if these are many; else none.
fn narrowest_split(groups: &[(GroupId, &Compiled)]) -> Field {
    let nothing = Field { pair: 0, shift: 0, mask: 0 };
    if groups.len() <= FEW {
        return nothing;
    }
    let keys = || groups.iter().flat_map(|(_, group)| &group.keys);
    let mut fields: Vec<Field> = keys().map(|key: &Key| key.field).collect();
    fields.sort_unstable();
    fields.dedup();
    let fields = fields.into_iter().filter(|field| field.mask.count_ones() <= WIDEST_SPLIT);
    // How many steps there are in all leaves, beside what all groups would make of them.
    let share = |field: &Field| {
        let n_values = field.mask as usize + 1;
        let n_deciding = keys().filter(|key| key.field == *field).count();
        let n_steps = n_deciding + (groups.len() - n_deciding) * n_values;
        (n_steps * 1024 / (n_values * groups.len()), n_values)
    };
    let best = fields.min_by_key(share).filter(|field| share(field).0 <= 768);
    best.unwrap_or(nothing)
}

fn append<T: Clone>(list: &mut Vec<T>, more: &[T]) -> Range<u32> {
    let start = list.len() as u32;
    list.extend_from_slice(more);
    start..list.len() as u32
}

#[cfg(test)]
mod tests;
