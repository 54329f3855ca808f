//! Sets of groups, as bits.

use quadrille_model::GroupId;

/// A set of groups of one model. Sets of the same model have the same length.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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

    #[inline]
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
