//! Relevance, from the top of an expression down: of each operand the tuples that can make a difference
//! where it stands, and doubts about parts that make none (Edwards, Jackson and Torlak, FSE 2004).
//!
//! Who asks has found the types of all parts, and goes down the tree by itself.

use super::{Hierarchy, RelationType, Signature, joined, meet, restricted};
use crate::tree::{Binary, Unary};

/// Something that is probably not meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// `a = b` of what has nothing in common.
    NeverEqual,
    /// `a in b` of what has nothing in common.
    NeverWithin,
    /// `a = a`.
    Same,
    /// `a & b` of what has nothing in common.
    EmptyIntersection,
    /// `a - b` where nothing of `b` is in `a`, or matters.
    NothingTaken,
    /// `a.b` whose inner columns have nothing in common.
    EmptyJoin,
    /// `s <: r` or `r :> s` that leaves nothing.
    EmptyRestriction,
    /// The left of `a + b` or `a ++ b` has nothing to do with what stands around.
    LeftIrrelevant,
    /// The right has not.
    RightIrrelevant,
}

impl Doubt {
    /// What is wrong.
    pub fn message(self) -> &'static str {
        match self {
            Self::NeverEqual | Self::NeverWithin => "this can hold of empty sets only",
            Self::Same => "both sides of this are always the same",
            Self::EmptyIntersection => "this intersection is always empty",
            Self::NothingTaken => "nothing is ever taken away here",
            Self::EmptyJoin => "this join is always empty",
            Self::EmptyRestriction => "this restriction is always empty",
            Self::LeftIrrelevant | Self::RightIrrelevant => "this part makes no difference here",
        }
    }

    /// What is said where it stands.
    pub fn label(self) -> &'static str {
        match self {
            Self::LeftIrrelevant | Self::RightIrrelevant => {
                "by its type, it has nothing to do with the rest"
            }
            Self::Same => "says nothing",
            _ => "by their types, the two have no member in common",
        }
    }

    /// What to do about it.
    pub fn help(self) -> &'static str {
        match self {
            Self::LeftIrrelevant | Self::RightIrrelevant => "leave it out, or correct it",
            _ => "correct one of them, or leave this part out",
        }
    }
}

/// The operands of an operator with two, with what matters of its result.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'t, S> {
    /// The type of the left one.
    pub left: &'t RelationType<S>,
    /// The type of the right one.
    pub right: &'t RelationType<S>,
    /// What matters of the result; of formulas it is not looked at.
    pub wanted: &'t RelationType<S>,
}

/// What matters of the two sides of an operator.
pub type Both<S> = (RelationType<S>, RelationType<S>);

