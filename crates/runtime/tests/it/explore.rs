//! Explored modules beside the protocol's own forms, beside a black box that is tried out call by call, and as
//! models that keep their promises.

use std::collections::BTreeSet;

use quadrille_engine::equivalence::{Bisimulation, Comparison, Relation, View, compare};
use quadrille_engine::{Error, Limits, Space, Stopped, unobserved};
use quadrille_model::{Checked, Explicit, Model, Value};
use quadrille_protocol::core::ProtocolModel;
use quadrille_protocol::project::{Liberal, Projection, Queues};
use quadrille_query::protocol::Explored;
use quadrille_runtime::plan::Kind;
use quadrille_runtime::{Exploration, Fault, FaultKind, Form, Module, Plan};
use quadrille_workshop::protocols::{Shape, body};

use crate::naive;
use crate::support::{Note, plan, protocol, quad_protocol, try_plan};

const LIMITS: Limits = Limits { states: Some(20_000), memory: None };

fn table(model: &dyn Model) -> Option<Explicit> {
    Space::new(model).tabulate(LIMITS, &mut unobserved).ok()
}

fn exploration(plan: &Plan, form: Form) -> Exploration<Note> {
    Exploration::new(&Module::new(plan, form).expect("a good plan"))
}

fn same(left: &Explicit, right: &Explicit) -> bool {
    let relation = Relation::Bisimilar(Bisimulation::Strong);
    let found = compare(left, right, relation, &View::default(), LIMITS, &mut unobserved);
    found == Comparison::Holds
}

/// The traces of a model up to a length, by labels.
fn traces(model: &dyn Model, length: usize) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::from([Vec::new()]);
    let mut level: BTreeSet<(Vec<String>, Vec<Value>)> = BTreeSet::new();
    let mut explorer = model.explorer();
    let started = explorer.each_initial(|state| level.extend([(Vec::new(), state.to_vec())]));
    assert_eq!(started, Ok(()));
    for _ in 0..length {
        let mut next = BTreeSet::new();
        for (trace, state) in level {
            let expanded = explorer.each_successor(&state, |_, action, state| {
                let mut trace = trace.clone();
                trace.push(model.action(action).label);
                found.insert(trace.clone());
                next.insert((trace, state.to_vec()));
            });
            assert_eq!(expanded, Ok(()));
        }
        level = next;
    }
    found
}

/// The liberal form as the projection has it, with the queues of a plan.
fn network(protocol: &ProtocolModel, plan: &Plan) -> Explicit {
    let explored = Explored::new(protocol, LIMITS, &mut unobserved).expect("small");
    let shared = explored.global().role_ids().filter(|role| {
        let is_inbox = |queue: &quadrille_runtime::plan::Queue| {
            queue.from.is_none() && u32::from(queue.to.0) == role.participant().number()
        };
        plan.queues.iter().any(is_inbox)
    });
    let queues = Queues::Inboxes(shared.collect());
    let projection = Projection::new(explored.global()).expect("small");
    let liberal = Liberal::new(projection, &queues);
    let capacities: Vec<u32> = plan.queues.iter().map(|queue| queue.capacity).collect();
    table(&liberal.network(&capacities).expect("fits")).expect("small")
}

/// Everything that must hold of a module of a protocol; how many states it has.
fn check(protocol: &ProtocolModel, plan: &Plan, about: &str) -> [usize; 2] {
    [Form::Strict, Form::Liberal].map(|form| {
        let checked = exploration(plan, form);
        assert_eq!(Checked::new(&checked).walk(300), [], "{about}, {form:?}");
        let exploration = exploration(plan, form);
        let explored = table(&exploration).expect("small");
        let reference = match form {
            Form::Strict => {
                let explored = Explored::new(protocol, LIMITS, &mut unobserved).expect("small");
                table(explored.global()).expect("small")
            }
            Form::Liberal => network(protocol, plan),
        };
        assert!(same(&explored, &reference), "{about}, {form:?}");
        explored.n_states()
    })
}

fn check_body(body: &str) -> [usize; 2] {
    let (protocol, plan) = (protocol(body), plan(body));
    for form in [Form::Strict, Form::Liberal] {
        let expected = naive::traces(&plan, form, 5);
        assert_eq!(traces(&exploration(&plan, form), 5), expected, "{body}, {form:?}");
    }
    check(&protocol, &plan, body)
}

#[test]
fn small_protocols_are_explored_completely() {
    assert_eq!(check_body("(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))"), [4, 4]);
    assert_eq!(
        check_body("(s/cat (s/-->> X ::a ::b) (s/-->> Y ::b ::c) (s/close ::a ::b))"),
        [6, 9]
    );
    assert_eq!(check_body("(s/par (s/-->> A ::p ::r) (s/-->> B ::q ::r))"), [9, 9]);
    assert_eq!(check_body("(s/par (s/-->> M ::p ::r) (s/-->> N ::p ::r))"), [9, 10]);
    assert_eq!(check_body("(s/ω (s/-->> M ::a ::b))"), [2, 2]);
    assert_eq!(
        check_body("(s/cat (s/-->> A ::p ::p) (s/--> B ::p ::p) (s/close ::p ::q))"),
        [5, 5]
    );
}

#[test]
fn exchanges_are_explored() {
    let body = "(s/alt (s/cat (s/--> M ::a ::b) (s/--> X ::b ::c)) \
                       (s/cat (s/--> N ::a ::b) (s/close ::a ::b)))";
    assert_eq!(check_body(body), [4, 5]);
    assert_eq!(check_body("(s/par (s/--> M ::a ::b) (s/-->> N ::c ::b))"), [6, 6]);
}

