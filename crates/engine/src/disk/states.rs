//! The states of a model as keys, and what follows on each. Interned values are numbered by content, in
//! a dictionary that lies beside the runs, so that a key means the same in every process.

use std::sync::{Mutex, MutexGuard, PoisonError};

use quadrille_model::{ActionId, Domain, Explorer, GroupId, Model, Problem, SlotId, Value};

use super::dictionary::Dictionary;
use super::key::Key;
use super::shelf::u32_of;
use crate::bits::Bits;
use crate::fingerprint::mixed;
use crate::packing::Packing;
use crate::steps::{PackedSteps, WordSteps, pairs, words};

/// How the states of a model become keys.
pub(super) struct States<'m> {
    pub model: &'m dyn Model,
    packing: Packing,
    n_limbs: usize,
    steps: Steps,
    /// Slots whose values are numbered as they are met, and their contents.
    interned: Vec<SlotId>,
    dictionary: Mutex<Dictionary>,
}

enum Steps {
    Word(WordSteps),
    Packed(PackedSteps),
    Explorer,
}

/// What a worker has for itself.
pub(super) struct Own<'m> {
    pub explorer: Box<dyn Explorer + 'm>,
    values: Vec<Value>,
    outside: Vec<Value>,
    words: Vec<u32>,
    limbs: Vec<u64>,
    source: Vec<u64>,
    targets: Vec<u64>,
    content: Vec<u8>,
}

impl<'m> States<'m> {
    pub fn new(model: &'m dyn Model, dictionary: Dictionary) -> Self {
        let signature = model.signature();
        let packing = Packing::sorted(signature);
        let is_interned = |slot: &SlotId| signature.slot(*slot).domain == Domain::Interned;
        let interned: Vec<SlotId> = signature.slot_ids().filter(is_interned).collect();
        let steps = match WordSteps::in_any_order(signature, &packing) {
            Some(steps) => Steps::Word(steps),
            None => PackedSteps::new(signature, &packing).map_or(Steps::Explorer, Steps::Packed),
        };
        let n_limbs = packing.n_words() / 2;
        let dictionary = Mutex::new(dictionary);
        Self { model, packing, n_limbs, steps, interned, dictionary }
    }

    /// Limbs of every key.
    pub fn n_limbs_of(model: &dyn Model) -> usize {
        Packing::sorted(model.signature()).n_words() / 2
    }

    /// Whether values are numbered as they are met.
    pub fn interns(&self) -> bool {
        !self.interned.is_empty()
    }

    /// Limbs of every key.
    pub fn n_limbs(&self) -> usize {
        self.n_limbs
    }

    /// How many of the lowest bits of a key may be left out of what says where it belongs: few states
    /// share all the others, so that each part gets about as many.
    pub fn n_low_bits(&self) -> u32 {
        (self.packing.highest_bit() / 4).min(10)
    }

    /// Whether steps are masks, and so take little time.
    pub fn are_masks(&self) -> bool {
        !matches!(self.steps, Steps::Explorer)
    }

    /// Whether threads may expand states side by side and everything comes out the same.
    pub fn allow_workers(&self) -> bool {
        !self.interns() && self.model.allows_workers()
    }

