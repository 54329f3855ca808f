//! The states of one depth of a sweep, as codes, in lists.

use crate::keys::SHARDS;

/// States of one depth: those that were met from a few states at a time, and by shard, those that were
/// met from many.
pub(super) struct Frontier {
    pub few: Vec<u64>,
    pub many: Vec<Vec<u64>>,
    n_many: usize,
}

impl Frontier {
    pub fn new() -> Self {
        Self { few: Vec::new(), many: vec![Vec::new(); SHARDS], n_many: 0 }
    }

    pub fn len(&self) -> usize {
        self.few.len() + self.n_many
    }

    /// The list of few states, and then those of the shards.
    pub fn list(&self, number: usize) -> &[u64] {
        match number.checked_sub(1) {
            None => &self.few,
            Some(shard) => &self.many[shard],
        }
    }

    /// Gives back the lists of shards before one of all lists.
    pub fn give_back(&mut self, number: usize) {
        for list in &mut self.many[..number.saturating_sub(1)] {
            *list = Vec::new();
        }
    }

    pub fn recount(&mut self) {
        self.n_many = self.many.iter().map(Vec::len).sum();
    }

    /// Forgets the states; no more room is kept than for so many.
    pub fn clear(&mut self, likely: usize) {
        let lists = std::iter::once((&mut self.few, likely));
        for (list, likely) in lists.chain(self.many.iter_mut().map(|list| (list, likely / SHARDS)))
        {
            list.clear();
            // What is not much too large is not worth giving back.
            if list.capacity() > 2 * likely {
                list.shrink_to(likely);
            }
        }
        self.n_many = 0;
    }

    /// Makes one list of few states.
    pub fn gather(&mut self) {
        if std::mem::take(&mut self.n_many) > 0 {
            self.many.iter_mut().for_each(|list| self.few.append(list));
        }
    }

    /// Gives back most of the room that lists of shards have left over.
    pub fn trim(&mut self) {
        for list in &mut self.many {
            if list.capacity() > list.len() + list.len() / 4 {
                list.shrink_to(list.len() + list.len() / 8);
            }
        }
    }

    pub fn bytes(&self) -> usize {
        let many: usize = self.many.iter().map(Vec::capacity).sum();
        (self.few.capacity() + many) * size_of::<u64>()
    }
}
