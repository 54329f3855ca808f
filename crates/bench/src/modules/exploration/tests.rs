//! The number of states is independent of the order of search.

use quadrille_engine::Order;

use super::*;
use crate::generated::fork_join_4;

#[test]
fn a_small_fork_join_has_the_same_states_in_any_order() {
    // The master has sent n of k tasks, or all and taken n answers; each task between is queued, received or
    // answered. The master can go on unless the next answer is missing, each worker unless it has answered.
    let k = 4;
    let states: u64 = 2 * 3u64.pow(k) - 1;
    let by_workers: u64 = (0..k)
        .chain(1..=k)
        .map(|n_open| 2 * u64::from(n_open) * 3u64.pow(n_open - n_open.min(1)))
        .sum();
    let by_master: u64 = (0..k).map(|n_open| 3u64.pow(n_open)).sum::<u64>() * 2;
    let module = fork_join_4::liberal();
    for order in [Order::Breadth, Order::Depth] {
        let config = Config { order, ..Config::default() };
        let counts = explore(module.as_ref(), &config).expect("no fault");
        assert_eq!((counts.states, counts.transitions), (states, by_workers + by_master));
    }
}
