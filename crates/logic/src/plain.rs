//! The plain syntax of atoms: an action's label in double quotes, a proposition's name bare.
//! Used where a model has nothing but labels and names (`.aut`, `.net`).

use std::fmt;

use quadrille_diagnostic::{Diagnostic, Sources, Span};

use crate::grammar::is_reserved;
use crate::lexer::{Cursor, Symbol, TokenKind, quote, unquote};
use crate::parser::AtomSyntax;

/// An atom of the plain syntax.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlainAtom {
    /// The step performs the action with this label.
    Action(String),
    /// The state the step starts from satisfies this proposition.
    Proposition(String),
}

/// Parses [`PlainAtom`]s: `"label"`, `name`, `part.name`, `worker[1].busy`, `` `any name` ``.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainAtoms;

impl AtomSyntax for PlainAtoms {
    type Atom = PlainAtom;

    fn expected(&self) -> &'static str {
        "a proposition, an action in double quotes, `(` or `not`"
    }

    fn claims(&self, cursor: &Cursor<'_>) -> bool {
        let part =
            |ahead| matches!(cursor.peek_nth(ahead).kind, TokenKind::Word | TokenKind::Number);
        let closes = cursor.peek_nth(3).kind == TokenKind::Symbol(Symbol::CloseBracket);
        cursor.word().is_some()
            && part(2)
            && (cursor.is_joined(1, Symbol::Dot)
                || (cursor.is_joined(1, Symbol::OpenBracket) && closes))
    }

    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<PlainAtom, Diagnostic>> {
        let token = cursor.peek();
        let text = cursor.text(token);
        match token.kind {
            TokenKind::Text => {
                cursor.bump();
                Some(Ok(PlainAtom::Action(unquote(text))))
            }
            TokenKind::Quoted => {
                cursor.bump();
                Some(Ok(PlainAtom::Proposition(unquote(text))))
            }
            TokenKind::Word if self.claims(cursor) || !is_reserved(text) => {
                Some(Ok(PlainAtom::Proposition(name(cursor))))
            }
            _ => None,
        }
    }
}

/// Takes a name with its parts: `a`, `a.b`, `a[0].c`.
fn name(cursor: &mut Cursor<'_>) -> String {
    let first = cursor.bump();
    let mut name = cursor.text(first).to_owned();
    loop {
        let part = cursor.peek_nth(1);
        if !matches!(part.kind, TokenKind::Word | TokenKind::Number) {
            return name;
        }
        let previous_end = cursor.previous().span.end;
        let joined = cursor.peek().span.start == previous_end;
        let closes = cursor.peek_nth(2).kind == TokenKind::Symbol(Symbol::CloseBracket);
        match cursor.peek().kind {
            TokenKind::Symbol(Symbol::Dot) if joined => {
                name.push('.');
                name.push_str(cursor.text(part));
                cursor.bump();
            }
            TokenKind::Symbol(Symbol::OpenBracket) if joined && closes => {
                name.push('[');
                name.push_str(cursor.text(part));
                name.push(']');
                cursor.bump();
                cursor.bump();
            }
            _ => return name,
        }
        cursor.bump();
    }
}

/// Whether a proposition of this name can be written without back quotes.
fn is_bare(proposition: &str) -> bool {
    let mut sources = Sources::default();
    let id = sources.add("", proposition);
    let mut diagnostics = Vec::new();
    let span = Span::new(id, 0..proposition.len());
    let mut cursor = Cursor::new(&sources, span, &mut diagnostics);
    let read = PlainAtoms.atom(&mut cursor);
    let same = matches!(read, Some(Ok(PlainAtom::Proposition(name))) if name == proposition);
    same && cursor.peek().kind == TokenKind::End && diagnostics.is_empty()
}

impl fmt::Display for PlainAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlainAtom::Action(label) => f.write_str(&quote(label, '"')),
            PlainAtom::Proposition(name) if is_bare(name) => f.write_str(name),
            PlainAtom::Proposition(name) => f.write_str(&quote(name, '`')),
        }
    }
}
