//! Bounding types of sets and relations, for Alloy and for designs: unions of products of signatures
//! (Edwards, Jackson and Torlak, *A type system for object models*, FSE 2004). Operators on them, and
//! in [`relevance`] which part of an operand can matter at all.
//!
//! Which signature lies below which is a matter of the language: it brings a [`Hierarchy`]. So are
//! formulas, numbers and names with several meanings, of which nothing is known here.

pub mod relevance;

#[cfg(test)]
mod tests;

use std::fmt::Debug;

use crate::tree::Binary;

/// How a language numbers its signatures.
pub trait Signature: Copy + Eq + Debug {
    /// The signature without atoms.
    const NONE: Self;
}

/// Which signature lies below which.
pub trait Hierarchy {
    /// Signatures.
    type Sig: Signature;

    /// Whether the first is the second or lies below it; neither is [`Signature::NONE`].
    fn is_below(&self, a: Self::Sig, b: Self::Sig) -> bool;

    /// How a signature is shown.
    fn name(&self, sig: Self::Sig) -> &str;
}

/// A union of products of signatures. A product with [`Signature::NONE`] has it in all columns: it is
/// the empty relation with so many columns. Without products it is no relation at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationType<S> {
    /// The products, none within another of the same arity.
    pub entries: Vec<Vec<S>>,
}

impl<S> Default for RelationType<S> {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl<S> RelationType<S> {
    /// What no relation has.
    pub const NOTHING: Self = Self { entries: Vec::new() };
}

impl<S: Signature> RelationType<S> {
    /// Of sets of atoms of one signature.
    pub fn of(sig: S) -> Self {
        Self::product_of(vec![sig])
    }

    /// Of relations with these columns.
    pub fn product_of(columns: Vec<S>) -> Self {
        Self { entries: vec![columns] }
    }

    /// Of the empty relation with so many columns.
    pub fn none(arity: usize) -> Self {
        Self::product_of(vec![S::NONE; arity])
    }

    /// Whether no relation has it, not even an empty one.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether there can be a tuple.
    pub fn has_tuple(&self) -> bool {
        self.entries.iter().any(|entry| entry[0] != S::NONE)
    }

    /// The products that can have a tuple.
    pub fn products(&self) -> impl Iterator<Item = &Vec<S>> {
        self.entries.iter().filter(|entry| entry[0] != S::NONE)
    }

    /// The number of columns, if all products have the same.
    pub fn arity(&self) -> Option<usize> {
        let mut arities = self.entries.iter().map(Vec::len);
        let first = arities.next()?;
        arities.all(|arity| arity == first).then_some(first)
    }

    /// Whether a product has so many columns.
    pub fn has_arity(&self, arity: usize) -> bool {
        self.entries.iter().any(|entry| entry.len() == arity)
    }

    /// Whether a product of each has the same number of columns.
    pub fn has_common_arity(&self, other: &Self) -> bool {
        self.entries.iter().any(|entry| other.has_arity(entry.len()))
    }

    fn keep(&self, wanted: impl Fn(&[S]) -> bool) -> Self {
        Self { entries: self.entries.iter().filter(|entry| wanted(entry)).cloned().collect() }
    }

    /// The products with so many columns.
    pub fn extract(&self, arity: usize) -> Self {
        self.keep(|entry| entry.len() == arity)
    }

    /// The products that have as many columns as one of the other.
    pub fn pick_common_arity(&self, other: &Self) -> Self {
        self.keep(|entry| other.has_arity(entry.len()))
    }

    /// Of `~r`: the pairs, turned round.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut pairs = self.extract(2);
        pairs.entries.iter_mut().for_each(|pair| pair.reverse());
        pairs
    }

    fn add(&mut self, entry: Vec<S>, sigs: &impl Hierarchy<Sig = S>) {
        let same = |other: &[S]| other.len() == entry.len();
        if self.entries.iter().any(|known| same(known) && product_within(&entry, known, sigs)) {
            return;
        }
        self.entries.retain(|known| !(same(known) && product_within(known, &entry, sigs)));
        self.entries.push(entry);
    }

    fn collect(entries: impl IntoIterator<Item = Vec<S>>, sigs: &impl Hierarchy<Sig = S>) -> Self {
        let mut all = Self::NOTHING;
        entries.into_iter().for_each(|entry| all.add(entry, sigs));
        all
    }

    /// The products of both.
    #[must_use]
    pub fn union(&self, other: &Self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        let mut union = self.clone();
        other.entries.iter().for_each(|entry| union.add(entry.clone(), sigs));
        union
    }

    /// Of `a + b` and `a ++ b`: what has as many columns on both sides.
    #[must_use]
    pub fn union_with_common_arity(&self, other: &Self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        self.pick_common_arity(other).union(&other.pick_common_arity(self), sigs)
    }

    /// Of `a & b`.
    #[must_use]
    pub fn intersection(&self, other: &Self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        let both =
            |a: &[S], b: &[S]| whole(a.iter().zip(b).map(|(a, b)| meet(*a, *b, sigs)).collect());
        let pairs = self.pairs(other).filter(|(a, b)| a.len() == b.len());
        Self::collect(pairs.map(|(a, b)| both(a, b)), sigs)
    }

    /// Whether the two can have a tuple in common.
    pub fn meets(&self, other: &Self, sigs: &impl Hierarchy<Sig = S>) -> bool {
        self.intersection(other, sigs).has_tuple()
    }

