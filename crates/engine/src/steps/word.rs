//! The steps of states that fit one pair of words, for millions of states at a time.
//!
//! Leads whose bits lie side by side are looked up together, as a window of the state; what is left
//! to test takes no branch that a processor could predict wrongly.

use quadrille_model::{ActionId, GroupId, Signature, ValueSet};

use super::compiled::{Block, Compiled, Field, QueueStep, blocks};
use crate::bits::Bits;
use crate::packing::Packing;

/// A window has no more bits than this: its table stays in the processor's first cache.
const WIDEST_WINDOW: u32 = 9;
/// Sets that a step tests beside what it compares; with more there are no such steps.
const MOST_SETS: usize = 2;

/// The next-state function on a single pair of words.
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
    /// Whether some step tests sets, or changes a queue.
    has_sets: bool,
    has_queues: bool,
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
    add: u64,
    group: GroupId,
    action: ActionId,
    sets: [SetTest; MOST_SETS],
    queue_step: Option<QueueStep>,
}

/// The value of a field is a member.
#[derive(Clone, Copy, Debug)]
struct SetTest {
    shift: u32,
    mask: u64,
    members: u64,
}

impl SetTest {
    const ANYTHING: Self = Self { shift: 0, mask: 0, members: 1 };

    /// `None` if the field has too many values.
    fn new(field: Field, set: &ValueSet) -> Option<Self> {
        let members = set.words().next().filter(|_| field.mask < 64)?;
        Some(Self { shift: field.shift, mask: field.mask, members })
    }

    #[inline]
    fn passes(self, source: u64) -> bool {
        self.members >> (source >> self.shift & self.mask) & 1 != 0
    }
}

impl WordStep {
    fn new(group: GroupId, compiled: &Compiled) -> Option<Self> {
        let (test, update) = (compiled.tests.first(), compiled.updates.first());
        let mut sets = [SetTest::ANYTHING; MOST_SETS];
        for (position, (field, set)) in compiled.sets.iter().enumerate() {
            *sets.get_mut(position)? = SetTest::new(*field, set)?;
        }
        if compiled.queue_steps.len() > 1 {
            return None;
        }
        Some(Self {
            mask: test.map_or(0, |test| test.mask),
            equals: test.map_or(0, |test| test.equals),
            keep: update.map_or(u64::MAX, |update| update.keep),
            put: update.map_or(0, |update| update.put),
            add: update.map_or(0, |update| update.add),
            group,
            action: compiled.action,
            sets,
            queue_step: compiled.queue_steps.first().copied(),
        })
    }

    #[inline]
    fn is_enabled<const SETS: bool>(&self, source: u64) -> bool {
        let equal = source & self.mask == self.equals;
        if SETS {
            self.sets.iter().fold(equal, |enabled, set| enabled & set.passes(source))
        } else {
            equal
        }
    }

    /// Whether it is ruled out by the bits of a window.
    fn is_ruled_out(&self, bits: u64, window: u64) -> bool {
        let differs = (bits ^ self.equals) & self.mask & window != 0;
        let outside = self.sets.iter().any(|set| {
            let is_known = set.mask << set.shift & !window == 0;
            is_known && set.mask != 0 && !set.passes(bits)
        });
        differs || outside
    }
}

impl WordSteps {
    /// The steps of a model; `None` if states are larger, or steps are more than tests, sets of few
    /// values, updates, and one queue each.
    pub(crate) fn new(signature: &Signature, packing: &Packing) -> Option<Self> {
        if packing.n_words() > 2 {
            return None;
        }
        Self::of_blocks(&blocks(signature, packing)?)
    }

    /// The same steps in any order: more of them are looked up together.
    pub(crate) fn in_any_order(signature: &Signature, packing: &Packing) -> Option<Self> {
        if packing.n_words() > 2 {
            return None;
        }
        let mut blocks = blocks(signature, packing)?;
        blocks.sort_by_key(|block| block.lead.shift);
        Self::of_blocks(&blocks)
    }

