//! Formulas of the Owl dialect about a protocol.

use quadrille_check::ignored_words;
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_logic::{Kind, parse_owl};
use quadrille_protocol::owl::{OwlAtom, Types};

use super::{Actions, Claim, Subject};
use crate::protocols::Protocol;

/// Reads the formula of a file; warnings come along.
pub(super) fn claim<'m>(
    protocol: &'m Protocol,
    sources: &Sources,
    source: SourceId,
    types: &Types,
) -> Result<(Claim<'m>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let whole = Span::new(source, 0..sources.text(source).len());
    let parsed = parse_owl(sources, whole);
    let mut warnings = parsed.diagnostics;
    let Some(formula) = parsed.formula else { return Err(warnings) };
    let (mut subjects, mut bad) = (Vec::new(), Vec::new());
    for (id, text) in parsed.atoms.iter() {
        let span = parsed.atoms.span(id).unwrap_or(whole);
        match OwlAtom::parse(text, span, types) {
            Err(diagnostic) => bad.push(*diagnostic),
            Ok(atom) => {
                warnings.extend(ignored_words(&atom, span));
                let terms = protocol.session.terms();
                let matches = Box::new(move |action: &_| atom.matches(terms, action));
                subjects.push(Subject::Actions(Actions { text: text.clone(), span, matches }));
            }
        }
    }
    if !bad.is_empty() {
        return Err(bad);
    }
    Ok((Claim { formula, kind: Kind::Linear, subjects }, warnings))
}
