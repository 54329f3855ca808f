//! The rules of the calculus, one by one, and both identities.

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_engine::{Space, Stopped};
use quadrille_model::{Checked, GroupId, InteractionKind, Model, StateId};

use super::*;

/// Definitions for tests: `0(n)` is `a·0(n)·b`; `1()` is `1() + a`; `2()` is `1·2()`; `3(n)` is `3(n+1)`;
/// `4()` is `5() + a` and `5()` is `4() + b`; `6(n)` is a ring of `n` values; `7()` fails.
struct Tests(SourceId);

impl Definitions for Tests {
    fn unfold(
        &self,
        terms: &Terms,
        definition: DefinitionId,
        arguments: &[Word],
    ) -> Result<TermId, Box<Diagnostic>> {
        let call = |number, arguments: &[Word]| terms.call(DefinitionId(number), arguments);
        Ok(match definition.0 {
            0 => terms.sequence(&[step(terms, "a"), call(0, arguments), step(terms, "b")]),
            1 => terms.choice(&[call(1, &[]), step(terms, "a")]),
            2 => terms.seq(TermId::SKIP, call(2, &[])),
            3 => call(3, &[arguments[0] + 1]),
            4 => terms.choice(&[call(5, &[]), step(terms, "a")]),
            5 => terms.choice(&[call(4, &[]), step(terms, "b")]),
            6 => terms.seq(
                step(terms, &format!("at{}", arguments[0])),
                call(6, &[(arguments[0] + 1) % arguments[1], arguments[1]]),
            ),
            _ => return Err(Box::new(Diagnostic::error(&DATA_ERROR, "no such definition"))),
        })
    }

    fn named(&self, definition: DefinitionId, arguments: &[Word]) -> Named {
        Named { text: format!("d{}{arguments:?}", definition.0), span: Span::new(self.0, 0..1) }
    }
}

pub(super) fn step(terms: &Terms, name: &str) -> TermId {
    let from = terms.role(Role::new("A"));
    let message = Some(Message::new(name));
    terms.action(terms.act(Act { kind: InteractionKind::Local, from, to: vec![], message }))
}

pub(super) fn model(
    identity: Identity,
    variables: Vec<Variable>,
    make: impl FnOnce(&Terms) -> TermId,
) -> ProtocolModel {
    let terms = Terms::new(identity, variables);
    let start = make(&terms);
    ProtocolModel::new(terms, start, Box::new(Tests(Sources::default().add("tests", ""))))
}

/// All states and edges, states numbered as met; `.` marks those that may end.
fn explore(model: &ProtocolModel, limit: usize) -> String {
    let mut space = Space::new(model);
    let mut shown = String::new();
    let mut state = 0;
    while state < space.n_states().min(limit) {
        let id = StateId::from_usize(state);
        let end = space.may_end(id).map(|may_end| if may_end { "." } else { "" });
        shown += &format!("{state}{}", end.unwrap_or("?"));
        match space.expand(id) {
            Ok(edges) => {
                for edge in edges {
                    let label = model.action(edge.action).label.replace("A does ", "");
                    shown += &format!(" {label}→{}", edge.to.number());
                }
            }
            Err(Stopped::Failed(error)) => {
                let problem = Diagnostic::behind(&error).expect("a diagnostic");
                shown += &format!(" {}: {}", problem.code.id, problem.message);
            }
            Err(Stopped::Bound(bound)) => panic!("{bound:?}"),
        }
        shown.push('\n');
        state += 1;
    }
    shown
}

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(make: impl Fn(&Terms) -> TermId, normal: Expect, written: Expect) {
    normal.assert_eq(&explore(&model(Identity::Normal, vec![], &make), 20));
    written.assert_eq(&explore(&model(Identity::Written, vec![], &make), 20));
}

