//! Atoms about the events of components: `Desk.ask^`, `Desk.ask↓`, `lamp.set(ON)^`, without quotes; all
//! else as in the plain syntax.

use quadrille_diagnostic::Diagnostic;
use quadrille_logic::{AtomSyntax, Cursor, PlainAtom, PlainAtoms, Symbol, Token, TokenKind};

/// Parses [`PlainAtom`]s; an action may be the name of an event.
pub(crate) struct EventAtoms;

impl EventAtoms {
    /// How many tokens from the cursor on are an event, and the event.
    fn event(cursor: &Cursor<'_>) -> Option<(usize, String)> {
        let joined = |ahead: usize| -> Option<Token> {
            let (before, token) = (cursor.peek_nth(ahead - 1), cursor.peek_nth(ahead));
            (before.span.end == token.span.start).then_some(token)
        };
        let mut event = cursor.word()?.to_owned();
        let mut ahead = 1;
        loop {
            let token = joined(ahead)?;
            match token.kind {
                TokenKind::Symbol(Symbol::Request) => return Some((ahead + 1, event + "^")),
                TokenKind::Symbol(Symbol::Response) => return Some((ahead + 1, event + "$")),
                TokenKind::Symbol(Symbol::Dot) => {
                    joined(ahead + 1)?;
                    event = format!("{event}.{}", cursor.nth_word(ahead + 1)?);
                    ahead += 2;
                }
                TokenKind::Symbol(Symbol::Open) => {
                    let (n_tokens, values) = Self::values(cursor, ahead)?;
                    event += &values;
                    ahead += n_tokens;
                }
                _ => return None,
            }
        }
    }

    /// The values of a request in parentheses: how many tokens they are, and how traces show them.
    fn values(cursor: &Cursor<'_>, open: usize) -> Option<(usize, String)> {
        let mut values = Vec::new();
        let mut ahead = open;
        loop {
            values.push(cursor.nth_word(ahead + 1)?);
            ahead += 2;
            match cursor.peek_nth(ahead).kind {
                TokenKind::Symbol(Symbol::Comma) => {}
                TokenKind::Symbol(Symbol::Close) => {
                    return Some((ahead + 1 - open, format!("({})", values.join(", "))));
                }
                _ => return None,
            }
        }
    }
}

impl AtomSyntax for EventAtoms {
    type Atom = PlainAtom;

    fn expected(&self) -> &'static str {
        "an event such as `Desk.ask^`, a proposition, an action in double quotes, `(` or `not`"
    }

    fn claims(&self, cursor: &Cursor<'_>) -> bool {
        Self::event(cursor).is_some() || PlainAtoms.claims(cursor)
    }

    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<PlainAtom, Diagnostic>> {
        let Some((n_tokens, event)) = Self::event(cursor) else { return PlainAtoms.atom(cursor) };
        for _ in 0..n_tokens {
            cursor.bump();
        }
        Some(Ok(PlainAtom::Action(event)))
    }
}
