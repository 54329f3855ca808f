//! Every protocol form of Discourje's language, by the transition system it makes.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use quadrille_diagnostic::Sources;
use quadrille_discourje as dcj;
use quadrille_engine::Space;
use quadrille_model::{Model, StateId};

/// States and edges of the session `::main` without arguments, states numbered as met; `.` marks
/// those that may end.
pub(crate) fn explore(body: &str) -> String {
    let text = format!("(s/defsession ::main [] {body})");
    let mut sources = Sources::default();
    let source = sources.add("main.dcj", text.clone());
    let (program, diagnostics) = dcj::load(source, &text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let model = program.session(&mut sources, "main", &[]).expect("a session");
    let mut space = Space::new(&model);
    let mut shown = String::new();
    let mut state = 0;
    while state < space.n_states().min(30) {
        let id = StateId::from_usize(state);
        let may_end = space.may_end(id).expect("computable");
        let end = if may_end { "." } else { "" };
        let _ = write!(shown, "{state}{end}");
        for edge in space.expand(id).expect("computable") {
            let label = model.action(edge.action).label;
            let _ = write!(shown, " [{label}]→{}", edge.to.number());
        }
        shown.push('\n');
        state += 1;
    }
    shown
}

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(body: &str, expected: Expect) {
    expected.assert_eq(&explore(body));
}

/// Both bodies make the same transition system.
fn same(one: &str, other: &str) {
    assert_eq!(explore(one), explore(other), "{one}");
}

#[test]
fn actions() {
    check(
        "(s/--> Long ::a ::b) (s/-->> (::a 0 1) \"b\") (s/close ::a ::b)",
        expect![[r#"
            0 [a passes Long to b]→1
            1 [a[0][1] sends Object to b]→2
            2 [b receives Object from a[0][1]]→3
            3 [a closes to b]→4
            4.
        "#]],
    );
    same("(--> Long ::a ::b)", "(s/--> Long :a :b)");
}

#[test]
fn messages_are_types_literals_and_predicates() {
    check(
        "(s/let [t 'String i 3]
           (s/alt (s/--> t ::a ::b) (s/--> 5 ::a ::b) (s/--> \"hi\" ::a ::b) (s/--> :on ::a ::b)
                  (s/--> (fn [x] (= x i)) ::a ::b) (s/--> #(> % i) ::a ::b) (s/--> a.b.C ::a ::b)))",
        expect![[r#"
            0 [a passes String to b]→1 [a passes 5 to b]→1 [a passes "hi" to b]→1 [a passes :on to b]→1 [a passes (fn [x] (= x 3)) to b]→1 [a passes #(> % 3) to b]→1 [a passes a.b.C to b]→1
            1.
        "#]],
    );
}

#[test]
fn sequence_choice_parallel() {
    same("(s/cat (--> 1 ::a ::b) (--> 2 ::a ::b))", "[(--> 1 ::a ::b) (--> 2 ::a ::b)]");
    same("(s/do (--> 1 ::a ::b) (--> 2 ::a ::b))", "(--> 1 ::a ::b) (--> 2 ::a ::b)");
    check(
        "(s/alt (--> 1 ::a ::b) (s/cat (--> 2 ::a ::b) (s/end)))",
        expect![[r#"
        0 [a passes 1 to b]→1 [a passes 2 to b]→2
        1.
        2.
    "#]],
    );
    check(
        "(s/par (--> 1 ::a ::b) (--> 2 ::a ::b))",
        expect![[r#"
        0 [a passes 1 to b]→1 [a passes 2 to b]→2
        1 [a passes 2 to b]→3
        2 [a passes 1 to b]→3
        3.
    "#]],
    );
    same("(s/cat)", "(s/end)");
    same("(s/alt)", "(s/end)");
    same("(s/par)", "(s/end)");
}

#[test]
fn indexed_forms() {
    same(
        "(s/cat-every [i (range 2) j #{5 6}] (--> i ::a (::b j)))",
        "(s/cat (--> 0 ::a (::b 5)) (--> 0 ::a (::b 6)) (--> 1 ::a (::b 5)) (--> 1 ::a (::b 6)))",
    );
    same("(s/alt-every [i (list 2 1)] (--> i ::a ::b))", "(s/alt (--> 2 ::a ::b) (--> 1 ::a ::b))");
    same("(s/par-every [i [1 2]] (--> i ::a ::b))", "(s/par (--> 1 ::a ::b) (--> 2 ::a ::b))");
    check(
        "(s/cat (s/? (--> 1 ::a ::b)) (s/alt-every [i #{}] (--> i ::a ::b)))",
        expect![[r#"
        0 [a passes 1 to b]→1
        1
    "#]],
    );
}

#[test]
fn repetition() {
    check(
        "(s/* (--> 1 ::a ::b))",
        expect![[r#"
        0. [a passes 1 to b]→1
        1. [a passes 1 to b]→1
    "#]],
    );
    check(
        "(s/+ (--> 1 ::a ::b))",
        expect![[r#"
        0 [a passes 1 to b]→1
        1. [a passes 1 to b]→1
    "#]],
    );
    check(
        "(s/ω (--> 1 ::a ::b))",
        expect![[r#"
        0 [a passes 1 to b]→1
        1 [a passes 1 to b]→1
    "#]],
    );
    same("(s/omega (--> 1 ::a ::b))", "(ω (--> 1 ::a ::b))");
    check(
        "(s/? (--> 1 ::a ::b) (--> 2 ::a ::b))",
        expect![[r#"
        0. [a passes 1 to b]→1
        1 [a passes 2 to b]→2
        2.
    "#]],
    );
}

#[test]
fn control() {
    same("(s/if (< 1 2) (--> 1 ::a ::b) (--> 2 ::a ::b))", "(--> 1 ::a ::b)");
    same("(s/if nil (--> 1 ::a ::b))", "(s/end)");
    same("(s/let [x 1 y (inc x)] (--> y ::a ::b))", "(--> 2 ::a ::b)");
    check(
        "(s/loop round [i 0] (--> i ::a ::b) (s/recur round (mod (inc i) 3)))",
        expect![[r#"
            0 [a passes 0 to b]→1
            1 [a passes 1 to b]→2
            2 [a passes 2 to b]→3
            3 [a passes 0 to b]→1
        "#]],
    );
}

#[test]
fn an_inner_loop_may_go_on_with_an_outer_one() {
    check(
        "(s/let [x 7]
           (s/loop out [i 0]
             (--> x ::a (::b i))
             (s/let [x 8]
               (s/loop in [j 0]
                 (--> x ::c (::d j))
                 (s/alt (s/recur in (- 1 j)) (s/recur out (- 1 i)))))))",
        expect![[r#"
            0 [a passes 7 to b[0]]→1
            1 [c passes 8 to d[0]]→2
            2 [c passes 8 to d[1]]→3 [a passes 7 to b[1]]→4
            3 [c passes 8 to d[0]]→2 [a passes 7 to b[1]]→4
            4 [c passes 8 to d[0]]→5
            5 [c passes 8 to d[1]]→6 [a passes 7 to b[0]]→1
            6 [c passes 8 to d[0]]→5 [a passes 7 to b[0]]→1
        "#]],
    );
}

#[test]
fn sessions_call_each_other() {
    let text = "(s/defrole ::p \"player\")
      (defn other [i] (- 1 i))
      (s/defsession ::main [] (::turn 0))
      (s/defsession ::turn [i] (s/session ::turn [i (other i)]))
      (s/defsession ::turn [i j] (s/--> Move (::p i) (::p j)) (turn j))";
    let mut sources = Sources::default();
    let (program, diagnostics) = dcj::load(sources.add("t.dcj", text), text);
    assert!(diagnostics.is_empty());
    let model = program.session(&mut sources, "::main", &[]).expect("a session");
    let mut space = Space::new(&model);
    let (mut state, mut labels) = (0, Vec::new());
    while state < space.n_states() {
        let edges = space.expand(StateId::from_usize(state)).expect("computable");
        labels.extend(edges.iter().map(|edge| model.action(edge.action).label));
        state += 1;
    }
    labels.sort();
    labels.dedup();
    assert_eq!(
        labels,
        ["player[0] passes Move to player[1]", "player[1] passes Move to player[0]"]
    );
}

#[test]
fn roles_are_values() {
    same(
        "(s/let [r ::a q (::b 1) n ::c] (s/--> 1 r q) (s/--> 2 (n 3) (s/role ::d [4])))",
        "(s/--> 1 ::a (::b 1)) (s/--> 2 (::c 3) (::d 4))",
    );
}

#[test]
fn any_action_and_graphs() {
    check(
        "(s/any [::a ::b])",
        expect![[r#"
        0 [a passes Object to b]→1 [a sends Object to b]→1 [b receives Object from a]→1 [a closes to b]→1 [b passes Object to a]→1 [b sends Object to a]→1 [a receives Object from b]→1 [b closes to a]→1
        1.
    "#]],
    );
    check(
        "(s/graph des (0, 3, 2) (0 \"!(Long,a,b[0])\" 1) (1 \"?(a,b[0])\" 0) (1 \"C(a,b[0])\" 2))",
        expect![[r#"
            0 [a sends Long to b[0]]→1
            1 [b[0] receives Long from a]→2 [a closes to b[0]]→3
            2 [a sends Long to b[0]]→1
            3.
        "#]],
    );
    // Several types on one channel: what is received depends on how the vertex was reached.
    check(
        "(s/graph des (0) (0 \"!(T,a,b)\" 1) (0 \"!(U,a,b)\" 1) (1 \"?(a,b)\" 2))",
        expect![[r#"
            0 [a sends T to b]→1 [a sends U to b]→2
            1 [b receives T from a]→3
            2 [b receives U from a]→3
            3.
        "#]],
    );
    check(
        "(s/graph des (0) (0 \"!(T,a,b)\" 1) (1 \"!(U,a,b)\" 2) (2 \"?(a,b)\" 3) (3 \"?(U,a,b)\" 4) (3 \"?(b,a)\" 4))",
        expect![[r#"
            0 [a sends T to b]→1
            1 [a sends U to b]→2
            2 [b receives T from a]→3
            3 [b receives U from a]→4 [a receives Object from b]→5
            4.
            5.
        "#]],
    );
}

#[test]
fn functions_may_make_protocols() {
    let text = "(defn hop [i j] (s/--> Long (::w i) (::w j)))
      (s/defsession ::main [k] (s/cat-every [i (range k)] (hop i (inc i))))";
    let mut sources = Sources::default();
    let (program, _) = dcj::load(sources.add("t.dcj", text), text);
    let model = program.session(&mut sources, "main", &["3"]).expect("a session");
    let mut space = Space::new(&model);
    for state in 0..3 {
        assert_eq!(space.expand(StateId::new(state)).map(<[_]>::len), Ok(1));
    }
    assert_eq!(space.may_end(StateId::new(3)), Ok(true));
}

#[test]
fn recursion_inside_parallel_compositions_may_be_hundreds_deep() {
    let text = "(s/defsession ::main [n]
      (s/if (> n 0) (s/par (s/--> Long ::a (::w n)) (s/? (s/alt (s/cat (::main (dec n)) (s/end)))))))";
    let mut sources = Sources::default();
    let (program, _) = dcj::load(sources.add("t.dcj", text), text);
    let model = program.session(&mut sources, "main", &["900"]).expect("a session");
    let mut space = Space::new(&model);
    assert_eq!(space.expand(StateId::new(0)).map(<[_]>::len), Ok(900));
}
