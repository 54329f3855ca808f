//! The content of a queue as one number: its elements are digits where all contents fit into 32 bits, otherwise contents are
//! interned. An empty queue is 0 in both.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_model::{Domain, Value};
use rustc_hash::FxHashMap;

/// The number of an empty queue.
pub(super) const EMPTY: Value = 0;

/// The contents of one queue. Elements are the positions of packets or labels in the plan.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    /// What it may hold, ascending.
    letters: Vec<u32>,
    kind: Encoding,
}

#[derive(Clone, Debug)]
enum Encoding {
    /// Digits to this base, the front is the lowest. 0 is no element, and there is none behind it.
    Digits { base: u32, size: u32 },
    /// Numbers given in order.
    Numbers(Arc<Mutex<Numbers>>),
}

#[derive(Debug)]
struct Numbers {
    list: Vec<Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, Value>,
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
                let list = vec![empty.clone()];
                let numbers = FxHashMap::from_iter([(empty, EMPTY)]);
                Encoding::Numbers(Arc::new(Mutex::new(Numbers { list, numbers })))
            }
        };
        Self { letters, kind }
    }

    pub(super) fn domain(&self) -> Domain {
        match &self.kind {
            Encoding::Digits { size, .. } => Domain::Size(*size),
            Encoding::Numbers(_) => Domain::Interned,
        }
    }

    /// The number of a content; `None` if something does not belong there.
    pub(super) fn encode(&self, content: &[u32]) -> Option<Value> {
        match &self.kind {
            Encoding::Digits { base, size } => {
                let mut value: Value = 0;
                for letter in content.iter().rev() {
                    let digit = self.letters.binary_search(letter).ok()? as u32 + 1;
                    value = value.checked_mul(*base)?.checked_add(digit)?;
                }
                (value < *size).then_some(value)
            }
            Encoding::Numbers(numbers) => {
                let Numbers { list, numbers } = &mut *lock(numbers);
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

    /// How many contents there are; `None` if they are numbered as they are met.
    pub(super) fn size(&self) -> Option<usize> {
        match &self.kind {
            Encoding::Digits { size, .. } => Some(*size as usize),
            Encoding::Numbers(_) => None,
        }
    }

    /// By content of another queue, the number here of the same with other letters; `None` if some content does
    /// not belong here.
    pub(super) fn of(&self, other: &Contents, letter: impl Fn(u32) -> u32) -> Option<Vec<Value>> {
        let mut elements = Vec::new();
        let renamed = (0..other.size()? as Value).map(|value| {
            elements.clear();
            other.decode(value, &mut elements);
            // Not every number below the size is a content: none has an empty place before its end.
            if other.encode(&elements) != Some(value) {
                return Some(value);
            }
            elements.iter_mut().for_each(|element| *element = letter(*element));
            self.encode(&elements)
        });
        renamed.collect()
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
            Encoding::Numbers(numbers) => {
                content.extend(lock(numbers).list.get(value as usize).into_iter().flatten());
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
            Encoding::Numbers(numbers) => {
                lock(numbers).list.get(value as usize).map_or(0, |content| content.len())
            }
        }
    }
}

fn lock(numbers: &Mutex<Numbers>) -> MutexGuard<'_, Numbers> {
    numbers.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
