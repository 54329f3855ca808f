//! Both ways to compose count alike.

use super::*;

#[test]
fn both_ways_count_alike() {
    let mut bench = Bench { n_runs: 1, wrong: Vec::new() };
    let texts = Texts::of(texts::philosophers(3).expect("readable"));
    let system = built(&texts, Construction::Published).expect("small");
    let (errors, found) = (
        errors_of(&system).expect("small"),
        naive::explore(&system.alphabet, &system.units, &system.wiring),
    );
    assert_eq!((errors.configurations, errors.steps), (found.configurations, found.steps));
    assert!(!found.is_wrong && errors.verdict() == Compatibility::NoError);
    bench.nothing_left(&reduce(system, &[]));
    assert_eq!(bench.wrong.len(), 1);
}

#[test]
fn every_example_counts_alike() {
    for (name, file) in texts::examples().expect("readable") {
        let system = built(&Texts::of(file), Construction::Minimal).expect("small");
        let errors = errors_of(&system).expect("small");
        let found = naive::explore(&system.alphabet, &system.units, &system.wiring);
        let counts = (errors.configurations, errors.steps);
        assert_eq!((found.configurations, found.steps), counts, "{name}");
        assert!(!found.is_wrong, "{name}");
    }
}
