//! Quantifiers that a syntax of atoms brings: written out, as far to the right as they can reach.

use expect_test::{Expect, expect};
use quadrille_diagnostic::{Diagnostic, Sources, Span, Style, render};
use quadrille_logic::{AtomSyntax, Cursor, Quantifier, Symbol, TokenKind, codes, parse};

/// Atoms are words; those of one letter stand for a number that `all x 3:` or `some x 3:` counts.
#[derive(Default)]
struct Counted {
    bound: Vec<(String, usize)>,
}

impl AtomSyntax for Counted {
    type Atom = String;

    fn expected(&self) -> &'static str {
        "a word"
    }

    fn quantifier(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<Quantifier, Diagnostic>> {
        let every = match cursor.word()? {
            "all" => true,
            "some" => false,
            _ => return None,
        };
        cursor.bump();
        let name = cursor.bump();
        let name = cursor.text(name).to_owned();
        let number = cursor.bump();
        let Ok(n_values) = cursor.text(number).parse() else {
            let diagnostic = Diagnostic::error(&codes::SYNTAX, "expected a number");
            return Some(Err(diagnostic.at(number.span, "not this")));
        };
        cursor.eat(Symbol::Colon);
        self.bound.push((name, 0));
        Some(Ok(Quantifier { every, n_values }))
    }

    fn bind(&mut self, position: usize) {
        if let Some((_, value)) = self.bound.last_mut() {
            *value = position;
        }
    }

    fn unbind(&mut self) {
        self.bound.pop();
    }

    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<String, Diagnostic>> {
        let token = cursor.peek();
        (token.kind == TokenKind::Word).then(|| {
            cursor.bump();
            let word = cursor.text(token);
            let bound = self.bound.iter().rev().find(|(name, _)| name == word);
            match bound {
                Some((_, value)) => Ok(format!("{word}{value}")),
                None if word.len() > 1 => Ok(word.to_owned()),
                None => Err(Diagnostic::error(&codes::SYNTAX, "a letter without a number")
                    .at(token.span, "not counted")),
            }
        })
    }
}

fn check(text: &str, expected: &Expect) {
    let mut sources = Sources::default();
    let id = sources.add("formula", text);
    let parsed = parse(&sources, Span::new(id, 0..text.len()), &mut Counted::default());
    let mut shown: String =
        parsed.diagnostics.iter().map(|found| render(found, &sources, Style::Plain)).collect();
    if let Some(formula) = &parsed.formula {
        shown += &formula.show(&parsed.atoms).to_string();
    }
    expected.assert_eq(&shown);
}

#[test]
fn bodies_are_written_out() {
    check(
        "all i 2: i -> some j 2: F (i & j)",
        &expect!["(i0 -> F (i0 & j0) | F (i0 & j1)) & (i1 -> F (i1 & j0) | F (i1 & j1))"],
    );
    check("(some i 2: i) & done", &expect!["(i0 | i1) & done"]);
    check("G some i 2: i & done", &expect!["G (i0 & done | i1 & done)"]);
    check("all i 0: i", &expect!["true"]);
    check("some i 0: b", &expect!["false"]);
    check("A[(some i 2: i) U (all i 2: i)]", &expect!["A[i0 | i1 U i0 & i1]"]);
}

#[test]
fn mistakes_are_reported_once() {
    check(
        "all i 3: i & b",
        &expect![[r#"
        error[F001]: a letter without a number
         --> formula:1:14
          |
        1 | all i 3: i & b
          |              ^ not counted
    "#]],
    );
    check(
        "(all i x: i) & done &",
        &expect![[r#"
        error[F001]: expected a number
         --> formula:1:8
          |
        1 | (all i x: i) & done &
          |        ^ not this
        error[F001]: expected a word
         --> formula:1:22
          |
        1 | (all i x: i) & done &
          |                      ^ the formula ends here
    "#]],
    );
    check(
        "all i 200: all j 200: i & j",
        &expect![[r#"
        error[F004]: quantifiers write out more than 20000 formulas
         --> formula:1:23
          |
        1 | all i 200: all j 200: i & j
          |                       ^ written out for each value
          |
          = help: use a wildcard, or quantify over fewer values
    "#]],
    );
}
