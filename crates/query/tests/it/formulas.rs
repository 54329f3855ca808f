//! Formulas that say nothing: atoms that never match, parts that could be anything.

use std::path::Path;

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_query::{Config, FormulaText, Memory, Question, Selection, Syntax, Unwatched, load};

use crate::protocol::rendered;

/// What is to be said of a formula about a protocol in which `a` asks and `b` answers for ever.
#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(formula: &str, expected: Expect) {
    let text = "(s/defsession ::p [] (s/ω (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a))))";
    let (files, mut sources) = (Memory::new([("p.dcj", text)]), Sources::default());
    let selection = Selection::default();
    let (subject, _) = load(&files, &mut sources, Path::new("p.dcj"), &selection);
    let mut subject = subject.expect("a protocol");
    let source = sources.add("formula", formula);
    let span = Span::new(source, 0..formula.len());
    let syntax = Syntax::Owl(Default::default());
    let read = subject.formula(&sources, &FormulaText { span, syntax });
    let (property, mut diagnostics) = read.expect("a formula");
    let question = Question::Lint { properties: vec![property] };
    for answer in subject.ask(&[question], &Config::default(), &mut Unwatched) {
        let answer = answer.expect("it can be asked");
        let found = answer.findings().iter().map(|finding| finding.diagnostic.clone());
        let of_formula =
            |found: &Diagnostic| found.labels.iter().any(|label| label.span.source == source);
        diagnostics.extend(found.filter(of_formula));
    }
    expected.assert_eq(&rendered(&sources, &diagnostics));
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
              = help: consider the stronger formula without that part
            warning[L019]: the formula would also hold with anything in place of `b SEND Say`
             --> formula:1:1
              |
            1 | G F ("a SEND Ask" || "b SEND Say")
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ says nothing about that part
              |
              = help: consider the stronger formula without that part
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
