//! Coverage of states and pairs.

use quadrille_workshop::check;

use super::*;

fn visited(path: &[u32]) -> Coverage {
    let mut coverage = Coverage::new();
    for &state in path {
        coverage.visit(&[state]);
    }
    coverage
}

#[test]
fn states_and_pairs_are_counted_once_and_staying_is_no_pair() {
    let coverage = visited(&[1, 2, 2, 3, 2, 3, 4]);
    assert_eq!(coverage.growth(), Growth { steps: 7, states: 4, pairs: 4 });
    let recurrent: Vec<&[u32]> =
        coverage.recurrent().into_iter().map(|id| coverage.state(id)).collect();
    assert_eq!(recurrent, [[2], [3]]);
}

#[test]
fn a_new_run_follows_nothing() {
    let mut coverage = visited(&[1, 2]);
    coverage.begin();
    coverage.visit(&[3]);
    assert_eq!(coverage.growth().pairs, 1);
}

#[test]
fn growth_ends_and_then_it_is_saturated() {
    let path: Vec<u32> = (0..1_000).map(|step| step % 10).collect();
    let coverage = visited(&path);
    assert!(coverage.is_saturated(900) && !coverage.is_saturated(990));
    assert_eq!(
        coverage
            .curve()
            .iter()
            .map(|point| (point.steps, point.states, point.pairs))
            .collect::<Vec<_>>(),
        [
            (1, 1, 0),
            (2, 2, 1),
            (4, 4, 3),
            (8, 8, 7),
            (16, 10, 10),
            (32, 10, 10),
            (64, 10, 10),
            (128, 10, 10),
            (256, 10, 10),
            (512, 10, 10),
            (1000, 10, 10)
        ]
    );
}

/// Every pair (i, j) of reachable-from-each-other states, by the definition.
#[test]
fn recurrent_states_are_those_that_reach_themselves() {
    check(200, |choices| {
        let mut coverage = Coverage::new();
        for _ in 0..6 {
            coverage.begin();
            for _ in 0..3 {
                coverage.visit(&[choices.below_u32(8)]);
            }
        }
        let n = coverage.growth().states;
        let mut reaches = vec![vec![false; n]; n];
        for (from, to) in coverage.pairs() {
            reaches[from.0 as usize][to.0 as usize] = true;
        }
        for middle in 0..n {
            for from in 0..n {
                for to in 0..n {
                    reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                }
            }
        }
        let expected: Vec<NodeId> =
            (0..n).filter(|&node| reaches[node][node]).map(|node| NodeId(node as u32)).collect();
        assert_eq!(coverage.recurrent(), expected);
    });
}
