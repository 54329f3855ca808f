//! Formulas that say nothing: atoms that never match, parts that could be anything.

use expect_test::{Expect, expect};
use quadrille_diagnostic::Span;
use quadrille_engine::{Graph, Interpretation, Limits, LtlOptions, Meaning, unobserved};
use quadrille_logic::parse_owl;
use quadrille_protocol::owl::{OwlAtom, Types};
use quadrille_query::protocol::{
    AtomUse, Explored, idle_atoms, ignored_words, vacuous, vacuous_part,
};

use crate::protocol::{protocol, rendered};

/// What is to be said of a formula about a protocol in which `a` asks and `b` answers for ever.
#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(formula: &str, expected: Expect) {
    let mut session = protocol("(s/ω (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))");
    let source = session.sources.add("formula", formula);
    let whole = Span::new(source, 0..formula.len());
    let parsed = parse_owl(&session.sources, whole);
    let formula = parsed.formula.expect("a formula");
    let explored =
        Explored::new(&session.model, Limits::default(), &mut unobserved).expect("small");
    let terms = session.model.terms();
    let mut diagnostics = Vec::new();
    let (mut uses, mut meanings) = (Vec::new(), Vec::new());
    for (id, text) in parsed.atoms.iter() {
        let span = parsed.atoms.span(id).expect("a place");
        let atom = OwlAtom::parse(text, span, &Types::new()).expect("an atom");
        diagnostics.extend(ignored_words(&atom, span));
        let other = atom.clone();
        uses.push(AtomUse {
            text,
            span,
            matches: Box::new(move |action| atom.matches(terms, action)),
        });
        meanings.push(Meaning::Action(Box::new(move |action| other.matches(terms, action))));
    }
    diagnostics.extend(idle_atoms(&explored, &uses));
    let interpretation = Interpretation::new(meanings);
    let options = LtlOptions::default();
    let mut graph = Graph::new(&session.model);
    let parts = vacuous(&mut graph, &formula, &interpretation, &options, &mut unobserved);
    for part in parts.expect("a checkable formula") {
        diagnostics.push(vacuous_part(&part.show(&parsed.atoms).to_string(), whole));
    }
    expected.assert_eq(&rendered(&session.sources, &diagnostics));
}

#[test]
fn a_formula_that_says_something() {
    check(r#"G ("a SEND Ask" -> X "b RECV Ask")"#, expect![""]);
}

#[test]
fn an_implication_that_is_never_put_to_the_test() {
    check(
        r#"G ("aa SEND Ask" -> F "b SEND Say")"#,
        expect![[r#"
            warning[L018]: no action of the protocol matches `aa SEND Ask`
             --> formula:1:4
              |
            1 | G ("aa SEND Ask" -> F "b SEND Say")
              |    ^^^^^^^^^^^^^ never true
              |
              = help: there is a role `a`
            warning[L019]: the formula would also hold with anything in place of `aa SEND Ask`
             --> formula:1:1
              |
            1 | G ("aa SEND Ask" -> F "b SEND Say")
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ says nothing about that part
              |
              = help: see whether the stronger formula without it is what was meant
            warning[L019]: the formula would also hold with anything in place of `F b SEND Say`
             --> formula:1:1
              |
            1 | G ("aa SEND Ask" -> F "b SEND Say")
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ says nothing about that part
              |
              = help: see whether the stronger formula without it is what was meant
        "#]],
    );
}

#[test]
fn one_side_of_a_disjunction_is_enough() {
    check(
        r#"G F ("a SEND Ask" || "b SEND Say")"#,
        expect![[r#"
            warning[L019]: the formula would also hold with anything in place of `a SEND Ask`
             --> formula:1:1
              |
            1 | G F ("a SEND Ask" || "b SEND Say")
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ says nothing about that part
              |
              = help: see whether the stronger formula without it is what was meant
            warning[L019]: the formula would also hold with anything in place of `b SEND Say`
             --> formula:1:1
              |
            1 | G F ("a SEND Ask" || "b SEND Say")
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ says nothing about that part
              |
              = help: see whether the stronger formula without it is what was meant
        "#]],
    );
}

#[test]
fn words_that_mean_nothing() {
    check(
        r#"G F "a RECV Say FROM b""#,
        expect![[r#"
        warning[L023]: `FROM b` is ignored after the type of a `RECV`
         --> formula:1:5
          |
        1 | G F "a RECV Say FROM b"
          |     ^^^^^^^^^^^^^^^^^^^ means the same without it
    "#]],
    );
}
