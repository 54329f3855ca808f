//! Medians of rounds.

use super::*;

#[test]
fn medians_are_of_ratios_in_the_same_round() {
    let mut rounds = Rounds::new(2);
    for (one, other) in [(2.0, 1.0), (200.0, 100.0), (30.0, 10.0)] {
        rounds.push(vec![one, other]);
    }
    assert_eq!(rounds.ratio(0, 1), Spread { lower: 2.0, median: 2.0, upper: 2.0 });
    assert_eq!(rounds.rate(0).median, 30.0);
    assert_eq!(Rounds::parse(&rounds.to_string()), Some(rounds));
    assert_eq!(Rounds::parse("1 2\n3\n"), None);
    assert_eq!(Rounds::parse(""), None);
}
