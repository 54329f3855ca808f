//! What a queue holds, as one number: its elements are digits where all contents fit into 32 bits, otherwise
//! contents are numbered as they are met. An empty queue is 0 in both.

use quadrille_model::{Domain, Value};
use rustc_hash::FxHashMap;

/// The number of an empty queue.
pub(super) const EMPTY: Value = 0;

/// The contents of one queue. Elements are the positions of packets or labels in the plan.
#[derive(Debug)]
pub(super) struct Contents {
    /// What it may hold, ascending.
    letters: Vec<u32>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
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
            Some(size) => Kind::Digits { base, size },
            None => {
                let empty: Box<[u32]> = Box::default();
                Kind::Numbers {
                    list: vec![empty.clone()],
                    numbers: FxHashMap::from_iter([(empty, EMPTY)]),
                }
            }
        };
        Self { letters, kind }
    }

    pub(super) fn domain(&self) -> Domain {
        match &self.kind {
            Kind::Digits { size, .. } => Domain::Size(*size),
            Kind::Numbers { .. } => Domain::Interned,
        }
    }

    /// The number of a content; `None` if something does not belong there.
    pub(super) fn encode(&mut self, content: &[u32]) -> Option<Value> {
        match &mut self.kind {
            Kind::Digits { base, .. } => {
                let mut value = 0;
                for letter in content.iter().rev() {
                    let digit = self.letters.binary_search(letter).ok()? as u32 + 1;
                    value = value * *base + digit;
                }
                Some(value)
            }
            Kind::Numbers { list, numbers } => {
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
            Kind::Digits { base, .. } => {
                while value > 0 && !value.is_multiple_of(*base) {
                    content.push(self.letters[(value % base) as usize - 1]);
                    value /= base;
                }
            }
            Kind::Numbers { list, .. } => {
                content.extend(list.get(value as usize).into_iter().flatten());
            }
        }
    }

    /// How many letters a content has.
    pub(super) fn len(&self, mut value: Value) -> usize {
        match &self.kind {
            Kind::Digits { base, .. } => {
                let mut length = 0;
                while value > 0 {
                    length += 1;
                    value /= base;
                }
                length
            }
            Kind::Numbers { list, .. } => {
                list.get(value as usize).map_or(0, |content| content.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(contents: &mut Contents, content: &[u32]) -> Value {
        let value = contents.encode(content).expect("it belongs there");
        let mut back = Vec::new();
        contents.decode(value, &mut back);
        assert_eq!(back, content);
        assert_eq!(contents.len(value), content.len());
        value
    }

    #[test]
    fn digits_and_numbers_name_each_content_once() {
        for capacity in [Some(4), None] {
            let mut contents = Contents::new(vec![9, 3, 7, 3], capacity);
            let mut seen = std::collections::BTreeSet::new();
            let mut all: Vec<Vec<u32>> = vec![vec![]];
            for _ in 0..4 {
                for content in std::mem::take(&mut all) {
                    assert!(seen.insert(round_trip(&mut contents, &content)));
                    all.extend([3, 7, 9].map(|letter| [&content[..], &[letter]].concat()));
                }
            }
            assert_eq!(contents.encode(&[]), Some(0));
            assert_eq!(contents.encode(&[4]), None);
        }
    }

    #[test]
    fn what_fits_is_packed() {
        let domain =
            |letters: u32, capacity| Contents::new((0..letters).collect(), Some(capacity)).domain();
        assert_eq!(domain(1, 1), Domain::Size(2));
        assert_eq!(domain(9, 9), Domain::Size(1_000_000_000));
        assert_eq!(domain(9, 10), Domain::Interned);
    }
}
