//! Invariants with a tolerated latency.

use super::*;

/// Feeds a watch with what holds at whole seconds.
fn watched(grace: Duration, holds: &str) -> Record {
    let mut watch = Watch::new("x", grace);
    for (second, holds) in (0..).zip(holds.chars()) {
        watch.observe(ModelTime::from_secs(second), holds == '+');
    }
    watch.record().clone()
}

#[test]
fn a_break_may_last_as_long_as_the_grace_and_no_longer() {
    let found = watched(Duration::from_secs(2), "+--++---+");
    // Two seconds up to the moment it was seen to hold again; then three.
    assert_eq!((found.n_breaks, found.longest, found.n_violations), (2, Duration::from_secs(3), 1));
    let expected = Violation { since: ModelTime::from_secs(5), noticed: ModelTime::from_secs(8) };
    assert_eq!(found.first, Some(expected));
    assert!(watched(Duration::from_secs(3), "+--++---+").holds());
}

#[test]
fn without_grace_a_moment_is_enough() {
    let found = watched(Duration::ZERO, "++-+");
    assert_eq!((found.n_breaks, found.n_violations, found.holds()), (1, 1, false));
    assert_eq!(found.first.map(|first| first.noticed), Some(ModelTime::from_secs(2)));
    assert_eq!(
        found.to_string(),
        "violated: x, broken since 2 s, noticed at 2 s, 1 times in all (1 breaks, the longest 1s, 0ns allowed)"
    );
}

#[test]
fn a_long_break_is_counted_once() {
    assert_eq!(watched(Duration::from_secs(1), "------").n_violations, 1);
}