#[test]
fn equal_labels_with_different_targets_are_all_explored() {
    let body = "(s/alt (s/cat (s/-->> M ::a ::b) (s/-->> Q ::b ::c)) \
                       (s/cat (s/-->> M ::a ::b) (s/-->> R ::b ::a)))";
    assert_eq!(check_body(body), [8, 9]);
    let body = "(s/alt (s/cat (s/--> M ::a ::b) (s/--> Q ::b ::c)) \
                       (s/cat (s/--> M ::a ::b) (s/--> R ::b ::a)))";
    assert_eq!(check_body(body), [4, 5]);
}

#[test]
fn random_protocols_are_explored_like_their_forms() {
    let mut n_checked = 0;
    quadrille_workshop::check(150, |choices| {
        let body = body(choices, &Shape::default(), 3);
        let protocol = protocol(&body);
        let Some(plan) = try_plan(&protocol, 2_000) else { return };
        if network_is_large(&plan) {
            return;
        }
        check(&protocol, &plan, &body);
        n_checked += 1;
    });
    assert!(n_checked > 100, "{n_checked}");
}

#[test]
fn random_protocols_are_explored_like_black_boxes() {
    quadrille_workshop::check(60, |choices| {
        let body = body(choices, &Shape::default(), 2);
        let Some(plan) = try_plan(&protocol(&body), 2_000) else { return };
        for form in [Form::Strict, Form::Liberal] {
            let expected = naive::traces(&plan, form, 4);
            let found = traces(&exploration(&plan, form), 4);
            if may_take_or_meet(&plan) {
                assert!(found.is_superset(&expected), "{body}, {form:?}");
            } else {
                assert_eq!(found, expected, "{body}, {form:?}");
            }
        }
    });
}

/// Whether a receiver has the choice in some state between a message that waits for it and meeting the
/// same sender. The modules that were run took the message every time; the exploration shows both.
fn may_take_or_meet(plan: &Plan) -> bool {
    plan.strict.iter().any(|state| {
        let acts = || state.edges.iter().map(|edge| &plan.acts[edge.0.index()]);
        acts().filter(|act| act.kind == Kind::Exchange).any(|exchange| {
            acts().any(|act| {
                act.kind == Kind::Receive
                    && act.from == exchange.from
                    && exchange.to.contains(&act.to[0])
            })
        })
    })
}

fn network_is_large(plan: &Plan) -> bool {
    table(&exploration(plan, Form::Liberal)).is_none()
}

#[test]
fn a_queue_that_is_too_small_is_noticed() {
    let mut plan = plan("(s/ω (s/-->> M ::a ::b))");
    assert!(!plan.queues[0].suffices);
    plan.queues.to_mut()[0].suffices = true;
    let exploration = exploration(&plan, Form::Liberal);
    let found = Space::new(&exploration).tabulate(LIMITS, &mut unobserved);
    let Err(Stopped::Failed(Error::Problem(problem))) = found else { panic!("{found:?}") };
    let fault = std::error::Error::source(&*problem).and_then(|source| source.downcast_ref());
    let fault: &Fault = fault.expect("a fault");
    assert_eq!((&fault.kind, fault.role.as_str()), (&FaultKind::NotWoken, "a"));
    assert_eq!(fault.state, problem.state);
    assert_eq!(problem.to_string(), "`a` waits and is not woken by: b receives M from a");
}

/// Several receivers, with and without queues, steps alone, closings.
#[test]
fn everything_that_our_own_language_has_is_explored() {
    let texts = [
        "message M; role a, b, c; protocol p { M from a to b, c; M from b to a; }",
        "message M, N; role a, b, c; protocol p { M from a to b, c sync; N from b to c; a closes b; }",
        "message M; role a, b, x, y; protocol p { repeat forever { either { M from a to x, y sync; } or
            { M from b to x, y sync; } } }",
        "message M; event E; role a, b; protocol p { a does E; either { M from a to b; } or { a does E; } b does E; }",
        "message M, N; role a, b, c; protocol p { loop { either { M from a to b, c sync; N from b to c; } or
            { M from a to b, c; N from b to a; } } }",
    ];
    for text in texts {
        let protocol = quad_protocol(text);
        let plan = try_plan(&protocol, 5_000).expect("small");
        check(&protocol, &plan, text);
        for form in [Form::Strict, Form::Liberal] {
            let expected = naive::traces(&plan, form, 4);
            assert_eq!(traces(&exploration(&plan, form), 4), expected, "{text}, {form:?}");
        }
    }
}

/// The members of a family that one role serves in any order can be exchanged for each other, and what the
/// server remembers of them changes names; one with a turn of its own cannot.
#[test]
fn roles_that_can_be_exchanged_are_families() {
    let families = |text: &str| {
        let plan = try_plan(&quad_protocol(text), 10_000).expect("small");
        let explored = exploration(&plan, Form::Liberal);
        assert_eq!(Checked::new(&explored).walk(1_000), []);
        let families = explored.signature().families.clone();
        families.iter().map(|family| family.members.len()).collect::<Vec<_>>()
    };
    let served = "message Ask, Say; role server, client[0..3];
        protocol p { loop { choose i in 0..3 { Ask from client[i] to server; Say from server to client[i]; } } }";
    assert_eq!(families(served), [3]);
    let in_turn = "message Ask, Say; role server, client[0..3];
        protocol p { loop { for i in 0..3 { Ask from client[i] to server; Say from server to client[i]; } } }";
    assert_eq!(families(in_turn), [] as [usize; 0]);
}
