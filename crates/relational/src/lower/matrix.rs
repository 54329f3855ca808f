//! Sets of tuples of which it depends on conditions whether they are members.

use std::collections::BTreeMap;

use super::circuit::{Bit, FALSE, TRUE};
use crate::ground::Atom;

/// A tuple, eight bits for each atom, the last lowest.
pub(super) type Key = u64;

/// Most columns of a tuple.
pub(super) const MOST_COLUMNS: usize = 8;

/// The key of a tuple.
pub(super) fn key(tuple: &[Atom]) -> Key {
    tuple.iter().fold(0, |key, atom| key << 8 | Key::from(*atom))
}

pub(super) fn last(key: Key) -> Atom {
    (key & 0xff) as Atom
}

pub(super) fn first(key: Key, arity: usize) -> Atom {
    (key >> (8 * (arity - 1)) & 0xff) as Atom
}

/// A set of tuples, each with the condition that it is a member; those that never are, are left out.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Matrix {
    pub(super) arity: usize,
    pub(super) cells: BTreeMap<Key, Bit>,
}

impl Matrix {
    pub(super) fn new(arity: usize) -> Self {
        Self { arity, cells: BTreeMap::new() }
    }

    pub(super) fn of(arity: usize, keys: impl IntoIterator<Item = Key>) -> Self {
        Self { arity, cells: keys.into_iter().map(|key| (key, TRUE)).collect() }
    }

    pub(super) fn get(&self, key: Key) -> Bit {
        self.cells.get(&key).copied().unwrap_or(FALSE)
    }

    pub(super) fn put(&mut self, key: Key, bit: Bit) {
        if bit == FALSE {
            self.cells.remove(&key);
        } else {
            self.cells.insert(key, bit);
        }
    }

    /// The tuples of arity one.
    pub(super) fn atoms(&self) -> Vec<(Atom, Bit)> {
        self.cells.iter().map(|(key, bit)| (last(*key), *bit)).collect()
    }

    /// The tuples that begin with an atom.
    pub(super) fn beginning(&self, atom: Atom) -> impl Iterator<Item = (Key, Bit)> + '_ {
        let shift = 8 * (self.arity - 1);
        let start = Key::from(atom) << shift;
        let end = start | ((1u128 << shift) - 1) as Key;
        self.cells.range(start..=end).map(|(key, bit)| (*key, *bit))
    }
}
