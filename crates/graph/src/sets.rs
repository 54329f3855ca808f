//! Sets kept once each and numbered in order of discovery, and the subset construction on them.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::csr::Csr;

pub(crate) fn hash_of(key: &(impl Hash + ?Sized)) -> u64 {
    FxBuildHasher.hash_one(key)
}

/// Finds the numbers of things that are kept elsewhere, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    table: HashTable<u32>,
}

impl Numbering {
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        self.table.find(hash, |&number| is_it(number as usize)).map(|&number| number as usize)
    }

    /// Gives the next number to the thing with this hash, which must not have one.
    pub(crate) fn insert(&mut self, hash: u64, hash_of: impl Fn(usize) -> u64) -> usize {
        let number = self.table.len();
        let entry = u32::try_from(number).expect("numbered with 32 bits");
        self.table.insert_unique(hash, entry, |&number| hash_of(number as usize));
        number
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.allocation_size()
    }
}

/// Sets of members, each kept once as an ascending list.
#[derive(Clone, Debug)]
pub struct Sets<T> {
    contents: Csr<T>,
    numbers: Numbering,
}

impl<T> Default for Sets<T> {
    fn default() -> Self {
        Self { contents: Csr::default(), numbers: Numbering::default() }
    }
}

impl<T: Ord + Hash> Sets<T> {
    /// The number of the set with these members, and whether it is new. Takes the members out of
    /// the vector, which can be used again.
    pub fn number(&mut self, members: &mut Vec<T>) -> (usize, bool) {
        members.sort_unstable();
        members.dedup();
        let Self { contents, numbers } = self;
        let hash = hash_of(members.as_slice());
        if let Some(known) = numbers.find(hash, |set| contents.row(set) == members.as_slice()) {
            members.clear();
            return (known, false);
        }
        contents.push_row(members.drain(..));
        (numbers.insert(hash, |set| hash_of(contents.row(set))), true)
    }

    /// The members of a set, ascending.
    pub fn members(&self, set: usize) -> &[T] {
        self.contents.row(set)
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.contents.n_rows()
    }

    /// Whether there is no set yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of members of all sets together.
    pub fn n_members(&self) -> usize {
        self.contents.n_entries()
    }

    /// Bytes on the heap, without what members own.
    pub fn bytes(&self) -> usize {
        self.contents.bytes() + self.numbers.bytes()
    }
}

/// The subset construction (Rabin & Scott 1959): expands the set `start` and every set that follows,
/// in order of discovery. `step` lists the labelled edges of a set's members, silent edges already
/// followed; the edges with one label lead to one set. It returns what else is to be known of a
/// state, or an error that ends the construction.
///
/// The result has for each state its edges, ascending by label, and what `step` returned.
///
/// # Errors
/// What `step` returns.
#[allow(clippy::type_complexity, reason = "the automaton as plain lists")]
pub fn determinise<M: Ord + Hash + Clone, L: Ord, X, E>(
    mut start: Vec<M>,
    mut step: impl FnMut(&[M], &mut Vec<(L, M)>) -> Result<X, E>,
) -> Result<Vec<(Vec<(L, usize)>, X)>, E> {
    let mut sets = Sets::default();
    sets.number(&mut start);
    let mut states = Vec::new();
    let (mut edges, mut members) = (Vec::new(), start);
    while states.len() < sets.len() {
        let extra = step(sets.members(states.len()), &mut edges)?;
        edges.sort_unstable();
        let mut out: Vec<(L, usize)> = Vec::new();
        let mut rest = edges.drain(..).peekable();
        while let Some((label, member)) = rest.next() {
            members.push(member);
            while let Some((_, member)) = rest.next_if(|(next, _)| *next == label) {
                members.push(member);
            }
            out.push((label, sets.number(&mut members).0));
        }
        drop(rest);
        states.push((out, extra));
    }
    Ok(states)
}

#[cfg(test)]
mod tests;
