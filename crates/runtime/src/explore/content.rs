//! The content of a queue as one number: its elements are digits where all contents fit into 32 bits, otherwise contents are
//! interned. An empty queue is 0 in both.

use quadrille_model::{Domain, Value};
use rustc_hash::FxHashMap;

/// The number of an empty queue.
pub(super) const EMPTY: Value = 0;

/// The contents of one queue. Elements are the positions of packets or labels in the plan.
#[derive(Debug)]
pub(super) struct Contents {
    /// What it may hold, ascending.
    letters: Vec<u32>,
    kind: Encoding,
}

#[derive(Debug)]
enum Encoding {
    /// Digits to this base, the front is the lowest. 0 is no element, and there is none behind it.
    Digits { base: u32, size: u32 },
    /// Numbers given in order.
    Numbers { list: Vec<Box<[u32]>>, numbers: FxHashMap<Box<[u32]>, Value> },
}

impl Contents {
    /// Contents of at most `capacity` of these letters; `None`: of any number.
    pub(super) fn new(mut letters: Vec<u32>, capacity: Option<u32>) -> Self {
        letters.sort_unstable();
        letters.dedup();
        let base = letters.len() as u32 + 1;
        let kind = match capacity.and_then(|capacity| base.checked_pow(capacity)) {
            Some(size) => Encoding::Digits { base, size },
            None => {
                let empty: Box<[u32]> = Box::default();
                Encoding::Numbers {
                    list: vec![empty.clone()],
                    numbers: FxHashMap::from_iter([(empty, EMPTY)]),
                }
            }
        };
        Self { letters, kind }
    }

    pub(super) fn domain(&self) -> Domain {
        match &self.kind {
            Encoding::Digits { size, .. } => Domain::Size(*size),
            Encoding::Numbers { .. } => Domain::Interned,
        }
    }

    /// The number of a content; `None` if something does not belong there.
    pub(super) fn encode(&mut self, content: &[u32]) -> Option<Value> {
        match &mut self.kind {
            Encoding::Digits { base, .. } => {
                let mut value = 0;
                for letter in content.iter().rev() {
                    let digit = self.letters.binary_search(letter).ok()? as u32 + 1;
                    value = value * *base + digit;
                }
                Some(value)
            }
            Encoding::Numbers { list, numbers } => {
                if let Some(&known) = numbers.get(content) {
                    return Some(known);
                }
                if !content.iter().all(|letter| self.letters.binary_search(letter).is_ok()) {
                    return None;
                }
                let number = list.len() as Value;
                list.push(content.into());
                numbers.insert(content.into(), number);
                Some(number)
            }
        }
    }

    /// Adds the letters of a content, from the front; of a number that is none, as many as there are.
    pub(super) fn decode(&self, mut value: Value, content: &mut Vec<u32>) {
        match &self.kind {
            Encoding::Digits { base, .. } => {
                while value > 0 && !value.is_multiple_of(*base) {
                    content.push(self.letters[(value % base) as usize - 1]);
                    value /= base;
                }
            }
            Encoding::Numbers { list, .. } => {
                content.extend(list.get(value as usize).into_iter().flatten());
            }
        }
    }

    /// How many letters a content has.
    pub(super) fn len(&self, mut value: Value) -> usize {
        match &self.kind {
            Encoding::Digits { base, .. } => {
                let mut length = 0;
                while value > 0 {
                    length += 1;
                    value /= base;
                }
                length
            }
            Encoding::Numbers { list, .. } => {
                list.get(value as usize).map_or(0, |content| content.len())
            }
        }
    }
}

#[cfg(test)]
mod tests;
