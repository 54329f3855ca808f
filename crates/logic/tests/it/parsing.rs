//! Formulas from text and back: precedence, spellings, messages, both dialects.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Sources, Span, Style, render};
use quadrille_logic::{Atoms, Formula, Parsed, PlainAtom, PlainAtoms, parse, parse_owl};
use quadrille_workshop::formulas::{Past, linear};
use quadrille_workshop::texts::pieces;
use quadrille_workshop::{conformance, shared};

fn with_source<A>(text: &str, read: impl Fn(&Sources, Span) -> Parsed<A>) -> (Parsed<A>, String) {
    let mut sources = Sources::default();
    let id = sources.add("formula", text);
    let parsed = read(&sources, Span::new(id, 0..text.len()));
    let messages = parsed.diagnostics.iter().map(|d| render(d, &sources, Style::Plain)).collect();
    (parsed, messages)
}

pub fn plain(text: &str) -> (Parsed<PlainAtom>, String) {
    with_source(text, |sources, span| parse(sources, span, &mut PlainAtoms))
}

/// The text with every operator in parentheses, or the messages.
fn check(text: &str, expected: &Expect) {
    let (parsed, messages) = plain(text);
    let mut shown = messages;
    if let Some(formula) = &parsed.formula {
        writeln!(shown, "{}", explicit(formula, &parsed.atoms)).unwrap();
    }
    expected.assert_eq(&shown);
}

/// A formula with all the parentheses that precedence spares.
fn explicit<A: std::fmt::Display>(formula: &Formula, atoms: &Atoms<A>) -> String {
    let inner = |operand: &Formula| match operand {
        Formula::True | Formula::False | Formula::Atom(_) => explicit(operand, atoms),
        _ => format!("({})", explicit(operand, atoms)),
    };
    match formula {
        Formula::And(all) => all.iter().map(inner).collect::<Vec<_>>().join(" & "),
        Formula::Or(all) => all.iter().map(inner).collect::<Vec<_>>().join(" | "),
        Formula::Not(a) => format!("!{}", inner(a)),
        Formula::Implies(a, b) => format!("{} -> {}", inner(a), inner(b)),
        Formula::Iff(a, b) => format!("{} <-> {}", inner(a), inner(b)),
        Formula::Unary(path, operator, a) => format!("{path:?} {operator:?} {}", inner(a)),
        Formula::Binary(path, operator, a, b) => {
            format!("{} {path:?} {operator:?} {}", inner(a), inner(b))
        }
        _ => formula.show(atoms).to_string(),
    }
}

