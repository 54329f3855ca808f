//! Constructors and kinds of formulas.

use super::*;

#[test]
fn conjunctions_stay_flat() {
    let [a, b, c] = [0, 1, 2].map(|at| Formula::Atom(AtomId::from_usize(at)));
    let nested = Formula::and([a.clone(), Formula::and([b.clone(), c.clone()])]);
    assert_eq!(nested, Formula::And(vec![a.clone(), b, c]));
    assert_eq!(Formula::and([a.clone()]), a);
    assert_eq!(Formula::or([]), Formula::False);
}

#[test]
fn kinds_are_told_apart() {
    let a = || Box::new(Formula::Atom(AtomId::from_usize(0)));
    let linear = Formula::Unary(Path::This, Unary::Always, a());
    let branching = Formula::Unary(Path::All, Unary::Always, a());
    assert_eq!(a().kind(), Ok(Kind::Linear));
    assert_eq!(linear.kind(), Ok(Kind::Linear));
    assert_eq!(branching.kind(), Ok(Kind::Branching));
    let both = Formula::and([linear.clone(), branching]);
    assert_eq!(both.kind(), Err(Objection::Mixed));
    let once = Formula::unary(Unary::Once, linear);
    assert_eq!(once.kind(), Err(Objection::FutureUnderPast));
}
