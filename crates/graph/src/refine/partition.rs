//! Partitions: the class of each element, and the form of it whose blocks can be split.

use std::hash::Hash;
use std::ops::Range;

use rustc_hash::FxHashMap;

/// The class of each element. Classes are numbered in order of their first members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    class_of: Vec<u32>,
    n_classes: usize,
}

impl Partition {
    /// All elements in one class.
    pub fn coarsest(n_elements: usize) -> Self {
        Self { class_of: vec![0; n_elements], n_classes: n_elements.min(1) }
    }

    /// Elements with equal keys share a class.
    pub fn by_key<K: Hash + Eq>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut numbers = FxHashMap::default();
        let class_of = keys.into_iter().map(|key| {
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        });
        Self { class_of: class_of.collect(), n_classes: numbers.len() }
    }

    /// The class of an element.
    pub fn class(&self, element: usize) -> u32 {
        self.class_of[element]
    }

    /// The classes of all elements, in order.
    pub fn classes(&self) -> &[u32] {
        &self.class_of
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The first member of each class.
    pub fn first_members(&self) -> Vec<usize> {
        let mut members = Vec::with_capacity(self.n_classes);
        for (element, &class) in self.class_of.iter().enumerate() {
            if class as usize == members.len() {
                members.push(element);
            }
        }
        members
    }
}

/// A refinable partition: the members of a block are neighbours in `order` (Valmari 2009).
pub(super) struct Blocks {
    block_of: Vec<u32>,
    order: Vec<u32>,
    position: Vec<u32>,
    ranges: Vec<Range<u32>>,
}

impl Blocks {
    pub(super) fn new(partition: &Partition) -> Self {
        let block_of = partition.class_of.clone();
        let n = u32::try_from(block_of.len()).expect("elements are numbered with 32 bits");
        let mut ranges = vec![0..0; partition.n_classes];
        for &block in &block_of {
            ranges[block as usize].end += 1;
        }
        let mut start = 0;
        for range in &mut ranges {
            *range = start..start + range.end;
            start = range.end;
        }
        let mut order: Vec<u32> = (0..n).collect();
        order.sort_by_key(|&element| block_of[element as usize]);
        let mut position = vec![0; block_of.len()];
        for (at, &element) in order.iter().enumerate() {
            position[element as usize] = at as u32;
        }
        Self { block_of, order, position, ranges }
    }

    pub(super) fn of(&self, element: usize) -> u32 {
        self.block_of[element]
    }

    pub(super) fn members(&self, block: u32) -> &[u32] {
        let range = &self.ranges[block as usize];
        &self.order[range.start as usize..range.end as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        12 * self.block_of.len() + size_of::<Range<u32>>() * self.ranges.capacity()
    }

    /// Makes some members of a block, not all, a block of their own.
    pub(super) fn split_off(&mut self, block: u32, elements: &[u32]) {
        let new = self.ranges.len() as u32;
        let old_end = self.ranges[block as usize].end;
        let mut end = old_end;
        for &element in elements {
            end -= 1;
            let other = self.order[end as usize];
            let hole = self.position[element as usize];
            self.order.swap(hole as usize, end as usize);
            self.position[other as usize] = hole;
            self.position[element as usize] = end;
            self.block_of[element as usize] = new;
        }
        self.ranges[block as usize].end = end;
        self.ranges.push(end..old_end);
    }
}
