//! The dialect of `.owl` formula files: symbols only, every atom in double quotes and kept as text,
//! implications and binary temporal operators on one level that associates to the right, `&` weaker
//! than these, `|` weakest. What an atom's text matches is for the protocol language to say.

use quadrille_diagnostic::{Diagnostic, Sources, Span};

use crate::grammar::Dialect;
use crate::lexer::{Cursor, TokenKind, unquote};
use crate::parser::{AtomSyntax, Parsed, parse_dialect};

/// Reads a formula of the Owl dialect from a span. Atoms are the texts between the quotes.
pub fn parse_owl(sources: &Sources, span: Span) -> Parsed<String> {
    parse_dialect(sources, span, &mut OwlAtoms, Dialect::Owl)
}

struct OwlAtoms;

impl AtomSyntax for OwlAtoms {
    type Atom = String;

    fn expected(&self) -> &'static str {
        "an atom in double quotes, `(`, `!`, `X`, `F` or `G`"
    }

    fn atom(&mut self, cursor: &mut Cursor<'_>) -> Option<Result<String, Diagnostic>> {
        let token = cursor.peek();
        (token.kind == TokenKind::Text).then(|| {
            cursor.bump();
            Ok(unquote(cursor.text(token)))
        })
    }
}
