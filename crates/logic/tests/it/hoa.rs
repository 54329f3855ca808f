//! Automata as text in the Hanoi format: round trips, an independent reader, messages.

use std::cell::Cell;

use expect_test::{Expect, expect};
use hoars::HoaRepresentation;
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_logic::{HoaParsed, read_hoa, translate, write_hoa};
use quadrille_workshop::check;
use quadrille_workshop::formulas::{Past, linear, word};
use quadrille_workshop::texts::pieces;

use crate::parsing::plain;

fn read(text: &str) -> Result<HoaParsed, String> {
    let mut sources = Sources::default();
    let id = sources.add("in.hoa", text);
    read_hoa(&sources, id).map_err(|diagnostic| render(&diagnostic, &sources, Style::Plain))
}

fn check_error(text: &str, expected: &Expect) {
    expected.assert_eq(&read(text).expect_err("a message"));
}

fn names(n_atoms: usize) -> Vec<String> {
    (0..n_atoms).map(|atom| format!("atom \"{atom}\"")).collect()
}

#[test]
fn written_as_other_tools_expect() {
    let formula = plain("G F a & G F b & G (c -> F a)").0.formula.expect("a formula");
    let automaton = translate(&formula).expect("small");
    let text = write_hoa(&automaton, &["a".to_owned(), "b".to_owned(), "c".to_owned()]);
    expect![[r#"
        HOA: v1
        States: 1
        Start: 0
        AP: 3 "a" "b" "c"
        acc-name: generalized-Buchi 2
        Acceptance: 2 Inf(0)&Inf(1)
        properties: trans-labels explicit-labels trans-acc
        --BODY--
        State: 0
        [!0&!1] 0
        [0&!1] 0 {0}
        [!0&1] 0 {1}
        [0&1] 0 {0 1}
        --END--
    "#]]
    .assert_eq(&text);
}

#[test]
fn complements_accept_exactly_the_other_words() {
    let (n_complements, n_accepted) = (Cell::new(0), Cell::new(0));
    check(2_000, |choices| {
        let size = 2 + choices.below(6);
        let formula = linear(choices, size, 3, Past::None);
        let automaton = translate(&formula).expect("small");
        let Some(complement) = automaton.complement() else {
            assert!(!automaton.is_deterministic());
            return;
        };
        n_complements.set(n_complements.get() + 1);
        for _ in 0..20 {
            let (stem, cycle) = (choices.below(4), 1 + choices.below(4));
            let (stem, cycle) = (word(choices, stem, 3), word(choices, cycle, 3));
            let accepted = automaton.accepts_lasso(&stem, &cycle);
            let context = format!("{formula:?} on {stem:?} ({cycle:?})");
            assert_eq!(complement.accepts_lasso(&stem, &cycle), !accepted, "{context}");
            n_accepted.set(n_accepted.get() + u32::from(accepted));
        }
    });
    let counts = (n_complements.get(), n_accepted.get());
    assert!(counts.0 > 500 && counts.1 > 2_000, "{counts:?}");
}

#[test]
fn what_is_written_is_read_back() {
    check(300, |choices| {
        let size = 2 + choices.below(12);
        let formula = linear(choices, size, 3, Past::Some);
        let automaton = translate(&formula).expect("small");
        let text = write_hoa(&automaton, &names(3));
        let parsed = read(&text).unwrap_or_else(|message| panic!("{text}{message}"));
        assert_eq!(parsed, HoaParsed { automaton, atoms: names(3) });
    });
}

#[test]
fn an_independent_reader_sees_the_same() {
    check(100, |choices| {
        let size = 2 + choices.below(12);
        let formula = linear(choices, size, 3, Past::None);
        let automaton = translate(&formula).expect("small");
        let text = write_hoa(&automaton, &["a", "b", "c"].map(str::to_owned));
        let other = HoaRepresentation::try_from(text.as_str())
            .unwrap_or_else(|error| panic!("{text}{error}"));
        assert_eq!(other.num_states(), Some(automaton.n_locations()));
        assert_eq!(other.aps(), &["a", "b", "c"]);
        assert_eq!(other.acceptance().0, automaton.n_sets as usize);
        for (state, edges) in other.body().iter().zip(&automaton.edges) {
            assert_eq!(state.edges().len(), edges.len(), "{text}");
        }
    });
}

#[test]
fn other_spellings_are_read() {
    let text = "HOA: v1 /* two ways */ tool: \"x\" \"1\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\n\
        Alias: @x !(0 | 1)\nAcceptance: 2 (Inf(1)) & Inf(0)\n--BODY--\n\
        State: 0 \"start\" {1}\n[@x] 1 {0}\n[0&1 | !0&f] 0\nState: [t] 1\n0 {0}\n--END--\n";
    let parsed = read(text).unwrap_or_else(|message| panic!("{message}"));
    assert_eq!(parsed.atoms, ["a", "b"]);
    let shown: Vec<String> =
        parsed.automaton.edges.iter().flatten().map(|e| format!("{e:?}")).collect();
    expect![[r#"
        Edge { label: Cube { positive: 0, negative: 3 }, marks: 3, to: Location(1) }
        Edge { label: Cube { positive: 3, negative: 0 }, marks: 2, to: Location(0) }
        Edge { label: Cube { positive: 0, negative: 0 }, marks: 1, to: Location(0) }
    "#]]
    .assert_eq(&format!("{}\n", shown.join("\n")));
}

#[test]
fn messages() {
    check_error(
        "",
        &expect![[r#"
        error[F010]: a file starts with `HOA: v1`
         --> in.hoa:1:1
          |
        1 |
          | ^ here
    "#]],
    );
    check_error(
        "HOA: v2\n",
        &expect![[r#"
        error[F010]: a file starts with `HOA: v1`
         --> in.hoa:1:1
          |
        1 | HOA: v2
          | ^^^^ here
    "#]],
    );
    check_error(
        "HOA: v1\nStart: 0\nAcceptance: 2 Fin(0) & Inf(1)\n--BODY--\n--END--",
        &expect![[r#"
            error[F011]: not supported: acceptance that is not generalised Büchi
             --> in.hoa:3:15
              |
            3 | Acceptance: 2 Fin(0) & Inf(1)
              |               ^^^ here
              |
              = help: convert the automaton to generalised Büchi first
        "#]],
    );
    check_error(
        "HOA: v1\nStart: 0&1\nAcceptance: 0 t\n--BODY--\n--END--",
        &expect![[r#"
            error[F011]: not supported: universal branching
             --> in.hoa:2:9
              |
            2 | Start: 0&1
              |         ^ here
              |
              = help: convert the automaton to generalised Büchi first
        "#]],
    );
    check_error(
        "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[1] 0\n--END--",
        &expect![[r#"
            error[F010]: there is no such atom
             --> in.hoa:7:2
              |
            7 | [1] 0
              |  ^ here
        "#]],
    );
    check_error(
        "HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n0\n--END--",
        &expect![[r#"
            error[F011]: not supported: implicit labels
             --> in.hoa:6:1
              |
            6 | 0
              | ^ here
              |
              = help: convert the automaton to generalised Büchi first
        "#]],
    );
    check_error(
        "HOA: v1\nStart: 99999999999\nAcceptance: 0 t\n--BODY--\n--END--",
        &expect![[r#"
        error[F009]: the automaton is too large
         --> in.hoa:2:8
          |
        2 | Start: 99999999999
          |        ^^^^^^^^^^^ from here on
    "#]],
    );
    check_error(
        "HOA: v1\nAP: 1 \"a\nAcceptance: 0 t",
        &expect![[r#"
        error[F010]: the quotation does not end
         --> in.hoa:2:7
          |
        2 | AP: 1 "a
          |       ^ starts here
    "#]],
    );
}

#[test]
fn arbitrary_text_never_panics() {
    const PIECES: &[&str] = &[
        "HOA: v1\n",
        "Start: 0\n",
        "States: 1\n",
        "AP: 1 \"a\"\n",
        "Acceptance: 1 Inf(0)\n",
        "Acceptance: 0 t\n",
        "--BODY--\n",
        "State: 0\n",
        "[0] 0 {0}\n",
        "[!0] 0\n",
        "--END--\n",
        "Alias: @a 0\n",
        "[@a] 0\n",
        "(",
        ")",
        "!",
        "&",
        "|",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "/*",
        "*/",
        "99999999999",
        "é",
        "t",
        "f",
    ];
    check(5_000, |choices| {
        let header = choices.pick(&["", "HOA: v1\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n"]);
        let _ = read(&(header.to_owned() + &pieces(choices, PIECES, 20)));
    });
    let deep = format!(
        "HOA: v1\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[{}0] 0",
        "!(".repeat(100_000)
    );
    assert!(read(&deep).is_err());
}
