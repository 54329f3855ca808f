//! Reading and writing Aldebaran texts.

use expect_test::{Expect, expect};
use quadrille_diagnostic::Sources;
use quadrille_formats::{AutError, read_aut, write_aut};
use quadrille_model::{ExplicitBuilder, StateId};
use quadrille_workshop::texts::pieces;

/// What is read, written again; or what is wrong.
fn check(text: &str, expected: &Expect) {
    let mut sources = Sources::default();
    let id = sources.add("in.aut", text);
    let (table, diagnostics) = read_aut(id, text);
    assert_eq!(table.is_some(), diagnostics.is_empty());
    let written = table.map(|table| write_aut(&table).expect("one initial state"));
    expected.assert_eq(&written.unwrap_or_else(|| crate::rendered(&sources, &diagnostics)));
}

#[test]
fn labels_may_be_quoted_or_not_and_hold_anything() {
    check(
        "\u{feff}des(1,6,3)\r\n\r\n(0,a,1)\r\n ( 1 , \"a\" , 2 ) \n(2, b, c ,0)\n\
         (2,\"say \\\"hi\\\", twice\",0)\n(2,\"x\"y\",1)\n(0,\"back\\\\slash\\q\",0)\n",
        &expect![[r#"
            des (1,6,3)
            (0,"a",1)
            (0,"back\\slash\\q",0)
            (1,"a",2)
            (2,"b, c",0)
            (2,"say \"hi\", twice",0)
            (2,"x\"y",1)
        "#]],
    );
}

#[test]
fn a_lone_state_is_a_system() {
    check(
        "des (0,0,1)",
        &expect![[r#"
        des (0,0,1)
    "#]],
    );
}

#[test]
fn all_bad_lines_are_reported() {
    check(
        "des (0, 5, 2)\n(0 \"a\" 1)\n(0, a, 1)\n(0, , 1)\n(0, \"a, 1)\n(99999999999, a, 1)\n",
        &expect![[r#"
            error[A002]: expected `,`
             --> in.aut:2:4
              |
            2 | (0 "a" 1)
              |    ^
              |
              = help: a transition is written `(from, label, to)`
            error[A002]: expected a label
             --> in.aut:4:5
              |
            4 | (0, , 1)
              |     ^
              |
              = help: a transition is written `(from, label, to)`
            error[A002]: expected a closing quote
             --> in.aut:5:5
              |
            5 | (0, "a, 1)
              |     ^^
              |
              = help: a transition is written `(from, label, to)`
            error[A002]: expected a number below 2^32
             --> in.aut:6:2
              |
            6 | (99999999999, a, 1)
              |  ^^^^^^^^^^^
              |
              = help: a transition is written `(from, label, to)`
        "#]],
    );
}

#[test]
fn numbers_are_checked_against_the_header() {
    check(
        "des (2, 3, 2)\n(0, a, 1)\n(1, a, 7)\n",
        &expect![[r#"
            error[A003]: there is no state 2
             --> in.aut:1:1
              |
            1 | des (2, 3, 2)
              | ^^^^^^^^^^^^^
              |
              = help: states are numbered from 0; correct the number or the header
            error[A004]: the header says 3 transitions, the file has 2
             --> in.aut:1:1
              |
            1 | des (2, 3, 2)
              | ^^^^^^^^^^^^^
              |
              = help: complete the file, or correct the second number of the header
            error[A003]: there is no state 7
             --> in.aut:3:1
              |
            1 | des (2, 3, 2)
              | ------------- 2 states
            2 | (0, a, 1)
            3 | (1, a, 7)
              | ^^^^^^^^^
              |
              = help: states are numbered from 0; correct the number or the header
        "#]],
    );
}

#[test]
fn headers_that_make_no_sense() {
    check(
        "\n\n",
        &expect![[r#"
            error[A001]: the file is empty
             --> in.aut:1:1
              |
            1 |
              | ^
              |
              = help: start the file with `des (first, transitions, states)`
        "#]],
    );
    check(
        "des (0, 1, 4294967296)\n",
        &expect![[r#"
        error[A001]: expected a number below 2^32 in the header
         --> in.aut:1:12
          |
        1 | des (0, 1, 4294967296)
          |            ^^^^^^^^^^
          |
          = help: start the file with `des (first, transitions, states)`
    "#]],
    );
    check(
        "des (0, 0, 4294967295)\n",
        &expect![[r#"
        error[A005]: 4294967295 states, but far fewer transitions
         --> in.aut:1:1
          |
        1 | des (0, 0, 4294967295)
          | ^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: correct the third number; only states with transitions matter
    "#]],
    );
    check(
        "des (0, 0, 0)\n",
        &expect![[r#"
            error[A003]: there is no state 0
             --> in.aut:1:1
              |
            1 | des (0, 0, 0)
              | ^^^^^^^^^^^^^
              |
              = help: states are numbered from 0; correct the number or the header
        "#]],
    );
    check(
        "<html>\n",
        &expect![[r#"
        error[A001]: expected `des` in the header
         --> in.aut:1:1
          |
        1 | <html>
          | ^
          |
          = help: start the file with `des (first, transitions, states)`
    "#]],
    );
    check(
        "des (0, 0, 1) (0, a, 0)\n",
        &expect![[r#"
        error[A001]: expected the end of the line in the header
         --> in.aut:1:15
          |
        1 | des (0, 0, 1) (0, a, 0)
          |               ^^^^^^^^^
          |
          = help: start the file with `des (first, transitions, states)`
    "#]],
    );
}

#[test]
fn a_million_bad_lines_get_a_short_answer() {
    let text = format!("des (0, 1000000, 2)\n{}", "(0, a\n".repeat(1_000_000));
    let mut sources = Sources::default();
    let id = sources.add("in.aut", "");
    let (table, diagnostics) = read_aut(id, &text);
    assert!(table.is_none());
    assert_eq!(diagnostics.len(), 50);
    assert_eq!(diagnostics[49].notes, ["999950 further problems are not shown"]);
}

#[test]
fn an_enormous_line_is_one_diagnostic() {
    for line in ["(".repeat(50_000_000), format!("des (0,1,1)\n(0,{}", "a".repeat(50_000_000))] {
        let mut sources = Sources::default();
        let id = sources.add("in.aut", "");
        let (table, diagnostics) = read_aut(id, &line);
        assert!(table.is_none());
        assert_eq!(diagnostics.len(), 1);
    }
}

#[test]
fn random_tables_come_back_the_same() {
    quadrille_workshop::check(100, |choices| {
        let mut builder = ExplicitBuilder::default();
        let signs = ["a", "\"", "\\", ",", " ", ")", "é", "\n", "\r", "n"];
        let actions: Vec<_> = (0..1 + choices.below(6))
            .map(|number| builder.action(format!("{number}{}", pieces(choices, &signs, 5))))
            .collect();
        let n_states = 1 + choices.below(9);
        builder.initial(StateId::from_usize(choices.below(n_states)));
        builder.states(n_states as u32);
        for _ in 0..choices.below(30) {
            let mut state = || StateId::from_usize(choices.below(n_states));
            let (from, to) = (state(), state());
            builder.edge(from, actions[choices.below(actions.len())], to);
        }
        let table = builder.build();
        let written = write_aut(&table).expect("one initial state");
        let mut sources = Sources::default();
        let id = sources.add("again.aut", written.as_str());
        let (again, diagnostics) = read_aut(id, &written);
        assert_eq!(crate::rendered(&sources, &diagnostics), "", "{written}");
        let again = again.expect("a table without diagnostics");
        assert_eq!(write_aut(&again).as_ref(), Ok(&written));
        assert_eq!(edges(&again), edges(&table));
    });
}

/// Everything that an Aldebaran text says, sorted.
fn edges(table: &quadrille_model::Explicit) -> (Vec<StateId>, Vec<(StateId, &str, StateId)>) {
    let of = |state| {
        let edges = table.edges(state).iter();
        edges.map(move |(action, to)| (state, table.labels()[action.index()].as_str(), *to))
    };
    let mut all: Vec<_> = table.states().flat_map(of).collect();
    all.sort_unstable();
    (table.initial_states().to_vec(), all)
}

#[test]
fn several_initial_states_cannot_be_written() {
    let mut builder = ExplicitBuilder::default();
    builder.initial(StateId::new(0)).initial(StateId::new(1));
    assert_eq!(write_aut(&builder.build()), Err(AutError::InitialStates(2)));
    assert_eq!(write_aut(&ExplicitBuilder::default().build()), Err(AutError::InitialStates(0)));
}
