//! Recurrent states.

use quadrille_workshop::check;

use super::*;

#[test]
fn states_that_are_left_for_good_are_not_recurrent() {
    let mut coverage = Coverage::new();
    for state in [1, 2, 2, 3, 2, 3, 4] {
        coverage.visit(&[state]);
    }
    let states: Vec<&[u32]> =
        recurrent(&coverage).into_iter().map(|id| coverage.state(id)).collect();
    assert_eq!(states, [[2], [3]]);
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
        assert_eq!(recurrent(&coverage), expected);
    });
}
