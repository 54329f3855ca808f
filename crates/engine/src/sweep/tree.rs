//! States of more than 64 bits, by tree compression (Laarman, van de Pol and Weber 2011): pairs of words
//! have numbers, pairs of such numbers have numbers, and so on; two numbers are left, which are what is
//! kept of a state. States that differ in few slots share the rest.
//!
//! Which numbers nodes get depends on which thread met them first. Nothing that is counted depends on
//! it: the shard of a state is that of a hash of its content.

use std::ops::Range;

use quadrille_model::{ActionId, GroupId};

use super::nodes::Nodes;
use super::slice::Form;
use crate::bits::Bits;
use crate::keys::{Coding, KeySet, Quotient, Shard, shard_of};
use crate::packing::Packing;
use crate::steps::{PackedSteps, pairs, words};
use crate::store::fold;

/// A state of more pairs has no tree: which nodes change is noted in one word.
const MOST_PAIRS: usize = 32;

pub(super) struct Tree {
    steps: PackedSteps,
    nodes: Nodes,
    n_words: usize,
    /// What each node above the pairs consists of, by position. Pairs come first, then these.
    joins: Vec<(usize, usize)>,
    /// By pair, which of the joins it is part of, as bits.
    above: Vec<u64>,
    /// The two positions that make a state.
    top: (usize, usize),
    /// Groups that occurred, as long as that is asked for.
    occurred: Option<Bits>,
}

/// A tree in the making.
struct Shape {
    joins: Vec<(usize, usize)>,
    above: Vec<u64>,
}

impl Shape {
    /// The position of what joins some pairs, half and half: what is joined last has many values.
    fn join(&mut self, pairs: Range<usize>) -> usize {
        if pairs.len() == 1 {
            return pairs.start;
        }
        let half = pairs.start + pairs.len().div_ceil(2);
        let parts = (self.join(pairs.start..half), self.join(half..pairs.end));
        let position = self.joins.len();
        pairs.for_each(|pair| self.above[pair] |= 1 << position);
        self.joins.push(parts);
        self.above.len() + position
    }
}

/// A successor: where it is kept, and as what.
#[derive(Clone, Copy)]
pub(super) struct Found {
    hash: u64,
    root: u64,
}

/// A state and its successors: pairs, and numbers by position.
pub(super) struct Scratch {
    pairs: Vec<u64>,
    ids: Vec<u32>,
    all_pairs: Vec<u64>,
    all_ids: Vec<u32>,
    targets: Vec<Target>,
}

/// A successor: its hash, and which pairs and joins are not those of its source, as bits.
struct Target {
    hash: u64,
    pairs: u64,
    joins: u64,
}

impl Tree {
    /// Whether states are neither too small nor too large.
    pub(super) fn suits(packing: &Packing) -> bool {
        (2..=MOST_PAIRS).contains(&packing.n_words().div_ceil(2))
    }

    /// For states that it [suits](Tree::suits).
    pub(super) fn new(steps: PackedSteps, packing: &Packing) -> Self {
        let n_pairs = packing.n_words().div_ceil(2);
        let mut shape = Shape { joins: Vec::new(), above: vec![0; n_pairs] };
        let half = n_pairs.div_ceil(2);
        let top = (shape.join(0..half), shape.join(half..n_pairs));
        let (Shape { joins, above }, n_words) = (shape, packing.n_words());
        Self { steps, nodes: Nodes::new(), n_words, joins, above, top, occurred: None }
    }

    fn n_pairs(&self) -> usize {
        self.above.len()
    }

    /// Reads a state from what is kept of it.
    #[inline]
    fn load(&self, root: u64, scratch: &mut Scratch) {
        let Scratch { pairs, ids, .. } = scratch;
        let split = |node: u64| ((node >> u32::BITS) as u32, node as u32);
        (ids[self.top.0], ids[self.top.1]) = split(root);
        for (position, &(one, other)) in self.joins.iter().enumerate().rev() {
            (ids[one], ids[other]) = split(self.nodes.get(ids[self.n_pairs() + position]));
        }
        for (pair, &id) in pairs.iter_mut().zip(&*ids) {
            *pair = self.nodes.get(id);
        }
    }

    /// The words of a state, from what is kept of it.
    fn read(&self, root: u64, out: &mut Vec<u32>) {
        let mut scratch = self.scratch();
        self.load(root, &mut scratch);
        out.extend(words(&scratch.pairs).take(self.n_words));
    }

    /// Numbers the nodes of successors that are not those of their source; `None` if there is no room.
    ///
    /// Asks for all entries of one height first, so that the processor waits for many cache lines at
    /// once and not for one after the other.
    #[inline]
    fn number(&self, pairs: &[u64], ids: &mut [u32], targets: &[Target]) -> Option<()> {
        let (n_pairs, n_nodes) = (self.n_pairs(), self.n_pairs() + self.joins.len());
        let changed = || {
            let each = targets.iter().enumerate();
            each.flat_map(|(at, target)| ones(target.pairs).map(move |pair| (at, pair)))
        };
        self.nodes.touch(changed().map(|(at, pair)| pairs[at * n_pairs + pair]));
        for (at, pair) in changed() {
            ids[at * n_nodes + pair] = self.nodes.intern(pairs[at * n_pairs + pair])?;
        }
        for (position, &parts) in self.joins.iter().enumerate() {
            let joined = || (0..targets.len()).filter(|&at| targets[at].joins >> position & 1 == 1);
            self.nodes.touch(joined().map(|at| node(&ids[at * n_nodes..], parts)));
            for at in joined() {
                let own = &mut ids[at * n_nodes..(at + 1) * n_nodes];
                own[n_pairs + position] = self.nodes.intern(node(own, parts))?;
            }
        }
        Some(())
    }
}

