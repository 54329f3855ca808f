//! Each policy chooses as documented.

use super::*;

/// What a chooser takes of candidates with these loads, several times.
fn choices(chooser: &mut Chooser, loads: &[usize], times: usize) -> Vec<usize> {
    let one = |_| {
        let ranks = loads
            .iter()
            .enumerate()
            .map(|(number, &load)| (chooser.rank(Decision::Step, number as u32, || load), number));
        let (_, chosen) = ranks.min().expect("there are some");
        chooser.took(Decision::Step, chosen as u32);
        chosen
    };
    (0..times).map(one).collect()
}

#[test]
fn each_policy_does_what_it_says() {
    let choose = |policy| choices(&mut Chooser::new(policy, 7, 0), &[2, 0, 1], 7);
    assert_eq!(choose(Policy::First), [0; 7]);
    assert_eq!(choose(Policy::LeastLoaded), [1; 7]);
    assert_eq!(choose(Policy::RoundRobin), [0, 1, 2, 0, 1, 2, 0]);
    assert_eq!(choose(Policy::Random), choose(Policy::Random));
}

#[test]
fn random_choices_are_even_and_depend_on_seed_and_role() {
    let choose =
        |seed, role| choices(&mut Chooser::new(Policy::Random, seed, role), &[0; 4], 4_000);
    let chosen = choose(1, 0);
    for number in 0..4 {
        let count = chosen.iter().filter(|&&one| one == number).count();
        assert!((850..1150).contains(&count), "{number} was chosen {count} times");
    }
    assert_ne!(choose(1, 0), choose(2, 0));
    assert_ne!(choose(1, 0), choose(1, 1));
}

#[test]
fn a_forced_choice_counts_what_there_is() {
    let mut chooser = Chooser::new(Policy::First, 0, 0);
    chooser.force(2);
    assert_eq!(choices(&mut chooser, &[0; 5], 1), [2]);
    assert_eq!(chooser.seen(), 5);
}
