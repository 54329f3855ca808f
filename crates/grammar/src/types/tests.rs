//! Types against their meaning: small hierarchies, sets of tuples of the leaves.

use std::collections::BTreeSet;

use super::{Hierarchy, RelationType, Signature};
use crate::tree::{Binary, Mult};
use crate::types::relevance::{Doubt, Operands};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Sig(u8);

impl Signature for Sig {
    const NONE: Self = Sig(u8::MAX);
}

/// 0 is all; 1 has 3 and 4 below it, 2 has 5.
const PARENTS: [u8; 6] = [0, 0, 0, 1, 1, 2];

struct Tree;

impl Hierarchy for Tree {
    type Sig = Sig;

    fn is_below(&self, a: Sig, b: Sig) -> bool {
        a == b || a.0 != 0 && self.is_below(Sig(PARENTS[usize::from(a.0)]), b)
    }

    fn name(&self, sig: Sig) -> &str {
        ["univ", "A", "B", "A1", "A2", "B1"][usize::from(sig.0)]
    }
}

type Type = RelationType<Sig>;
type Tuples = BTreeSet<Vec<u8>>;

/// One atom per signature, which is in that signature and in all above it.
fn tuples(ty: &Type) -> Tuples {
    let mut all = Tuples::new();
    for entry in ty.products() {
        let mut rows = vec![Vec::new()];
        for sig in entry {
            let atoms: Vec<u8> = (0..6).filter(|atom| Tree.is_below(Sig(*atom), *sig)).collect();
            rows = rows
                .iter()
                .flat_map(|row| atoms.iter().map(move |atom| [&row[..], &[*atom]].concat()))
                .collect();
        }
        all.extend(rows);
    }
    all
}

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % n
    }

    fn ty(&mut self, arity: usize) -> Type {
        let n = self.below(4);
        let mut ty = Type::none(arity);
        for _ in 0..n {
            let entry = (0..arity).map(|_| Sig(self.below(6) as u8)).collect();
            ty = ty.union(&Type::product_of(entry), &Tree);
        }
        ty
    }
}

fn joined(a: &Tuples, b: &Tuples) -> Tuples {
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    pairs
        .filter(|(x, y)| x[x.len() - 1] == y[0])
        .map(|(x, y)| [&x[..x.len() - 1], &y[1..]].concat())
        .collect()
}

fn computed(operator: Binary, a: &Tuples, b: &Tuples) -> Tuples {
    let is_in = |set: &Tuples, atom: u8| set.contains(&vec![atom]);
    match operator {
        Binary::Join => joined(a, b),
        Binary::Union => a | b,
        Binary::Intersect => a & b,
        Binary::Domain => b.iter().filter(|row| is_in(a, row[0])).cloned().collect(),
        Binary::Range => a.iter().filter(|row| is_in(b, row[row.len() - 1])).cloned().collect(),
        _ => a.iter().flat_map(|x| b.iter().map(move |y| [&x[..], &y[..]].concat())).collect(),
    }
}

const ARROW: Binary = Binary::Arrow(Mult::Set, Mult::Set);

fn cases() -> impl Iterator<Item = (Binary, Type, Type)> {
    let mut dice = Dice(7);
    (0..6000).map(move |round| match round % 6 {
        0 => (Binary::Join, dice.ty(1), dice.ty(2)),
        1 => (Binary::Join, dice.ty(2), dice.ty(2)),
        2 => (ARROW, dice.ty(1), dice.ty(2)),
        3 => (Binary::Intersect, dice.ty(2), dice.ty(2)),
        4 => (Binary::Domain, dice.ty(1), dice.ty(2)),
        _ => (Binary::Range, dice.ty(2), dice.ty(1)),
    })
}

#[test]
fn types_are_the_tuples_that_there_can_be() {
    for (operator, a, b) in cases() {
        let ty = a.of_operator(operator, &b, &Tree).expect("an operator on sets");
        let wanted = computed(operator, &tuples(&a), &tuples(&b));
        assert_eq!(tuples(&ty), wanted, "{operator:?} of {a:?} and {b:?}");
        assert_eq!(ty.has_tuple(), !wanted.is_empty());
    }
    let mut dice = Dice(11);
    for _ in 0..1000 {
        let ty = dice.ty(2);
        let mut closed = tuples(&ty);
        while !joined(&closed, &closed).is_subset(&closed) {
            closed = &closed | &joined(&closed, &closed);
        }
        assert_eq!(tuples(&ty.closure(&Tree)), closed, "{ty:?}");
    }
}

/// What does not matter of an operand can be left out, and the part of the result that is wanted is the
/// same.
#[test]
fn what_is_irrelevant_makes_no_difference() {
    let mut dice = Dice(13);
    let mut n_smaller = 0;
    for (operator, a, b) in cases() {
        let whole = a.of_operator(operator, &b, &Tree).expect("an operator on sets");
        let arity = whole.arity().expect("one arity");
        let wanted = whole.intersection(&dice.ty(arity), &Tree);
        let operands = Operands { left: &a, right: &b, wanted: &wanted };
        let ((left, right), doubt) = operands.relevant(operator, &Tree).expect("one on sets");
        if !wanted.has_tuple() {
            continue;
        }
        assert!(tuples(&left).is_subset(&tuples(&a)) && tuples(&right).is_subset(&tuples(&b)));
        n_smaller += usize::from(tuples(&left).len() < tuples(&a).len());
        let kept = computed(operator, &tuples(&left), &tuples(&right));
        let all = computed(operator, &tuples(&a), &tuples(&b));
        assert_eq!(&kept & &tuples(&wanted), &all & &tuples(&wanted), "{operator:?} {a:?} {b:?}");
        assert_eq!(doubt, None, "there is something: {operator:?} {a:?} {b:?}");
    }
    assert!(n_smaller > 500, "{n_smaller}");
}

#[test]
fn doubts_say_which_part_is_meant() {
    let (a, b, a1) = (Type::of(Sig(1)), Type::of(Sig(2)), Type::of(Sig(3)));
    let found = |operator, left: &Type, right: &Type, wanted: &Type| {
        Operands { left, right, wanted }.relevant(operator, &Tree).and_then(|(_, doubt)| doubt)
    };
    assert_eq!(found(Binary::Union, &a, &b, &a1), Some(Doubt::RightIrrelevant));
    assert_eq!(found(Binary::Union, &b, &a, &a1), Some(Doubt::LeftIrrelevant));
    assert_eq!(found(Binary::Union, &a, &b, &Type::of(Sig(0))), None);
    assert_eq!(found(Binary::Equals, &a, &b, &Type::NOTHING), Some(Doubt::NeverEqual));
    assert_eq!(found(Binary::In, &a1, &a, &Type::NOTHING), None);
    assert_eq!(found(Binary::Difference, &a, &b, &a), Some(Doubt::NothingTaken));
    assert_eq!(found(Binary::Difference, &a, &Type::none(1), &a), None);
    assert_eq!(found(Binary::Join, &a, &b.product(&a, &Tree), &a), Some(Doubt::EmptyJoin));
    // These are errors already.
    assert_eq!(found(Binary::Join, &a, &b, &a), None);
    assert_eq!(found(Binary::Equals, &a, &b.product(&a, &Tree), &a), None);
}