    fn of_blocks(blocks: &[Block]) -> Option<Self> {
        let mut word = Self {
            windows: Vec::new(),
            buckets: vec![0],
            candidates: Vec::new(),
            steps: Vec::new(),
            most: 0,
            has_sets: false,
            has_queues: false,
        };
        let mut blocks = blocks;
        while let Some((first, rest)) = blocks.split_first() {
            let mut bits = first.lead.mask.count_ones();
            let beside = rest.iter().take_while(|block| {
                let own = block.lead.mask.count_ones();
                let is_beside = block.lead.shift == first.lead.shift + bits;
                let fits = own > 0 && is_beside && bits + own <= WIDEST_WINDOW;
                bits += if fits { own } else { 0 };
                fits
            });
            let n_blocks = 1 + beside.count();
            let (own, others) = blocks.split_at(n_blocks);
            word.add_window(first.lead.shift, bits, own)?;
            blocks = others;
        }
        word.has_sets = word.steps.iter().any(|step| step.sets.iter().any(|set| set.mask != 0));
        word.has_queues = word.steps.iter().any(|step| step.queue_step.is_some());
        Some(word)
    }

    fn add_window(&mut self, shift: u32, bits: u32, blocks: &[Block]) -> Option<()> {
        let base = self.buckets.len() as u32 - 1;
        let window = Window { shift, mask: (1 << bits) - 1, base };
        self.windows.push(window);
        let mut starts = Vec::with_capacity(blocks.len());
        for block in blocks {
            starts.push(self.steps.len());
            for (group, compiled) in block.groups() {
                self.steps.push(WordStep::new(group, compiled)?);
            }
        }
        let mut most = 0;
        for value in 0..1_u64 << bits {
            let (before, source) = (self.candidates.len(), value << shift);
            for (block, &start) in blocks.iter().zip(&starts) {
                for position in block.positions(block.lead.take(&[source])) {
                    let candidate = start + position;
                    if !self.steps[candidate].is_ruled_out(source, window.mask << shift) {
                        self.candidates.push(u32::try_from(candidate).ok()?);
                    }
                }
            }
            most = most.max(self.candidates.len() - before);
            self.buckets.push(u32::try_from(self.candidates.len()).ok()?);
        }
        self.most += most;
        Some(())
    }

    /// Only the steps of groups that are not among these.
    pub(crate) fn without(&self, groups: &Bits) -> Self {
        let mut left = Self { buckets: vec![0], candidates: Vec::new(), ..self.clone() };
        for range in self.buckets.windows(2) {
            let all = self.candidates[range[0] as usize..range[1] as usize].iter().copied();
            let is_left = |&step: &u32| !groups.contains(self.steps[step as usize].group.index());
            left.candidates.extend(all.filter(is_left));
            left.buckets.push(left.candidates.len() as u32);
        }
        left
    }

    /// Writes the successors of a state, in the order of groups, and says how many there are. There
    /// must be room for [`WordSteps::most`] and one more.
    #[inline]
    pub(crate) fn expand(&self, source: u64, targets: &mut [u64]) -> usize {
        match (self.has_sets, self.has_queues) {
            (false, false) => self.expand_by::<false, false>(source, targets),
            (true, false) => self.expand_by::<true, false>(source, targets),
            (false, true) => self.expand_by::<false, true>(source, targets),
            (true, true) => self.expand_by::<true, true>(source, targets),
        }
    }

    #[inline]
    fn expand_by<const SETS: bool, const QUEUES: bool>(
        &self,
        source: u64,
        targets: &mut [u64],
    ) -> usize {
        let mut n_targets = 0;
        for window in &self.windows {
            for &candidate in self.candidates(window, source) {
                let step = &self.steps[candidate as usize];
                let mut target = (source & step.keep | step.put).wrapping_add(step.add);
                if QUEUES && let Some(queue_step) = step.queue_step {
                    target = queue_step.applied(target);
                }
                targets[n_targets] = target;
                n_targets += usize::from(step.is_enabled::<SETS>(source));
            }
        }
        n_targets
    }

    #[inline]
    fn candidates(&self, window: &Window, source: u64) -> &[u32] {
        let bucket = window.base as usize + (source >> window.shift & window.mask) as usize;
        &self.candidates[self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize]
    }

    /// Shows the groups that have a step from a state, and its action.
    pub(crate) fn each(&self, source: u64, mut see: impl FnMut(GroupId, ActionId)) {
        for window in &self.windows {
            for &candidate in self.candidates(window, source) {
                let step = &self.steps[candidate as usize];
                if step.is_enabled::<true>(source) {
                    see(step.group, step.action);
                }
            }
        }
    }
}
