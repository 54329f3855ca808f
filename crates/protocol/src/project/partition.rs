//! The coarsest partition that a signature cannot split: classes are refined in rounds (Moore 1956)
//! until nothing changes. Knows nothing of what the elements are.

use rustc_hash::FxHashMap;

/// What an element looks like from outside, given the classes so far.
pub(super) type Signature = Vec<(u32, u32, u32)>;

/// A partition: the class of each element, numbered in order of first members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Partition {
    pub(super) class_of: Vec<u32>,
    pub(super) count: u32,
}

impl Partition {
    /// Elements with equal keys share a class.
    pub(super) fn by_key<K: std::hash::Hash + Eq>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut numbers = FxHashMap::default();
        let class_of = keys
            .into_iter()
            .map(|key| {
                let next = numbers.len() as u32;
                *numbers.entry(key).or_insert(next)
            })
            .collect();
        Self { class_of, count: numbers.len() as u32 }
    }

    /// Splits classes whose members have different signatures; a signature is a set. Whether
    /// anything changed.
    pub(super) fn split(&mut self, mut signature: impl FnMut(usize) -> Signature) -> bool {
        let keys = self.class_of.iter().enumerate().map(|(element, &class)| {
            let mut signature = signature(element);
            signature.sort_unstable();
            signature.dedup();
            (class, signature)
        });
        let finer = Self::by_key(keys);
        let changed = finer.count > self.count;
        *self = finer;
        changed
    }

    /// The first member of each class.
    pub(super) fn first_members(&self) -> Vec<usize> {
        let mut members = Vec::new();
        for (element, &class) in self.class_of.iter().enumerate() {
            if class as usize == members.len() {
                members.push(element);
            }
        }
        members
    }
}
