//! The planted errors are found, each in at least as many of twenty seeds as a prototype found it in; the correct program is clean.
//!
//! Here a run ends with its first violation, and the check of waiting threads counts, which finds forgotten wake-ups soon; `cargo xtask bench programs` runs
//! the whole table, by the four invariants of the plant alone.

use quadrille_example_water::{GRACE, Variant, run, run_until_violated};

/// Runs twenty seeds; in how many an invariant was violated, and which ones were.
fn check(variant: Variant, n_expected: usize, by: &[usize]) {
    let mut violated = [false; 5];
    let mut n_found = 0;
    for seed in 0..20 {
        let found = run_until_violated(seed, variant, 20_000).found;
        let invariants = found.invariants.iter().map(|record| !record.holds());
        let shown: Vec<usize> =
            invariants.enumerate().filter_map(|(index, shown)| shown.then_some(index)).collect();
        n_found += usize::from(!shown.is_empty());
        shown.into_iter().for_each(|index| violated[index] = true);
    }
    assert!(n_found >= n_expected, "{}: {n_found} of 20 seeds", variant.name());
    for &invariant in by {
        assert!(
            violated[invariant - 1],
            "{}: invariant {invariant} is never violated",
            variant.name()
        );
    }
}

#[test]
fn the_correct_program_is_clean() {
    for seed in 0..2 {
        let report = run(seed, Variant::Correct, 20_000);
        assert!(report.failure.is_none(), "seed {seed}: {:?}", report.failure);
        let records = &report.found.invariants;
        assert!(
            records.iter().all(quadrille_joint::invariant::Record::holds),
            "seed {seed}: {records:#?}"
        );
        // Breaks there are, thousands, up to the period of the control threads.
        assert!(records.iter().map(|record| record.n_breaks).sum::<u64>() > 1_000, "{records:#?}");
        assert!(records.iter().all(|record| record.longest < GRACE), "{records:#?}");
    }
}

#[test]
fn an_if_where_a_while_belongs() {
    check(Variant::IfGuard, 20, &[1]);
}

#[test]
fn a_full_tank_is_ignored() {
    check(Variant::NoFullStop, 20, &[2]);
}

#[test]
fn control_is_too_slow() {
    check(Variant::SlowPeriod, 20, &[3]);
}

#[test]
fn nobody_wakes_those_who_wait() {
    check(Variant::NoCoordinator, 20, &[5]);
}

#[test]
fn a_monitor_within_a_monitor() {
    check(Variant::NestedMonitor, 20, &[5]);
}

#[test]
fn the_permit_is_given_back_too_early() {
    check(Variant::PermitBeforePump, 19, &[1]);
}

#[test]
fn nobody_is_ever_notified() {
    check(Variant::NoNotify, 20, &[5]);
}