#[test]
fn precedence() {
    check(
        "a <-> b -> c | d & e U !f",
        &expect![[r#"
            a <-> (b -> (c | (d & (e This Until (!f)))))
        "#]],
    );
    check(
        "a -> b -> c",
        &expect![[r#"
        a -> (b -> c)
    "#]],
    );
    check(
        "a U b W c",
        &expect![[r#"
        a This Until (b This WeakUntil c)
    "#]],
    );
    check(
        "G a & b U c | X d",
        &expect![[r#"
        ((This Always a) & (b This Until c)) | (This Next d)
    "#]],
    );
    check(
        "a & b & c | d | e",
        &expect![[r#"
        (a & b & c) | d | e
    "#]],
    );
    check(
        "a & (b & c)",
        &expect![[r#"
        a & b & c
    "#]],
    );
    check(
        "a since b and once c",
        &expect![[r#"
        (a This Since b) & (This Once c)
    "#]],
    );
}

#[test]
fn words_and_symbols_are_the_same() {
    let same = [
        ("always a", "G a"),
        ("[] a", "G a"),
        ("eventually a", "F a"),
        ("<>a", "F a"),
        ("next a", "X a"),
        ("a until b", "a U b"),
        ("a weak until b", "a W b"),
        ("a release b", "a R b"),
        ("a strong release b", "a M b"),
        ("previously a", "Y a"),
        ("once a", "O a"),
        ("historically a", "H a"),
        ("a since b", "a S b"),
        ("not a and b or c", "!a & b | c"),
        ("a implies b iff c", "a => b <=> c"),
        ("a && b || ~c", "a & b | !c"),
        ("a AU b", "A[a U b]"),
        ("a ES b", "E[a S b]"),
    ];
    for (words, symbols) in same {
        let (a, b) = (plain(words).0.formula, plain(symbols).0.formula);
        assert!(a.is_some() && a == b, "{words} is {a:?}, {symbols} is {b:?}");
    }
}

#[test]
fn branching_time() {
    check(
        "AG (request -> AF grant)",
        &expect![[r#"
        All Always (request -> (All Eventually grant))
    "#]],
    );
    check(
        "A[a & b U c | E[d W e]]",
        &expect![[r#"
        (a & b) All Until (c | (d Some WeakUntil e))
    "#]],
    );
    check(
        "AG (close -> EP send) & !EX EH a",
        &expect![[r#"
        (All Always (close -> (Some Once send))) & (!(Some Next (Some Historically a)))
    "#]],
    );
}

#[test]
fn atoms() {
    check(
        r#"G F "send \"x\"" & worker[1].busy | `next` | G.x & A[0]"#,
        &expect![[r#"
        ((This Always (This Eventually "send \"x\"")) & worker[1].busy) | `next` | (G.x & A[0])
    "#]],
    );
}

#[test]
fn every_error_is_reported() {
    check(
        "always (a implies ) and (b until § c) or d e",
        &expect![[r#"
        error[F001]: expected a proposition, an action in double quotes, `(` or `not`
         --> formula:1:19
          |
        1 | always (a implies ) and (b until § c) or d e
          |                   ^ no operand starts with this
        error[F003]: no formula contains this
         --> formula:1:34
          |
        1 | always (a implies ) and (b until § c) or d e
          |                                  ^ unknown character
          |
          = help: labels of actions stand in double quotes
        error[F001]: expected an operator or the end
         --> formula:1:44
          |
        1 | always (a implies ) and (b until § c) or d e
          |                                            ^ an operand already stands before this
          |
          = help: join the two with `and`, `or`, `implies`, `until` …
    "#]],
    );
    check(
        "(a & (b | c)",
        &expect![[r#"
        error[F002]: `)` is missing
         --> formula:1:1
          |
        1 | (a & (b | c)
          | ^ opened here
          |
          = help: add `)`
    "#]],
    );
    check(
        "a) & b) c",
        &expect![[r#"
        error[F002]: nothing is open that this could close
         --> formula:1:2
          |
        1 | a) & b) c
          |  ^ no partner
          |
          = help: delete it, or open its partner before
        error[F002]: nothing is open that this could close
         --> formula:1:7
          |
        1 | a) & b) c
          |       ^ no partner
          |
          = help: delete it, or open its partner before
        error[F001]: expected an operator or the end
         --> formula:1:9
          |
        1 | a) & b) c
          |         ^ an operand already stands before this
          |
          = help: join the two with `and`, `or`, `implies`, `until` …
    "#]],
    );
    check(
        "\"a & b",
        &expect![[r#"
        error[F002]: the quotation does not end
         --> formula:1:1
          |
        1 | "a & b
          | ^ it starts here
          |
          = help: close it with " on the same line
    "#]],
    );
    check(
        "",
        &expect![[r#"
        error[F001]: expected a proposition, an action in double quotes, `(` or `not`
         --> formula:1:1
          |
        1 |
          | ^ the formula ends here
    "#]],
    );
    check(
        "G",
        &expect![[r#"
        error[F001]: expected a proposition, an action in double quotes, `(` or `not`
         --> formula:1:2
          |
        1 | G
          |  ^ the formula ends here
    "#]],
    );
    check(
        "A[a & b]",
        &expect![[r#"
        error[F001]: expected `U`, `W`, `R`, `M` or `S`
         --> formula:1:8
          |
        1 | A[a & b]
          |        ^ between the two operands of a bracket
          |
          = help: a bracket holds two operands, as in `A[p U q]`
    "#]],
    );
    check(
        "A a",
        &expect![[r#"
        error[F001]: expected `[` behind the path quantifier
         --> formula:1:1
          |
        1 | A a
          | ^ quantifies over runs
          |
          = help: write `A[p U q]`, `E[p U q]`, or one of `AG`, `AF`, `AX`, `EG` …
    "#]],
    );
    check(
        "a & until",
        &expect![[r#"
        error[F001]: expected a proposition, an action in double quotes, `(` or `not`
         --> formula:1:5
          |
        1 | a & until
          |     ^^^^^ no operand starts with this
          |
          = help: a proposition of this name is written `until` in back quotes
        error[F001]: expected a proposition, an action in double quotes, `(` or `not`
         --> formula:1:10
          |
        1 | a & until
          |          ^ the formula ends here
    "#]],
    );
}

#[test]
fn kinds_are_checked() {
    check(
        "AG (a -> F b)",
        &expect![[r#"
        error[F005]: linear and branching time are mixed in one formula
         --> formula:1:1
          |
        1 | AG (a -> F b)
          | ^^^^^^^^^^^^^ has operators of both
          |
          = note: this would be a formula of CTL*, which is not supported
          = help: put `A` or `E` before every temporal operator or before none
    "#]],
    );
    check(
        "G (a -> O (b & F c))",
        &expect![[r#"
        error[F006]: an operator that looks back covers one that looks forward
         --> formula:1:9
          |
        1 | G (a -> O (b & F c))
          |         ^^^^^^^^^^^ the outer operator looks back
          |
          = help: move the part that looks forward out of it, or check two formulas
    "#]],
    );
    check(
        "always a implies eventually b",
        &expect![[r#"
        warning[F007]: this word covers only what stands before the implication
         --> formula:1:1
          |
        1 | always a implies eventually b
          | ^^^^^^ binds more tightly than the implication
          |
          = help: put parentheses around what it is to cover
        (This Always a) -> (This Eventually b)
    "#]],
    );
    check(
        "always (a) implies eventually b",
        &expect![[r#"
        (This Always a) -> (This Eventually b)
    "#]],
    );
}

#[test]
fn size_is_limited() {
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    let long = vec!["a"; 300_000].join(" & ");
    for text in [deep, "!".repeat(100_000), "a U ".repeat(90_000), long, ")".repeat(60_000)] {
        let (parsed, _) = plain(&text);
        assert!(parsed.formula.is_none() && parsed.diagnostics.len() <= 21);
    }
    let wide = vec!["a"; 40_000].join(" & ");
    assert!(plain(&wide).0.formula.is_some());
}

#[test]
fn printing_and_parsing_are_inverse() {
    quadrille_workshop::check(2_000, |choices| {
        let size = 1 + choices.below(20);
        let formula = linear(choices, size, 4, Past::Some);
        let mut atoms = Atoms::default();
        for name in ["a", "worker[0].busy", "G", "x.y"] {
            atoms.intern(PlainAtom::Proposition(name.to_owned()), None);
        }
        let text = formula.show(&atoms).to_string();
        let (parsed, messages) = plain(&text);
        let read = parsed.formula.unwrap_or_else(|| panic!("{text}\n{messages}"));
        // Atoms are numbered as they occur, so the texts are compared.
        assert_eq!(read.show(&parsed.atoms).to_string(), text);
        assert_eq!(read.size(), formula.size(), "{text}");
    });
}

#[test]
fn arbitrary_text_never_panics() {
    const PIECES: &[&str] = &[
        "(", ")", "[", "]", "\"", "`", "\\", "a", "G", "U", "A", "E[", "AG", "weak", "until",
        "not", "always", "§", "é", "\n", "//", "->", "<", "<->", "!", "&", "|", ".", "1", " ", " ",
        " ", "true", "S", "H", "[]", "<>", "x.y", "\u{0}",
    ];
    quadrille_workshop::check(5_000, |choices| {
        let text = pieces(choices, PIECES, 30);
        let (parsed, messages) = plain(&text);
        assert_eq!(parsed.formula.is_none(), messages.contains("error["), "{text}");
        let (parsed, messages) = with_source(&text, parse_owl);
        assert_eq!(parsed.formula.is_none(), messages.contains("error["), "{text}");
    });
}

fn check_owl(text: &str, expected: &Expect) {
    let (parsed, messages) = with_source(text, parse_owl);
    let shown = parsed.formula.map(|formula| explicit(&formula, &parsed.atoms));
    expected.assert_eq(&format!("{messages}{}\n", shown.unwrap_or_default()));
}

#[test]
fn owl_has_its_own_precedence() {
    check_owl(
        r#"!"a" U "b" => "c" && "d" || X "e""#,
        &expect![[r#"
        (((!a) This Until (b -> c)) & d) | (This Next e)
    "#]],
    );
    check_owl(
        r#""a" => "b" U "c""#,
        &expect![[r#"
        a -> (b This Until c)
    "#]],
    );
    check_owl(
        r#""a" <-> "b" -> "c" R "d" & "e""#,
        &expect![[r#"
        (a <-> (b -> (c This Release d))) & e
    "#]],
    );
    check_owl(
        r#"G(a => always "b")"#,
        &expect![[r#"
        error[F001]: expected an atom in double quotes, `(`, `!`, `X`, `F` or `G`
         --> formula:1:3
          |
        1 | G(a => always "b")
          |   ^ no operand starts with this
        error[F001]: expected an atom in double quotes, `(`, `!`, `X`, `F` or `G`
         --> formula:1:8
          |
        1 | G(a => always "b")
          |        ^^^^^^ no operand starts with this

    "#]],
    );
}

#[conformance]
fn every_owl_formula_of_the_conformance_data_parses() {
    let mut files = Vec::new();
    owl_files(&shared::path("protocols/formulas"), &mut files);
    for file in &files {
        let text = shared::text(file);
        let (parsed, messages) = with_source(&text, parse_owl);
        assert!(parsed.formula.is_some(), "{}:\n{messages}", file.display());
        let negated = !parsed.formula.unwrap();
        quadrille_logic::translate(&negated).expect("a small automaton");
    }
    assert_eq!(files.len(), 34);
}

fn owl_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of formulas") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            owl_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "owl") {
            found.push(path);
        }
    }
}
