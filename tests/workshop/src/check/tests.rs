//! Failures are made small and can be repeated.

use super::*;

#[test]
fn failures_are_made_small() {
    let fails = &mut |given: Vec<u64>| {
        let mut choices = Choices::given(given);
        let numbers = choices.list(0, 20, |choices| choices.below(100));
        numbers.iter().any(|&number| number >= 17).then(|| choices.made().to_vec())
    };
    let start = vec![7, 3, 99, 50, 2, 60, 1, 8];
    assert!(fails(start.clone()).is_some());
    assert_eq!(shrink(start, fails), [1, 17]);
}

#[test]
#[should_panic(expected = "smallest 17")]
fn the_smallest_failure_is_reported() {
    check(50, |choices| {
        let number = choices.below(1_000);
        assert!(number < 17, "smallest {number}");
    });
}

#[test]
fn the_same_seed_gives_the_same_choices() {
    let draw = |seed| {
        let mut choices = Choices::seeded(seed);
        choices.list(5, 9, Choices::bits)
    };
    assert_eq!(draw(3), draw(3));
    assert_ne!(draw(3), draw(4));
}

#[test]
fn a_failure_says_how_to_repeat_it() {
    let command = replay(17);
    assert!(command.starts_with("QUADRILLE_SEED=17 cargo test -p quadrille-workshop"), "{command}");
}
