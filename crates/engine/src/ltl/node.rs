//! Nodes of the product and what an algorithm remembers about each. Knows neither model nor
//! automaton.

use quadrille_logic::Location;
use quadrille_model::StateId;
use rustc_hash::FxHashMap;

/// A state of the model together with a location of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub state: StateId,
    pub location: Location,
}

/// Automata with at most this many locations get a plain array with a place for every pair.
///
/// Measured on 11 million nodes: a hashed entry takes some 35 bytes and makes the search three times
/// slower. An array of 32-bit entries takes four bytes per state and location, met or not, so with
/// three or four locations met per state, both cost the same memory at this size.
const MOST_DENSE: usize = 32;

/// A value for every node, the default until it is set.
pub(super) struct NodeTable<T> {
    n_locations: usize,
    dense: Vec<T>,
    sparse: FxHashMap<u64, T>,
}

impl<T: Copy + Default> NodeTable<T> {
    pub fn new(n_locations: usize) -> Self {
        Self { n_locations, dense: Vec::new(), sparse: FxHashMap::default() }
    }

    #[inline]
    pub fn get(&self, node: Node) -> T {
        if self.n_locations <= MOST_DENSE {
            self.dense.get(self.place(node)).copied().unwrap_or_default()
        } else {
            self.sparse.get(&self.key(node)).copied().unwrap_or_default()
        }
    }

    #[inline]
    pub fn set(&mut self, node: Node, value: T) {
        if self.n_locations > MOST_DENSE {
            self.sparse.insert(self.key(node), value);
            return;
        }
        let place = self.place(node);
        if place >= self.dense.len() {
            let whole_state = (node.state.index() + 1) * self.n_locations;
            self.dense.resize(whole_state, T::default());
        }
        self.dense[place] = value;
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        let entry = size_of::<(u64, T)>() + 1;
        self.dense.capacity() * size_of::<T>() + self.sparse.capacity() * 8 / 7 * entry
    }

    fn place(&self, node: Node) -> usize {
        node.state.index() * self.n_locations + node.location.index()
    }

    fn key(&self, node: Node) -> u64 {
        self.place(node) as u64
    }
}

#[cfg(test)]
mod tests;
