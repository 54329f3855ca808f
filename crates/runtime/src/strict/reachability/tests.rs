//! Both ways to compute reachability agree, on random automata.

use std::borrow::Cow;

use quadrille_workshop::{Choices, check};

use super::*;
use crate::plan::{GlobalState, LabelId, Plan};

/// Three roles that send each other a message, in an automaton of 12 states and random steps.
fn table(choices: &mut Choices) -> Table {
    let others = |from: u16| (0..3).filter(move |&to| to != from).map(move |to| (from, to));
    let act = |(kind, (from, to)): (Kind, (u16, u16))| Act {
        kind,
        from: RoleId(from),
        to: Cow::Owned(vec![RoleId(to)]),
        label: Some(LabelId(0)),
        text: Cow::Borrowed(""),
    };
    let kinds = [Kind::Send, Kind::Receive].into_iter();
    let pairs = || (0..3).flat_map(others);
    let acts: Vec<Act> =
        kinds.flat_map(|kind| pairs().map(move |pair| (kind, pair))).map(act).collect();
    let n_acts = acts.len() as u32;
    let state = |_| {
        let mut edge = |_| (ActId(choices.below_u32(n_acts)), GlobalId(choices.below_u32(12)));
        GlobalState { edges: Cow::Owned((0..2).map(&mut edge).collect()), may_end: false }
    };
    let plan = Plan {
        protocol: Cow::Borrowed("p"),
        roles: Cow::Owned(vec![Cow::Borrowed("r"); 3]),
        labels: Cow::Owned(vec![Cow::Borrowed("M")]),
        strict: Cow::Owned((0..12).map(state).collect()),
        acts: Cow::Owned(acts),
        locals: Cow::Borrowed(&[]),
        packets: Cow::Borrowed(&[]),
        queues: Cow::Borrowed(&[]),
    };
    Table::new(&plan.into()).expect("a good plan")
}

#[test]
fn searching_and_knowing_all_agree() {
    let (mut n_hopes, mut n_answers) = (0, 0);
    check(200, |choices| {
        let table = table(choices);
        for (role, gone) in [(0, 3), (1, 3), (0, 1), (2, 0)] {
            for request in [
                Request::Receive(None),
                Request::Receive(Some(RoleId(1))),
                Request::Send(LabelId(0), None),
            ] {
                let new = || {
                    RequestReachability::new(&table, RoleId(role), request, |other| {
                        other != RoleId(gone)
                    })
                };
                let (mut all, mut searched) = (new(), new());
                all.solve_all(&table, &ReverseSteps::new(&table));
                for state in (0..12).map(GlobalId) {
                    let known = searched.answers[state.index()];
                    let found = known.unwrap_or_else(|| searched.search(&table, state));
                    assert_eq!(Some(found), all.answers[state.index()], "{request:?} {state:?}");
                    n_hopes += usize::from(found);
                    n_answers += 1;
                }
            }
        }
    });
    assert!((n_answers / 10..n_answers * 9 / 10).contains(&n_hopes), "{n_hopes}");
}
