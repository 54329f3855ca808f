//! Tallies, time averages and quantiles.

use super::*;

#[test]
fn a_tally_has_the_moments_of_its_values() {
    let mut tally = Tally::new();
    assert_eq!((tally.least(), tally.variance()), (None, 0.0));
    for value in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
        tally.add(value);
    }
    assert!((tally.mean() - 5.0).abs() < 1e-12 && (tally.variance() - 32.0 / 7.0).abs() < 1e-12);
    assert_eq!((tally.n(), tally.least(), tally.most()), (8, Some(2.0), Some(9.0)));
}

#[test]
fn values_count_as_long_as_they_last() {
    let mut length = TimeAverage::new(ModelTime::from_secs(10), 0.0);
    length.set(ModelTime::from_secs(12), 3.0);
    length.set(ModelTime::from_secs(13), 1.0);
    // Two seconds of 0, one of 3, two of 1.
    assert!((length.mean(ModelTime::from_secs(15)) - 1.0).abs() < 1e-12);
    assert!((length.most() - 3.0).abs() < 1e-12);
}

#[test]
fn quantiles_are_those_of_the_tables() {
    for (degrees, printed) in [(9, 3.250), (19, 2.861), (29, 2.756), (99, 2.626)] {
        assert!(
            (student(degrees) - printed).abs() < 0.006 * printed,
            "{degrees}: {}",
            student(degrees)
        );
    }
}
