//! The controller serves its passengers; planted errors are found.

use quadrille_example_elevator::{Variant, run};

/// Runs five seeds for two hours; in how many of them each invariant was violated.
fn violated(variant: Variant) -> [usize; 3] {
    let mut violated = [0; 3];
    for seed in 0..5 {
        let (report, _) = run(seed, variant, 7_200);
        assert!(report.failure.is_none(), "seed {seed}: {:?}", report.failure);
        for (count, record) in violated.iter_mut().zip(&report.found.invariants) {
            *count += usize::from(!record.holds());
        }
    }
    violated
}

#[test]
fn the_correct_controller_is_clean_and_serves() {
    assert_eq!(violated(Variant::Correct), [0; 3]);
    let (_, shaft) = run(1, Variant::Correct, 7_200);
    let trips = shaft.trips();
    // A passenger every fifty seconds.
    assert!(trips.n() > 100 && trips.mean() < 60.0, "{trips:?}");
}

#[test]
fn a_door_that_opens_early_is_found() {
    assert_eq!(violated(Variant::OpensEarly)[0], 5);
}

#[test]
fn forgotten_calls_are_found() {
    assert!(violated(Variant::LosesCalls)[2] >= 4);
}

#[test]
fn a_service_routine_that_is_too_slow_is_found() {
    assert_eq!(violated(Variant::Debounces)[0], 5);
}
