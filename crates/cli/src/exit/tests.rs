//! Exits together.

use super::*;

#[test]
fn a_violation_wins_over_an_unknown_verdict() {
    let all = [Exit::Holds, Exit::Unknown, Exit::Violated, Exit::CannotRun];
    for (weight, exit) in all.into_iter().enumerate() {
        for other in &all[..weight] {
            assert_eq!((exit.and(*other), other.and(exit)), (exit, exit));
        }
    }
}
