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
mod tests {
    use super::*;
    use crate::random::Random;

    /// The nodes that a word may lead to.
    fn after(graph: &[Vec<(u32, usize)>], word: &[u32]) -> Vec<usize> {
        let mut at = vec![0];
        for letter in word {
            let edges = at.iter().flat_map(|&node: &usize| &graph[node]);
            at = edges.filter(|edge| edge.0 == *letter).map(|edge| edge.1).collect();
            at.sort_unstable();
            at.dedup();
        }
        at
    }

    #[test]
    fn a_word_leads_to_the_set_of_all_nodes_it_may_lead_to() {
        let mut n_words = 0;
        for seed in 1..=300 {
            let mut random = Random::new(seed);
            let graph = random.graph(8);
            let automaton = determinise(vec![0], |set, edges| {
                edges.extend(set.iter().flat_map(|&node| graph[node].iter().copied()));
                Ok::<_, std::convert::Infallible>(set.to_vec())
            });
            let Ok(automaton) = automaton;
            for _ in 0..150 {
                let word: Vec<u32> = (0..random.below(6)).map(|_| random.below(3) as u32).collect();
                let mut state = Some(0);
                for letter in &word {
                    state = state.and_then(|state: usize| {
                        let edges = &automaton[state].0;
                        assert!(edges.is_sorted_by(|a, b| a.0 < b.0), "one edge per label");
                        edges.iter().find(|edge| edge.0 == *letter).map(|edge| edge.1)
                    });
                }
                let reached = state.map_or(&[][..], |state| &automaton[state].1);
                assert_eq!(reached, after(&graph, &word), "seed {seed}, {word:?}");
                n_words += usize::from(reached.len() > 1);
            }
        }
        assert!(n_words > 300, "{n_words}");
    }

    #[test]
    fn equal_sets_have_one_number() {
        let mut sets = Sets::default();
        let mut known: Vec<Vec<usize>> = Vec::new();
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let mut members: Vec<usize> = (0..random.below(4)).map(|_| random.below(6)).collect();
            let mut naive = members.clone();
            naive.sort_unstable();
            naive.dedup();
            let place = known.iter().position(|set| *set == naive);
            let (number, is_new) = sets.number(&mut members);
            assert_eq!((number, is_new), (place.unwrap_or(known.len()), place.is_none()));
            if is_new {
                known.push(naive);
            }
            assert_eq!(sets.members(number), known[number]);
        }
        assert_eq!(sets.len(), known.len());
    }
}