    pub fn dictionary(&self) -> MutexGuard<'_, Dictionary> {
        self.dictionary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn own(&self) -> Own<'m> {
        let most = match &self.steps {
            Steps::Word(steps) => steps.most,
            Steps::Packed(_) | Steps::Explorer => 0,
        };
        Own {
            explorer: self.model.explorer(),
            values: vec![0; self.packing.n_slots()],
            outside: Vec::new(),
            words: Vec::new(),
            limbs: vec![0; self.n_limbs],
            source: vec![0; self.n_limbs],
            targets: vec![0; most + 1],
            content: Vec::new(),
        }
    }

    /// Only the steps of some groups; `None` where steps are not masks.
    pub fn steps_of(&self, groups: &Bits) -> Option<WordSteps> {
        match &self.steps {
            Steps::Word(steps) => Some(steps.without(&groups.not())),
            Steps::Packed(_) | Steps::Explorer => None,
        }
    }

    /// The key of a state of the model.
    pub fn key<K: Key>(&self, own: &mut Own<'_>, state: &[Value]) -> K {
        own.words.clear();
        if self.interned.is_empty() {
            self.packing.pack(state, &mut own.words);
        } else {
            own.outside.clear();
            own.outside.extend_from_slice(state);
            let mut dictionary = self.dictionary();
            for &slot in &self.interned {
                let value = &mut own.outside[slot.index()];
                *value = dictionary.number(self.model, slot, *value, &mut own.content);
            }
            self.packing.pack(&own.outside, &mut own.words);
        }
        own.limbs.clear();
        own.limbs.extend(pairs(&own.words));
        K::of_limbs(&own.limbs)
    }

    /// The state of a key, in the values of the model.
    pub fn values<'o, K: Key>(&self, own: &'o mut Own<'_>, key: &K) -> &'o [Value] {
        self.unpack(own, key);
        if self.interns() {
            let mut dictionary = self.dictionary();
            for &slot in &self.interned {
                let value = &mut own.values[slot.index()];
                *value = dictionary.value(self.model, slot, *value);
            }
        }
        &own.values
    }

    /// Shows the values of a key that are numbered as they are met.
    pub fn each_interned<K: Key>(&self, key: &K, mut see: impl FnMut(SlotId, Value)) {
        for &slot in &self.interned {
            see(slot, self.numbered(key, slot));
        }
    }

    /// The number that a key has in a slot.
    pub fn numbered<K: Key>(&self, key: &K, slot: SlotId) -> Value {
        let parts = self.packing.parts_of(slot);
        parts.iter().fold(0, |value, part| {
            let from = part.word * u32::BITS + u32::from(part.shift);
            value | (key.bits(from, part.mask.count_ones()) as Value) << part.skip
        })
    }

    /// The limbs of a key without what it has in a slot.
    pub fn limbs_without<K: Key>(&self, key: &K, slot: SlotId) -> Vec<u64> {
        let mut limbs = vec![0; self.n_limbs];
        key.limbs(&mut limbs);
        for part in self.packing.parts_of(slot) {
            let shift = part.word % 2 * u32::BITS + u32::from(part.shift);
            limbs[part.word as usize / 2] &= !(u64::from(part.mask) << shift);
        }
        limbs
    }

    /// A number that depends on nothing but what the values of a state stand for.
    pub fn content_hash<K: Key>(&self, key: &K) -> u64 {
        let dictionary = self.dictionary();
        let slots = self.model.signature().slot_ids();
        slots.fold(0, |hash, slot| {
            let number = self.numbered(key, slot);
            let content = match self.interned.binary_search(&slot) {
                Ok(_) => dictionary.hash(slot, number),
                Err(_) => u64::from(number),
            };
            mixed(hash ^ content)
        })
    }

    /// The number of a content in a slot; `None` if the model knows no such content.
    pub fn number_of(&self, slot: SlotId, content: &[u8]) -> Option<Value> {
        self.interned.binary_search(&slot).ok()?;
        self.dictionary().number_of(self.model, slot, content)
    }

    /// A key with other numbers, if there is one for each.
    pub fn renumbered<K: Key>(
        &self,
        own: &mut Own<'_>,
        key: &K,
        number: impl Fn(SlotId, Value) -> Option<Value>,
    ) -> Option<K> {
        self.unpack(own, key);
        for &slot in &self.interned {
            let value = &mut own.values[slot.index()];
            *value = number(slot, *value)?;
        }
        let values = std::mem::take(&mut own.values);
        let key = self.packed(own, &values);
        own.values = values;
        Some(key)
    }

    /// Appends what the values of a state stand for.
    pub fn contents<K: Key>(&self, own: &mut Own<'_>, key: &K, out: &mut Vec<u8>) {
        self.unpack(own, key);
        let dictionary = self.dictionary();
        for slot in self.model.signature().slot_ids() {
            let value = own.values[slot.index()];
            let number = value.to_le_bytes();
            let content = match self.interned.binary_search(&slot) {
                Ok(_) => dictionary.content(slot, value),
                Err(_) => &number,
            };
            out.extend_from_slice(&(content.len() as u32).to_le_bytes());
            out.extend_from_slice(content);
        }
    }

    /// The inverse of [`States::contents`]; `None` if the bytes are no state.
    pub fn of_contents<K: Key>(&self, own: &mut Own<'_>, mut bytes: &[u8]) -> Option<K> {
        let mut values = Vec::with_capacity(self.packing.n_slots());
        for slot in self.model.signature().slot_ids() {
            let length = u32_of(&mut bytes)?;
            let (content, rest) = bytes.split_at_checked(length as usize)?;
            bytes = rest;
            values.push(match self.interned.binary_search(&slot) {
                Ok(_) => self.number_of(slot, content)?,
                Err(_) => {
                    let value = Value::from_le_bytes(content.try_into().ok()?);
                    let size = self.model.signature().slot(slot).domain.size();
                    Some(value).filter(|value| size.is_none_or(|size| value < &size))?
                }
            });
        }
        bytes.is_empty().then(|| self.packed(own, &values))
    }

    fn packed<K: Key>(&self, own: &mut Own<'_>, values: &[Value]) -> K {
        own.words.clear();
        self.packing.pack(values, &mut own.words);
        own.limbs.clear();
        own.limbs.extend(pairs(&own.words));
        K::of_limbs(&own.limbs)
    }

    fn unpack<K: Key>(&self, own: &mut Own<'_>, key: &K) {
        own.limbs.resize(self.n_limbs, 0);
        key.limbs(&mut own.limbs);
        own.words.clear();
        own.words.extend(words(&own.limbs));
        self.packing.unpack(&own.words, &mut own.values);
    }

    /// Shows the initial states.
    pub fn each_initial<K: Key>(
        &self,
        own: &mut Own<'m>,
        mut see: impl FnMut(K),
    ) -> Result<(), Box<Problem>> {
        let mut all = Vec::new();
        own.explorer.each_initial(|state| all.push(state.to_vec()))?;
        all.iter().for_each(|state| see(self.key(own, state)));
        Ok(())
    }

    /// Shows the successors of a state, other than itself perhaps, and says how many edges there are.
    #[inline]
    pub fn expand<K: Key>(
        &self,
        own: &mut Own<'m>,
        key: &K,
        mut see: impl FnMut(K),
    ) -> Result<usize, Box<Problem>> {
        match &self.steps {
            Steps::Word(steps) => {
                let source = key.low();
                let n_targets = steps.expand(source, &mut own.targets);
                own.targets[..n_targets].iter().for_each(|&target| see(K::of_low(target)));
                debug_assert!(self.agrees(own, key, n_targets), "masks and explorer differ");
                Ok(n_targets)
            }
            Steps::Packed(steps) => {
                own.source.resize(self.n_limbs, 0);
                key.limbs(&mut own.source);
                let (mut n_targets, limbs) = (0, &mut own.limbs);
                steps.each(&own.source, |step| {
                    n_targets += 1;
                    limbs.clear();
                    limbs.extend_from_slice(&own.source);
                    steps.apply(step, limbs, |_| {});
                    see(K::of_limbs(limbs));
                });
                debug_assert!(self.agrees(own, key, n_targets), "masks and explorer differ");
                Ok(n_targets)
            }
            Steps::Explorer => {
                let mut n_targets = 0;
                self.each_edge(own, key, |_, _, target| {
                    n_targets += 1;
                    see(target);
                })?;
                Ok(n_targets)
            }
        }
    }

    /// Whether the explorer has as many edges.
    fn agrees<K: Key>(&self, own: &mut Own<'m>, key: &K, n_targets: usize) -> bool {
        let targets = own.targets.clone();
        let mut n_edges = 0;
        let is_fine = self.each_edge(own, key, |_, _, _: K| n_edges += 1).is_ok();
        own.targets = targets;
        is_fine && n_edges == n_targets
    }

    /// Shows the edges of a state as the model has them.
    pub fn each_edge<K: Key>(
        &self,
        own: &mut Own<'m>,
        key: &K,
        mut see: impl FnMut(GroupId, ActionId, K),
    ) -> Result<(), Box<Problem>> {
        self.values(own, key);
        let values = std::mem::take(&mut own.values);
        let mut found = Vec::new();
        let expanded = own.explorer.each_successor(&values, |group, action, next| {
            found.push((group, action, next.to_vec()));
        });
        own.values = values;
        expanded?;
        for (group, action, next) in found {
            see(group, action, self.key(own, &next));
        }
        Ok(())
    }

    /// Whether the system may end in a state.
    pub fn may_end<K: Key>(&self, own: &mut Own<'m>, key: &K) -> Result<bool, Box<Problem>> {
        self.values(own, key);
        own.explorer.may_end(&own.values)
    }
}
