//! Sets of groups: as bits, and as the few words of them that are not empty.

use std::collections::BTreeMap;

use quadrille_model::GroupId;

/// A set of groups of one model. Sets of the same model have the same length.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Groups(Box<[u64]>);

impl Groups {
    /// The empty set of groups below a number.
    pub(crate) fn none(n_groups: usize) -> Self {
        Self(vec![0; n_groups.div_ceil(64)].into())
    }

    /// The groups below a number that satisfy a condition.
    pub(crate) fn filter(n_groups: usize, mut is_member: impl FnMut(GroupId) -> bool) -> Self {
        let mut set = Self::none(n_groups);
        for group in (0..n_groups).map(GroupId::from_usize).filter(|&group| is_member(group)) {
            set.insert(group);
        }
        set
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    pub(crate) fn insert(&mut self, group: GroupId) {
        self.0[group.index() / 64] |= 1 << (group.index() % 64);
    }

    #[inline]
    pub(crate) fn contains(&self, group: usize) -> bool {
        self.0[group / 64] >> (group % 64) & 1 == 1
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    pub(crate) fn remove_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    pub(crate) fn keep_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= theirs);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The members, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = GroupId> + '_ {
        self.0.iter().enumerate().flat_map(|(position, &word)| {
            bits(word).map(move |bit| GroupId::from_usize(position * 64 + bit))
        })
    }
}

/// The positions of the bits of a word, ascending.
pub(crate) fn bits(word: u64) -> impl Iterator<Item = usize> {
    let without_lowest = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest)
        .map(|rest| rest.trailing_zeros() as usize)
}

/// A word of a set of groups, and its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) at: u32,
    pub(crate) bits: u64,
}

/// A set in a [`Pool`]: equal sets of one pool are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pooled {
    start: u32,
    end: u32,
}

/// Sets that never change, side by side. Most have a few members, so that looking at the words that
/// are not empty is much less than looking at all.
#[derive(Default)]
pub(crate) struct Pool {
    pieces: Vec<Piece>,
    known: BTreeMap<Groups, Pooled>,
}

impl Pool {
    pub(crate) fn add(&mut self, groups: &Groups) -> Pooled {
        if let Some(&pooled) = self.known.get(groups) {
            return pooled;
        }
        let start = self.pieces.len() as u32;
        let words = groups.words().iter().enumerate().filter(|(_, word)| **word != 0);
        self.pieces.extend(words.map(|(at, &bits)| Piece { at: at as u32, bits }));
        let pooled = Pooled { start, end: self.pieces.len() as u32 };
        self.known.insert(groups.clone(), pooled);
        pooled
    }

    /// Forgets what only adding needs.
    pub(crate) fn finish(&mut self) {
        self.known = BTreeMap::new();
    }

    #[inline]
    pub(crate) fn pieces(&self, set: Pooled) -> &[Piece] {
        &self.pieces[set.start as usize..set.end as usize]
    }

    pub(crate) fn contains(&self, set: Pooled, group: usize) -> bool {
        self.pieces(set)
            .iter()
            .any(|piece| piece.at as usize == group / 64 && piece.bits >> (group % 64) & 1 == 1)
    }
}