impl<S: Signature> Operands<'_, S> {
    /// What matters of the operands, if the operator is one on sets and relations, and what is doubtful.
    /// Of the right side of `in` a part that cannot be in the left one makes no difference, of those of
    /// `=` only what both can have.
    pub fn relevant(
        &self,
        operator: Binary,
        sigs: &impl Hierarchy<Sig = S>,
    ) -> Option<(Both<S>, Option<Doubt>)> {
        let (a, b, p) = (self.left, self.right, self.wanted);
        // What has no tuple is told where it begins, and numbers of columns by who finds the types.
        let fits = match operator {
            Binary::Equals | Binary::NotEquals | Binary::In | Binary::NotIn => {
                a.has_common_arity(b)
            }
            _ => !a.of_operator(operator, b, sigs)?.is_empty(),
        };
        let are_some = fits && a.has_tuple() && b.has_tuple();
        let doubt = |holds: bool, doubt: Doubt| (are_some && holds).then_some(doubt);
        Some(match operator {
            Binary::Equals | Binary::NotEquals => {
                let both = a.intersection(b, sigs);
                if both.has_tuple() {
                    return Some(((both.clone(), both), None));
                }
                let sides = (a.pick_common_arity(b), b.pick_common_arity(a));
                (sides, doubt(true, Doubt::NeverEqual))
            }
            Binary::In | Binary::NotIn => {
                let left = a.pick_common_arity(b);
                let right = b.intersection(&left, sigs);
                let is_never = !right.has_tuple();
                ((left, right), doubt(is_never, Doubt::NeverWithin))
            }
            Binary::Intersect => {
                let is_empty = !a.meets(b, sigs);
                let sides = (a.intersection(p, sigs), b.intersection(p, sigs));
                (sides, doubt(is_empty, Doubt::EmptyIntersection))
            }
            Binary::Union | Binary::Override => {
                let sides = (a.intersection(p, sigs), b.intersection(p, sigs));
                let doubt = match (sides.0.has_tuple(), sides.1.has_tuple()) {
                    (false, true) => doubt(true, Doubt::LeftIrrelevant),
                    (true, false) => doubt(true, Doubt::RightIrrelevant),
                    _ => None,
                };
                (sides, doubt)
            }
            Binary::Difference => {
                let right = b.intersection(p, sigs);
                let is_none = !a.meets(b, sigs) || p.has_tuple() && !right.has_tuple();
                ((p.clone(), right), doubt(is_none, Doubt::NothingTaken))
            }
            Binary::Join => {
                let is_empty = !a.join(b, sigs).has_tuple();
                (self.of_join(sigs), doubt(is_empty, Doubt::EmptyJoin))
            }
            Binary::Domain => {
                let is_empty = !b.restricted_from(a, sigs).has_tuple();
                let sides = self.of_restriction(a, b, false, sigs);
                (sides, doubt(is_empty, Doubt::EmptyRestriction))
            }
            Binary::Range => {
                let is_empty = !a.restricted_to(b, sigs).has_tuple();
                let (set, relation) = self.of_restriction(b, a, true, sigs);
                ((relation, set), doubt(is_empty, Doubt::EmptyRestriction))
            }
            Binary::Arrow(..) | Binary::SeqArrow => (self.of_product(sigs), None),
            _ => return None,
        })
    }

    fn of_join(&self, sigs: &impl Hierarchy<Sig = S>) -> Both<S> {
        let (mut left, mut right) = (RelationType::NOTHING, RelationType::NOTHING);
        let fits = |(a, b): &(&Vec<S>, &Vec<S>)| {
            a.len() + b.len() > 2 && self.wanted.has_arity(a.len() + b.len() - 2)
        };
        for (a, b) in self.left.pairs(self.right).filter(fits) {
            let middle = meet(a[a.len() - 1], b[0], sigs);
            if middle == S::NONE {
                continue;
            }
            let joined = RelationType::product_of(joined(a, b, sigs));
            for mut columns in self.wanted.intersection(&joined, sigs).entries {
                if columns[0] != S::NONE {
                    columns.insert(a.len() - 1, middle);
                    left.add(columns[..a.len()].to_vec(), sigs);
                    right.add(columns[a.len() - 1..].to_vec(), sigs);
                }
            }
        }
        for must_meet in [true, false] {
            if !left.is_empty() && !right.is_empty() {
                break;
            }
            for (a, b) in self.left.pairs(self.right).filter(fits) {
                if !must_meet || meet(a[a.len() - 1], b[0], sigs) != S::NONE {
                    left.add(a.clone(), sigs);
                    right.add(b.clone(), sigs);
                }
            }
        }
        (left, right)
    }

    /// What matters of the set and of the relation.
    fn of_restriction(
        &self,
        set: &RelationType<S>,
        relation: &RelationType<S>,
        is_range: bool,
        sigs: &impl Hierarchy<Sig = S>,
    ) -> Both<S> {
        let (mut sets, mut relations) = (RelationType::NOTHING, RelationType::NOTHING);
        for sig in set.entries.iter().filter(|entry| entry.len() == 1) {
            for entry in relation.entries.iter().filter(|it| self.wanted.has_arity(it.len())) {
                let column = if is_range { entry.len() - 1 } else { 0 };
                let within = RelationType::product_of(restricted(entry, sig[0], column, sigs));
                for found in self.wanted.intersection(&within, sigs).entries {
                    if found[0] != S::NONE {
                        sets.add(vec![found[column]], sigs);
                        relations.add(found, sigs);
                    }
                }
            }
        }
        if sets.is_empty() || relations.is_empty() {
            return (set.extract(1), relation.pick_common_arity(self.wanted));
        }
        (sets, relations)
    }

    fn of_product(&self, sigs: &impl Hierarchy<Sig = S>) -> Both<S> {
        let (mut left, mut right) = (RelationType::NOTHING, RelationType::NOTHING);
        let pairs = self.left.pairs(self.right);
        for (a, b) in pairs.filter(|(a, b)| a[0] != S::NONE && b[0] != S::NONE) {
            let product = RelationType::product_of([&a[..], &b[..]].concat());
            for entry in self.wanted.intersection(&product, sigs).entries {
                if entry[0] != S::NONE {
                    left.add(entry[..a.len()].to_vec(), sigs);
                    right.add(entry[a.len()..].to_vec(), sigs);
                }
            }
        }
        if left.is_empty() || right.is_empty() {
            return (self.left.clone(), self.right.clone());
        }
        (left, right)
    }
}

/// What matters of the operand of an operator on sets and relations, where something of its result does;
/// nothing is said of formulas and numbers.
pub fn relevant<S: Signature>(
    operator: Unary,
    of: &RelationType<S>,
    wanted: &RelationType<S>,
    sigs: &impl Hierarchy<Sig = S>,
) -> Option<RelationType<S>> {
    match operator {
        Unary::Transpose => Some(of.transpose().intersection(wanted, sigs).transpose()),
        Unary::Closure | Unary::ReflexiveClosure => Some(of_closure(of, wanted, sigs)),
        Unary::Cardinality | Unary::No | Unary::Some | Unary::Lone | Unary::One => Some(of.clone()),
        Unary::SetOf
        | Unary::LoneOf
        | Unary::OneOf
        | Unary::SomeOf
        | Unary::ExactlyOf
        | Unary::Prime
        | Unary::Group => Some(wanted.clone()),
        _ => None,
    }
}

/// The pairs of a relation that lie on a path from one end to the other of a pair that matters.
fn of_closure<S: Signature>(
    of: &RelationType<S>,
    wanted: &RelationType<S>,
    sigs: &impl Hierarchy<Sig = S>,
) -> RelationType<S> {
    let (of, wanted) = (of.extract(2), wanted.extract(2));
    let mut nodes: Vec<S> = Vec::new();
    for &sig in of.entries.iter().chain(&wanted.entries).flatten() {
        if !nodes.contains(&sig) {
            nodes.push(sig);
        }
    }
    let place = |sig: S| nodes.iter().position(|node| *node == sig).unwrap_or(0);
    let n = nodes.len();
    let meets = |a: usize, b: usize| a == b || meet(nodes[a], nodes[b], sigs) != S::NONE;
    let mut reaches: Vec<Vec<bool>> =
        (0..n).map(|a| (0..n).map(|b| meets(a, b)).collect()).collect();
    for pair in &of.entries {
        reaches[place(pair[0])][place(pair[1])] = true;
    }
    for middle in 0..n {
        for from in 0..n {
            for to in 0..n {
                reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
            }
        }
    }
    of.keep(|pair| {
        let (from, to) = (place(pair[0]), place(pair[1]));
        let is_on_path =
            |ends: &Vec<S>| reaches[place(ends[0])][from] && reaches[to][place(ends[1])];
        wanted.entries.iter().any(is_on_path)
    })
}
