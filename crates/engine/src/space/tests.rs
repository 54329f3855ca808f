//! Numbering of states, tables and their limits.

use super::*;
use crate::limits::unobserved;

/// A ring of `n_states` states with a way back, and one state that is not reached.
fn ring(n_states: u32) -> Explicit {
    let mut table = ExplicitBuilder::default();
    let (go, back) = (table.action("go"), table.action("back"));
    let odd = table.proposition("odd");
    for number in 0..n_states {
        let state = StateId::new(number);
        table.edge(state, go, StateId::new((number + 1) % n_states));
        table.edge(state, back, StateId::new((number + n_states - 1) % n_states));
        if number % 2 == 1 {
            table.holds(state, odd);
        }
    }
    table.states(n_states + 1).end(StateId::new(1));
    table.initial(StateId::new(1)).initial(StateId::new(1)).initial(StateId::new(0));
    table.build()
}

#[test]
fn expanding_numbers_states_in_order_of_discovery() {
    let model = ring(4);
    let mut space = Space::new(&model);
    let [first, second] = [0, 1].map(StateId::new);
    assert_eq!(space.initial(), [first, second]);
    let targets: Vec<u32> =
        space.expand(first).expect("computable").iter().map(|edge| edge.to.number()).collect();
    assert_eq!(targets, [2, 1]);
    assert_eq!([0, 1, 2].map(|state| space.state(StateId::new(state))), [[1], [0], [2]]);
    assert_eq!((space.find(&[2]), space.find(&[3])), (Some(StateId::new(2)), None));
    assert_eq!((space.may_end(first), space.may_end(second)), (Ok(true), Ok(false)));
}

#[test]
fn a_table_has_everything_that_is_reachable() {
    let model = ring(20);
    let mut space = Space::new(&model);
    let table = space.tabulate(Limits::default(), &mut unobserved).expect("no limit");
    assert_eq!((table.n_states(), table.n_edges()), (20, 40));
    assert_eq!(table.labels(), model.labels());
    for state in table.states() {
        let original = StateId::new(space.state(state)[0]);
        assert_eq!(table.holding(state), model.holding(original));
        assert_eq!(table.is_end(state), model.is_end(original));
    }
}

#[test]
fn a_limit_ends_the_making_of_a_table() {
    let limits = Limits { states: Some(5), ..Limits::default() };
    let table = Space::new(&ring(20)).tabulate(limits, &mut unobserved);
    assert_eq!(table, Err(Stopped::Bound(Bound::States(5))));
}