    /// Of `a -> b`.
    #[must_use]
    pub fn product(&self, other: &Self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        Self::collect(self.pairs(other).map(|(a, b)| whole([&a[..], &b[..]].concat())), sigs)
    }

    /// Of `a.b`; no relation where a column is missing.
    #[must_use]
    pub fn join(&self, other: &Self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        let pairs = self.pairs(other).filter(|(a, b)| a.len() + b.len() > 2);
        Self::collect(pairs.map(|(a, b)| joined(a, b, sigs)), sigs)
    }

    /// Of `s <: r`, where this is the relation.
    #[must_use]
    pub fn restricted_from(&self, set: &Self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        let within = |(sig, entry): (&Vec<S>, &Vec<S>)| restricted(entry, sig[0], 0, sigs);
        Self::collect(set.extract(1).pairs(self).map(within), sigs)
    }

    /// Of `r :> s`, where this is the relation.
    #[must_use]
    pub fn restricted_to(&self, set: &Self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        let within =
            |(sig, entry): (&Vec<S>, &Vec<S>)| restricted(entry, sig[0], entry.len() - 1, sigs);
        Self::collect(set.extract(1).pairs(self).map(within), sigs)
    }

    /// Of `^r`.
    #[must_use]
    pub fn closure(&self, sigs: &impl Hierarchy<Sig = S>) -> Self {
        let mut closure = self.extract(2);
        loop {
            let next = closure.union(&closure.join(&closure, sigs), sigs);
            let is_known = |entry: &Vec<S>| {
                closure.entries.iter().any(|known| product_within(entry, known, sigs))
            };
            if next.entries.iter().all(is_known) {
                return closure;
            }
            closure = next;
        }
    }

    /// Of an operator on sets and relations, where this is the left operand; no relation if the numbers of
    /// columns do not allow it.
    pub fn of_operator(
        &self,
        operator: Binary,
        other: &Self,
        sigs: &impl Hierarchy<Sig = S>,
    ) -> Option<Self> {
        Some(match operator {
            Binary::Join => self.join(other, sigs),
            Binary::Domain => other.restricted_from(self, sigs),
            Binary::Range => self.restricted_to(other, sigs),
            Binary::Intersect => self.intersection(other, sigs),
            Binary::Union | Binary::Override => self.union_with_common_arity(other, sigs),
            Binary::Difference => self.pick_common_arity(other),
            Binary::Arrow(..) | Binary::SeqArrow => self.product(other, sigs),
            _ => return None,
        })
    }

    /// Whether an atom can stand in the first columns of both.
    pub fn first_columns_meet(&self, other: &Self, sigs: &impl Hierarchy<Sig = S>) -> bool {
        self.pairs(other).any(|(a, b)| meet(a[0], b[0], sigs) != S::NONE)
    }

    fn pairs<'t>(&'t self, other: &'t Self) -> impl Iterator<Item = (&'t Vec<S>, &'t Vec<S>)> {
        self.entries.iter().flat_map(move |a| other.entries.iter().map(move |b| (a, b)))
    }

    /// As it is shown to readers.
    pub fn text(&self, sigs: &impl Hierarchy<Sig = S>) -> String {
        let name = |sig: &S| if *sig == S::NONE { "none" } else { sigs.name(*sig) };
        let product = |entry: &Vec<S>| entry.iter().map(name).collect::<Vec<_>>().join("->");
        let entries: Vec<String> = self.entries.iter().map(product).collect();
        if entries.is_empty() { "nothing".to_owned() } else { entries.join(" + ") }
    }
}

fn within<S: Signature>(a: S, b: S, sigs: &impl Hierarchy<Sig = S>) -> bool {
    a == S::NONE || a == b || b != S::NONE && sigs.is_below(a, b)
}

/// The smaller of two signatures, if they overlap. Of two that overlap one contains the other: what is
/// only a subset has the type of what it is a subset of.
pub fn meet<S: Signature>(a: S, b: S, sigs: &impl Hierarchy<Sig = S>) -> S {
    if within(a, b, sigs) {
        a
    } else if within(b, a, sigs) {
        b
    } else {
        S::NONE
    }
}

fn product_within<S: Signature>(a: &[S], b: &[S], sigs: &impl Hierarchy<Sig = S>) -> bool {
    a.iter().zip(b).all(|(a, b)| within(*a, *b, sigs))
}

/// A product with an empty column is empty.
fn whole<S: Signature>(columns: Vec<S>) -> Vec<S> {
    if columns.contains(&S::NONE) { vec![S::NONE; columns.len()] } else { columns }
}

/// The join of two products; empty columns where they do not meet.
fn joined<S: Signature>(a: &[S], b: &[S], sigs: &impl Hierarchy<Sig = S>) -> Vec<S> {
    let columns = [&a[..a.len() - 1], &b[1..]].concat();
    match meet(a[a.len() - 1], b[0], sigs) {
        none if none == S::NONE => vec![S::NONE; columns.len()],
        _ => whole(columns),
    }
}

/// A product with one column within a signature.
fn restricted<S: Signature>(
    entry: &[S],
    sig: S,
    column: usize,
    sigs: &impl Hierarchy<Sig = S>,
) -> Vec<S> {
    let mut columns = entry.to_vec();
    columns[column] = meet(columns[column], sig, sigs);
    whole(columns)
}
