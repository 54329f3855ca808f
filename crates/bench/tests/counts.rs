//! Every workload in small sizes: exact counts by both search orders, promises by both algorithms.
//! The numbers are Spin's (6.5.2, `-DSAFETY -DNOREDUCE`, our models in `promela/`); those of
//! `twophase` 3 and 5 are also TLC's. The large sizes are checked by `cargo xtask bench engine`.

use quadrille_bench::Promise;
use quadrille_bench::models::{Grain, forkjoin, leader, pairs, peterson, phil, prod, twophase};
use quadrille_engine::{
    Config, Graph, Interpretation, LtlAlgorithm, LtlOptions, Meaning, Order, check, check_ltl,
    unobserved,
};
use quadrille_model::{Network, PropositionId, Verdict};

/// Counts as Spin counts: entering the initial state is a transition.
#[track_caller]
fn counts(build: impl Fn(usize) -> Network, expected: &[(usize, u64, u64)]) {
    for &(size, states, transitions) in expected {
        let network = build(size);
        for order in [Order::Breadth, Order::Depth] {
            let config = Config { order, ..Config::default() };
            let outcome =
                check(&network, Vec::new(), &config, &mut unobserved).expect("no trace to fail");
            let found = outcome.counts;
            assert_eq!(
                (found.states, found.transitions + 1, found.deadlocks),
                (states, transitions, 0),
                "size {size}, {order:?}"
            );
        }
    }
}

#[test]
fn phil_has_lucas_numbers_of_states() {
    let expected =
        [(3, 76, 190), (4, 322, 1069), (5, 1364, 5656), (6, 5778, 28_747), (7, 24_476, 142_066)];
    counts(phil, &expected);
}

#[test]
fn forkjoin_counts() {
    let expected = [(3, 106, 242), (4, 426, 1282), (5, 1706, 6402), (6, 6826, 30_722)];
    counts(forkjoin, &expected);
}

#[test]
fn leader_counts() {
    let coarse = [(5, 1133, 3365), (6, 5159, 18_450), (7, 18_267, 77_069)];
    counts(|n| leader(n, Grain::Coarse), &coarse);
    let fine = [(3, 754, 1823), (4, 7823, 24_999), (5, 56_319, 227_135)];
    counts(|n| leader(n, Grain::Fine), &fine);
}

#[test]
fn peterson_counts() {
    counts(peterson, &[(2, 29, 51), (3, 1236, 2955), (4, 74_005, 230_189)]);
}

#[test]
fn twophase_counts() {
    counts(twophase, &[(3, 288, 1146), (4, 1568, 8258), (5, 8832, 58_146)]);
}

#[test]
fn handshakes_count_like_the_components_they_come_from() {
    counts(pairs, &[(2, 9, 13), (3, 27, 55), (4, 81, 217), (5, 243, 811)]);
    counts(prod, &[(2, 18, 33), (3, 54, 121), (4, 162, 433), (5, 486, 1513)]);
}

/// Whether a promise about the only proposition holds; both algorithms must agree.
fn keeps(network: &Network, promise: Promise) -> bool {
    let formula = promise.formula();
    let interpretation = Interpretation::new(vec![Meaning::Proposition(PropositionId::new(0))]);
    let answers = [LtlAlgorithm::Components, LtlAlgorithm::Nested].map(|algorithm| {
        let options = LtlOptions { algorithm, ..LtlOptions::default() };
        let mut graph = Graph::new(network);
        let report = check_ltl(&mut graph, &formula, &interpretation, &options, &mut unobserved);
        report.expect("a check that runs").verdict == Verdict::Holds
    });
    assert_eq!(answers[0], answers[1], "the two algorithms differ");
    answers[0]
}

#[test]
fn promises_are_kept_and_their_opposites_are_not() {
    let recurring = [phil(4), forkjoin(3), peterson(3)];
    for network in &recurring {
        assert!(keeps(network, Promise::Recurs));
        assert!(!keeps(network, Promise::Settles));
    }
    assert!(keeps(&leader(4, Grain::Fine), Promise::Settles));
}
