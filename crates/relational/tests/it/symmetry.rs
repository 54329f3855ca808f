//! Atoms that can be exchanged: the examples with and without symmetry have the same verdicts.

use std::cell::RefCell;
use std::collections::BTreeSet;

use quadrille_engine::{Config, Property, check, unobserved};
use quadrille_model::{Checked, Condition, Family, Model, PropositionId, Swap, Value, Verdict};
use quadrille_reduction::{Asked, Symmetric, Symmetry};
use quadrille_relational::{Meaning, System};

use crate::design;

fn example(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/designs");
    std::fs::read_to_string(format!("{folder}/{name}.qev")).expect("an example")
}

/// How many members the families have, and the states without and with symmetry, for deadlocks and for
/// each command that is about states only; whether a state is reached that breaks it is the same.
fn counted(text: &str) -> (Vec<usize>, Vec<(u64, u64)>) {
    let system = System::new(&design(text), None).expect("a system");
    let lies = Checked::new(&system).walk(60);
    assert!(lies.is_empty(), "{lies:?}");
    let families = system.signature().families.iter().map(|it| it.members.len()).collect();
    let mut questions: Vec<Option<PropositionId>> = vec![None];
    for asked in &system.asked {
        if let [Meaning::Proposition(id)] = asked.atoms.as_slice() {
            questions.push(Some(*id));
        }
    }
    let search = |model: &dyn Model, id: Option<PropositionId>| {
        let explorer = RefCell::new(model.explorer());
        let property = match id {
            None => Property::DeadlockFree,
            Some(id) => {
                Property::Always(Box::new(move |state| explorer.borrow_mut().holds(id, state)))
            }
        };
        let found = check(model, vec![property], &Config::default(), &mut unobserved);
        let found = found.expect("an answer");
        (found.verdicts[0] == Verdict::Holds, found.counts.states)
    };
    let mut counts = Vec::new();
    for id in questions {
        let conditions: Vec<Condition> = id.and_then(|id| system.meaning(id)).into_iter().collect();
        let asked = Asked { conditions, ..Asked::default() };
        let symmetry = Symmetry::of(&system, &asked).expect("some symmetry");
        let whole = search(&system, id);
        let symmetric = search(&Symmetric::new(&system, symmetry), id);
        assert_eq!(whole.0, symmetric.0, "{id:?}");
        // What is refuted in the first state says nothing.
        if whole.1 > 1 {
            counts.push((whole.1, symmetric.1));
        }
    }
    assert_eq!(counts[0].1, orbits(&system));
    (families, counts)
}

/// How many classes of states there are, by swaps of neighbours.
fn orbits(system: &System) -> u64 {
    let mut todo: Vec<Vec<Value>> = Vec::new();
    let mut explorer = system.explorer();
    explorer.each_initial(|state| todo.push(state.to_vec())).expect("initial states");
    let mut left: BTreeSet<Vec<Value>> = todo.iter().cloned().collect();
    while let Some(state) = todo.pop() {
        let mut next = Vec::new();
        explorer.each_successor(&state, |_, _, to| next.push(to.to_vec())).expect("steps");
        todo.extend(next.into_iter().filter(|to| left.insert(to.clone())));
    }
    let swaps: Vec<Swap> = system.signature().families.iter().flat_map(Family::swaps).collect();
    let mut n_orbits = 0;
    while let Some(state) = left.pop_first() {
        n_orbits += 1;
        todo.push(state);
        while let Some(state) = todo.pop() {
            for swap in &swaps {
                let mut other = state.clone();
                swap.apply(&mut other);
                if left.remove(&other) {
                    todo.push(other);
                }
            }
        }
    }
    n_orbits
}

#[test]
fn acceptors_and_values_of_paxos_are_alike() {
    // Quorums change places with acceptors: they are in no slot.
    let found = counted(&example("paxos"));
    assert_eq!(found, (vec![2, 3], vec![(964, 142), (964, 142), (964, 142), (496, 90)]));
}

#[test]
fn servers_of_raft_are_alike() {
    let found = counted(&example("raft"));
    assert_eq!(found, (vec![3], vec![(1_005, 179), (1_005, 179), (504, 290)]));
}

#[test]
fn managers_of_two_phase_commit_are_alike() {
    let found = counted(&example("two-phase-commit"));
    assert_eq!(found, (vec![3], vec![(288, 80), (288, 80)]));
}

#[test]
fn atoms_in_an_order_or_with_a_name_are_not() {
    let families = |text: &str| {
        let system = System::new(&design(text), None).expect("a system");
        system.signature().families.len()
    };
    let ring = "sig N { next : one N, var m : set N }  event e[n : N] { n.m' = n.next }";
    let nodes = "N$1.next = N$2  N$2.next = N$3  N$3.next = N$1  no m";
    // A rotation is no exchange of two.
    assert_eq!(families(&format!("{ring} init {{ {nodes} }} for 3 N")), 0);
    let free = "sig N { var m : set N }  event e[n, k : N] { n.m' = n.m + k }";
    assert_eq!(families(&format!("{free} init {{ no m }} for 3 N")), 1);
    assert_eq!(families(&format!("{free} init {{ no m }} for 1..3 N")), 0);
    assert_eq!(families(&format!("{free} event f {{ N$1.m' = N }} init {{ no m }} for 2 N")), 0);
    assert_eq!(families(&format!("{free} event f {{ N$1.m' = N }} init {{ no m }} for 3 N")), 1);
    assert_eq!(families(&format!("{free} init {{ N$1.m = N$1  no (N - N$1).m }} for 2 N")), 0);
}
