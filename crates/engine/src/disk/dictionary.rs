//! Numbers of interned values that mean the same in every process: per slot, contents are numbered in
//! the order in which they are met, and written down beside the runs.

use quadrille_model::{Model, SlotId, Value};
use rustc_hash::FxHashMap;

use super::run::checksum;

/// The contents of all slots.
#[derive(Default)]
pub(super) struct Dictionary {
    slots: Vec<OfSlot>,
    /// Contents since the last [`Dictionary::news`], as they are written down.
    news: Vec<u8>,
    n_bytes: usize,
}

#[derive(Default)]
struct OfSlot {
    numbers: FxHashMap<Box<[u8]>, Value>,
    /// The content of each number, and its hash.
    contents: Vec<(Box<[u8]>, u64)>,
    /// What numbers and values mean in this process, as far as that was asked.
    number_of: FxHashMap<Value, Value>,
    value_of: Vec<Option<Value>>,
}

impl Dictionary {
    fn slot(&mut self, slot: SlotId) -> &mut OfSlot {
        if slot.index() >= self.slots.len() {
            self.slots.resize_with(slot.index() + 1, OfSlot::default);
        }
        &mut self.slots[slot.index()]
    }

    /// The number of a value.
    pub fn number(
        &mut self,
        model: &dyn Model,
        slot: SlotId,
        value: Value,
        scratch: &mut Vec<u8>,
    ) -> Value {
        if let Some(&number) = self.slot(slot).number_of.get(&value) {
            return number;
        }
        scratch.clear();
        model.content(slot, value, scratch);
        let number = match self.slot(slot).numbers.get(&scratch[..]) {
            Some(&number) => number,
            None => self.add(slot, scratch),
        };
        let own = self.slot(slot);
        own.number_of.insert(value, number);
        own.value_of[number as usize] = Some(value);
        number
    }

    fn add(&mut self, slot: SlotId, content: &[u8]) -> Value {
        self.news.extend_from_slice(&slot.number().to_le_bytes());
        self.news.extend_from_slice(&(content.len() as u32).to_le_bytes());
        self.news.extend_from_slice(content);
        self.n_bytes += 2 * content.len() + 64;
        let own = self.slot(slot);
        let number = own.contents.len() as Value;
        own.contents.push((content.into(), checksum(content)));
        own.value_of.push(None);
        own.numbers.insert(content.into(), number);
        number
    }

    /// The value of a number that was given.
    pub fn value(&mut self, model: &dyn Model, slot: SlotId, number: Value) -> Value {
        let own = self.slot(slot);
        let position = number as usize;
        if let Some(value) = own.value_of[position] {
            return value;
        }
        let value = model.value(slot, &own.contents[position].0);
        let value = value.expect("a bug in the model: it does not know a content that it gave");
        own.value_of[position] = Some(value);
        own.number_of.insert(value, number);
        value
    }

    /// The content of a number that was given.
    pub fn content(&self, slot: SlotId, number: Value) -> &[u8] {
        &self.slots[slot.index()].contents[number as usize].0
    }

    /// A number that says which content this is, the same in every process.
    pub fn hash(&self, slot: SlotId, number: Value) -> u64 {
        self.slots[slot.index()].contents[number as usize].1
    }

    /// The number of a content; `None` if the model knows no such content.
    pub fn number_of(&mut self, model: &dyn Model, slot: SlotId, content: &[u8]) -> Option<Value> {
        if let Some(&number) = self.slot(slot).numbers.get(content) {
            return Some(number);
        }
        model.value(slot, content)?;
        Some(self.add(slot, content))
    }

    /// What was added since this was asked last.
    pub fn news(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.news)
    }

    /// Reads what [`Dictionary::news`] gave, again; `None` if that is not what these bytes are, or the
    /// model does not know what they stand for.
    pub fn read(model: &dyn Model, mut bytes: &[u8]) -> Option<Self> {
        let mut dictionary = Self::default();
        while !bytes.is_empty() {
            let (slot, rest) = bytes.split_first_chunk::<4>()?;
            let (length, rest) = rest.split_first_chunk::<4>()?;
            let (content, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            let slot = SlotId::new(u32::from_le_bytes(*slot));
            if slot.index() >= model.signature().n_slots() {
                return None;
            }
            model.value(slot, content)?;
            dictionary.add(slot, content);
            bytes = rest;
        }
        dictionary.news.clear();
        Some(dictionary)
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        self.n_bytes
    }
}