#[test]
fn sequence_moves_on_when_the_first_may_end() {
    check(
        |t| t.sequence(&[t.optional(step(t, "a")), t.optional(step(t, "b")), step(t, "c")]),
        expect![[r#"
            0 a→1 b→2 c→3
            1 b→2 c→3
            2 c→3
            3.
        "#]],
        expect![[r#"
            0 a→1 b→2 c→3
            1 b→2 c→3
            2 c→3
            3.
        "#]],
    );
}

#[test]
fn a_loop_comes_back_to_itself_or_to_a_state_like_itself() {
    check(
        |t| t.star(t.seq(step(t, "a"), step(t, "b"))),
        expect![[r#"
            0. a→1
            1 b→0
        "#]],
        expect![[r#"
            0. a→1
            1 b→2
            2. a→1
        "#]],
    );
}

#[test]
fn for_ever_does_not_end() {
    check(
        |t| t.seq(t.forever(t.optional(step(t, "a"))), step(t, "b")),
        expect![[r#"
            0 a→0
        "#]],
        expect![[r#"
            0 a→1
            1 a→1
        "#]],
    );
}

#[test]
fn parallel_parts_interleave() {
    check(
        |t| t.par(&[step(t, "a"), step(t, "b"), t.seq(step(t, "c"), TermId::STOP)]),
        expect![[r#"
            0 a→1 b→2 c→3
            1 b→4 c→5
            2 a→4 c→6
            3 a→5 b→6
            4 c→7
            5 b→7
            6 a→7
            7
        "#]],
        expect![[r#"
            0 a→1 b→2 c→3
            1 b→4 c→5
            2 a→4 c→6
            3 a→7 b→8
            4 c→9
            5 b→10
            6 a→10
            7 b→10
            8 a→10
            9
            10
        "#]],
    );
}

#[test]
fn recursion_may_grow_without_bound() {
    check(
        |t| t.call(DefinitionId(0), &[]),
        expect![[r#"
            0 a→1
            1 a→2
            2 a→3
            3 a→4
            4 a→5
            5 a→6
            6 a→7
            7 a→8
            8 a→9
            9 a→10
            10 a→11
            11 a→12
            12 a→13
            13 a→14
            14 a→15
            15 a→16
            16 a→17
            17 a→18
            18 a→19
            19 a→20
        "#]],
        expect![[r#"
            0 a→1
            1 a→2
            2 a→3
            3 a→4
            4 a→5
            5 a→6
            6 a→7
            7 a→8
            8 a→9
            9 a→10
            10 a→11
            11 a→12
            12 a→13
            13 a→14
            14 a→15
            15 a→16
            16 a→17
            17 a→18
            18 a→19
            19 a→20
        "#]],
    );
}

#[test]
fn unguarded_recursion_adds_nothing() {
    check(
        |t| t.choice(&[t.call(DefinitionId(1), &[]), t.call(DefinitionId(2), &[])]),
        expect![[r#"
            0 a→1
            1.
        "#]],
        expect![[r#"
            0 a→1
            1.
        "#]],
    );
}

#[test]
fn mutual_unguarded_recursion_is_complete_from_either_side() {
    check(
        |t| {
            let (four, five) = (t.call(DefinitionId(4), &[]), t.call(DefinitionId(5), &[]));
            t.seq(four, t.seq(step(t, "c"), five))
        },
        expect![[r#"
            0 b→1 a→1
            1 c→2
            2 a→3 b→3
            3.
        "#]],
        expect![[r#"
            0 b→1 a→1
            1 c→2
            2 a→3 b→3
            3.
        "#]],
    );
}

#[test]
fn endless_unfolding_and_missing_bodies_are_problems() {
    check(
        |t| t.choice(&[t.call(DefinitionId(3), &[0]), t.call(DefinitionId(7), &[])]),
        expect![[r#"
            0? P001: no action comes before `d3[1000]`
        "#]],
        expect![[r#"
            0? P001: no action comes before `d3[1000]`
        "#]],
    );
}

#[test]
fn parameters_make_finitely_many_states() {
    let ring = |identity| {
        let model = model(identity, vec![], |t| t.call(DefinitionId(6), &[0, 1_000]));
        explore(&model, 100_000).lines().count()
    };
    assert_eq!((ring(Identity::Normal), ring(Identity::Written)), (1_000, 1_001));
}

#[test]
fn one_message_to_several_receivers_is_sent_once() {
    check(
        |t| {
            let [a, b, c] = ["A", "B", "C"].map(|name| t.role(Role::new(name)));
            let hello = Message::with_content("Hello", "1");
            let both = t.asynchronous(&hello, a, &[b, c]);
            t.sequence(&[both, t.synchronous(&hello, a, &[b, c]), t.close(a, b)])
        },
        expect![[r#"
            0 A sends Hello(1) to B, C→1
            1 B receives Hello(1) from A→2 C receives Hello(1) from A→3
            2 C receives Hello(1) from A→4
            3 B receives Hello(1) from A→4
            4 A passes Hello(1) to B, C→5
            5 A closes to B→6
            6.
        "#]],
        expect![[r#"
            0 A sends Hello(1) to B, C→1
            1 B receives Hello(1) from A→2 C receives Hello(1) from A→3
            2 C receives Hello(1) from A→4
            3 B receives Hello(1) from A→4
            4 A passes Hello(1) to B, C→5
            5 A closes to B→6
            6.
        "#]],
    );
}

/// A counter from 0 to 3 that may end at 2; `up` is guarded, `wrong` leaves the domain.
fn counter(t: &Terms) -> TermId {
    let n = VariableId(0);
    let value = t.variable_value(n);
    let plus = |amount| {
        let value = t.binary(Operator::Add, value, t.constant(amount));
        t.update(vec![Assignment { variable: n, value }])
    };
    let act = |name: &str| {
        let from = t.role(Role::new("A"));
        t.act(Act {
            kind: InteractionKind::Local,
            from,
            to: vec![],
            message: Some(Message::new(name)),
        })
    };
    let small = t.binary(Operator::Lt, value, t.constant(2));
    let up = t.guard(small, t.action_with(act("up"), plus(1)));
    let wrong = t.action_with(act("wrong"), plus(3));
    let at_two = t.binary(Operator::Eq, value, t.constant(2));
    t.seq(t.star(t.choice(&[up, wrong])), t.guard(at_two, TermId::SKIP))
}

#[test]
fn variables_guard_steps_and_ends() {
    let n =
        Variable { name: "n".to_owned(), data_type: DataType::Int { min: 0, max: 3 }, initial: 0 };
    let model = model(Identity::Normal, vec![n], counter);
    expect![[r#"
        0 up→1 wrong→2
        1 P003: `n` cannot hold 4: its values are 0 to 3
        2 P003: `n` cannot hold 6: its values are 0 to 3
    "#]]
    .assert_eq(&explore(&model, 20));
    // What goes wrong in one group is no matter to another, which need not read what it reads.
    let (mut explorer, mut next) = (model.explorer(), Vec::new());
    assert_eq!(explorer.each_initial(|state| next.push(state.to_vec())), Ok(()));
    next[0][1] = 1;
    let groups = (0..model.signature().groups.len()).map(GroupId::from_usize);
    let enabled: Vec<bool> =
        groups.map(|group| explorer.is_enabled(group, &next[0]).is_ok()).collect();
    assert_eq!(enabled, [true, false]);
}

#[test]
fn outermost_parts_are_slots_and_steps_of_one_leave_the_others_alone() {
    let model = model(Identity::Normal, vec![], |t| {
        t.par(&[t.star(step(t, "a")), t.forever(step(t, "b"))])
    });
    assert_eq!(model.signature().n_slots(), 2);
    let mut written = model.signature().groups[1].may_write();
    assert!(written.by_ref().eq([quadrille_model::SlotId::new(1)]));
    let started = model.explorer().each_initial(|state| {
        assert_eq!(model.show(quadrille_model::SlotId::new(0), state[0]), "loop (A does a)");
    });
    assert_eq!(started, Ok(()));
}

#[test]
fn parts_that_differ_in_indices_are_a_family() {
    let worker = |t: &Terms, index: i64| {
        let [a, b] = [Role::new("master"), Role::indexed("worker", [index])].map(|r| t.role(r));
        let [job, done] = ["Job", "Done"].map(Message::new);
        t.star(t.seq(t.asynchronous(&job, a, &[b]), t.asynchronous(&done, b, &[a])))
    };
    let model = model(Identity::Normal, vec![], |t| {
        t.par(&[worker(t, 0), step(t, "a"), worker(t, 1), worker(t, 2)])
    });
    let signature = model.signature();
    let slots = [0, 2, 3].map(|slot| vec![quadrille_model::SlotId::new(slot)]);
    assert_eq!(signature.families, [quadrille_model::Family::of(slots.to_vec())]);
    assert_eq!(signature.groups.len(), 3 * 4 + 1);
    assert!(signature.groups.iter().all(|group| group.guards_complete && group.actions.is_some()));
    let (mut labels, mut shown, mut start) = (Vec::new(), String::new(), Vec::new());
    let mut explorer = model.explorer();
    assert_eq!(explorer.each_initial(|state| start = state.to_vec()), Ok(()));
    let successors = explorer.each_successor(&start, |_, action, next| {
        labels.push(model.action(action).label);
        shown = model.show(quadrille_model::SlotId::new(3), next[3]);
    });
    assert_eq!(successors, Ok(()));
    let job = |worker: usize| format!("master sends Job to worker[{worker}]");
    assert_eq!(labels, [job(0), "A does a".to_owned(), job(1), job(2)]);
    assert!(shown.starts_with("worker[2] receives Job from master; "), "{shown}");
    assert_eq!(Checked::new(&model).walk(150), []);
}
