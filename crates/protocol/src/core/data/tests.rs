//! Integer division.

use super::*;

#[test]
fn division_rounds_down_and_the_rest_fits_it() {
    for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (0, 5)] {
        let quotient = apply(Operator::Div, a, b).expect("no zero");
        let rest = apply(Operator::Mod, a, b).expect("no zero");
        assert_eq!(quotient * b + rest, a);
        assert!(rest == 0 || (rest < 0) == (b < 0), "{a} mod {b} is {rest}");
    }
    assert_eq!(apply(Operator::Div, 1, 0), Err(DataError::DivisionByZero));
    assert_eq!(apply(Operator::Div, i64::MIN, -1), Err(DataError::Overflow));
}
