//! Medians of rounds.

use super::*;

#[test]
fn medians_are_of_ratios_in_the_same_round() {
    let mut rounds = Rounds::new(2);
    for (one, other) in [(2.0, 1.0), (200.0, 100.0), (30.0, 10.0)] {
        rounds.push(vec![one, other]);
    }
    assert_eq!(rounds.ratio(0, 1), Spread { lower: 2.0, median: 2.0, upper: 3.0 });
    assert_eq!(rounds.rate(0).median, 30.0);
    assert_eq!(Rounds::parse(&rounds.to_string()), Some(rounds));
    assert_eq!(Rounds::parse("1 2\n3\n"), None);
    assert_eq!(Rounds::parse(""), None);
}

#[test]
fn what_spans_the_bar_is_unclear() {
    let spread = Spread { lower: 0.9, median: 1.1, upper: 1.3 };
    assert_eq!(spread.reaches(0.9), Holds::Yes);
    assert_eq!(spread.reaches(1.0), Holds::Unclear);
    assert_eq!(spread.reaches(1.3), Holds::Unclear);
    assert_eq!(spread.reaches(1.4), Holds::No);
    let of = |n: i32| Spread::of((0..n).map(f64::from).collect());
    assert_eq!(of(1), Spread { lower: 0.0, median: 0.0, upper: 0.0 });
    assert_eq!(of(31), Spread { lower: 9.0, median: 15.0, upper: 21.0 });
}
