//! The precedence trap: `X ; NULL + Y` reads as `(X ; NULL) + Y`.

use quadrille_diagnostic::Diagnostic;

use crate::codes;
use crate::syntax::{Kind, Protocol};

pub(super) fn check(protocol: &Protocol, diagnostics: &mut Vec<Diagnostic>) {
    protocol.walk(&mut |inner| {
        let Kind::Alternative(ways) = &inner.kind else { return };
        let Some(way) = ways.iter().enumerate().find(|(position, way)| {
            let next = ways.get(position + 1);
            is_trap(way, *position > 0, next)
        }) else {
            return;
        };
        let text = "`;` binds tighter than `+`: all of this is one alternative";
        let message = "an alternative behind `;` without parentheses";
        let diagnostic = Diagnostic::warning(&codes::PRECEDENCE, message).at(way.1.span, text);
        diagnostics.push(
            diagnostic.help("write `X ; (NULL + Y)`, or `(X ; NULL) + Y` if that is intended"),
        );
    });
}

/// Whether one way of an alternative is a sequence without parentheses that ends where a choice was
/// probably intended, or begins there.
fn is_trap(way: &Protocol, follows: bool, next: Option<&Protocol>) -> bool {
    let Kind::Sequence(parts) = &way.kind else { return false };
    let has_parentheses = way.span.start < parts[0].span.start;
    if has_parentheses {
        return false;
    }
    let ends_in_nothing = matches!(parts[parts.len() - 1].kind, Kind::Null);
    let before_throw = next.is_some_and(|next| matches!(next.kind, Kind::Throw(_)));
    let starts_oddly = matches!(parts[0].kind, Kind::Null | Kind::Throw(_));
    next.is_some() && ends_in_nothing || before_throw || follows && starts_oddly
}