/// Two numbers as a node.
#[inline]
fn node(ids: &[u32], (one, other): (usize, usize)) -> u64 {
    u64::from(ids[one]) << u32::BITS | u64::from(ids[other])
}

/// The positions of the bits that are set, in ascending order.
#[inline]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let position = bits.trailing_zeros();
        bits &= bits.checked_sub(1)?;
        Some(position as usize)
    })
}

/// What a pair contributes to the hash of its state.
#[inline]
fn part(position: usize, pair: u64) -> u64 {
    fold(pair ^ 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2 * position as u64 + 1))
}

fn hash(pairs: &[u64]) -> u64 {
    pairs.iter().enumerate().fold(0, |hash, (position, &pair)| hash ^ part(position, pair))
}

impl Coding for Tree {
    fn quotient(&self) -> Quotient {
        Quotient::new(2 * self.nodes.id_bits())
    }

    #[inline]
    fn scatter(&self, quotient: &Quotient, root: u64) -> u64 {
        let half = quotient.bits() / 2;
        quotient.permuted(root >> u32::BITS << half | root & u64::from(u32::MAX))
    }

    fn gather(&self, quotient: &Quotient, bits: u64) -> u64 {
        let (half, both) = (quotient.bits() / 2, quotient.restored(bits));
        both >> half << u32::BITS | both & (u64::MAX >> (u64::BITS - half))
    }
}

impl Form for Tree {
    type Met = KeySet;
    type Batch = Vec<Found>;
    type Routed = Vec<u64>;
    type Scratch = Scratch;

    fn share(&self) -> usize {
        64
    }

    fn begin(&self) -> KeySet {
        KeySet::new(self, true)
    }

    fn scratch(&self) -> Scratch {
        Scratch {
            pairs: vec![0; self.n_pairs()],
            ids: vec![0; self.n_pairs() + self.joins.len()],
            all_pairs: Vec::new(),
            all_ids: Vec::new(),
            targets: Vec::new(),
        }
    }

    fn enter(&self, words: &[u32], batch: &mut Vec<Found>) -> bool {
        let (all, mut ids) = (pairs(words).collect::<Vec<_>>(), self.scratch().ids);
        let joins = self.above.iter().fold(0, |all, above| all | above);
        let whole = Target { hash: hash(&all), pairs: (1 << all.len()) - 1, joins };
        let is_entered = self.number(&all, &mut ids, &[whole]).is_some();
        if is_entered {
            batch.push(Found { hash: hash(&all), root: node(&ids, self.top) });
        }
        is_entered
    }

    fn batch_words(&self, batch: &Vec<Found>, position: usize, words: &mut Vec<u32>) {
        self.read(batch[position].root, words);
    }

    fn words(&self, _: &KeySet, code: u64, out: &mut Vec<u32>) {
        self.read(code, out);
    }

    fn expand(
        &self,
        _: &KeySet,
        scratch: &mut Scratch,
        code: u64,
        batch: &mut Vec<Found>,
        mut see: impl FnMut(GroupId, ActionId),
    ) -> Option<usize> {
        self.load(code, scratch);
        let Scratch { pairs, ids, all_pairs, all_ids, targets } = scratch;
        all_pairs.clear();
        all_ids.clear();
        targets.clear();
        let source_hash = hash(pairs);
        self.steps.each(pairs, |step| {
            let (start, mut touched) = (all_pairs.len(), 0_u64);
            all_pairs.extend_from_slice(pairs);
            self.steps.apply(step, &mut all_pairs[start..], |pair| touched |= 1 << pair);
            let mut target = Target { hash: source_hash, pairs: 0, joins: 0 };
            for pair in ones(touched) {
                let (before, after) = (pairs[pair], all_pairs[start + pair]);
                if before != after {
                    target.hash ^= part(pair, before) ^ part(pair, after);
                    target.pairs |= 1 << pair;
                    target.joins |= self.above[pair];
                }
            }
            targets.push(target);
            all_ids.extend_from_slice(ids);
            if self.occurred.as_ref().is_some_and(|known| !known.contains(step.group.index())) {
                see(step.group, step.action);
            }
        });
        self.number(all_pairs, all_ids, targets)?;
        for (target, ids) in targets.iter().zip(all_ids.chunks_exact(ids.len())) {
            if target.pairs != 0 {
                batch.push(Found { hash: target.hash, root: node(ids, self.top) });
            }
        }
        Some(targets.len())
    }

    fn occur(&mut self, occurred: Option<&Bits>) {
        self.occurred = occurred.cloned();
    }

    fn route(&self, batch: &mut Vec<Found>, routed: &mut [Vec<u64>]) {
        for found in batch.drain(..) {
            routed[shard_of(found.hash)].push(found.root);
        }
    }

    fn absorb_few(&self, met: &mut KeySet, batch: &Vec<Found>, fresh: &mut Vec<u64>) {
        met.absorb(self, batch, |found| (shard_of(found.hash), found.root), fresh);
    }

    fn absorb<'l>(
        &self,
        shard: &mut Shard,
        lists: impl Iterator<Item = (&'l Vec<Found>, &'l Vec<u64>)>,
        fresh: &mut Vec<u64>,
    ) {
        shard.absorb(self, lists.map(|(_, list)| &list[..]), fresh);
    }

    fn grow(&mut self, goes_on: &mut dyn FnMut() -> bool) {
        self.nodes.grow(goes_on);
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes()
    }
}
