//! Formulas in our own syntax about what the roles of a protocol do.

use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_logic::{Formula, Kind, parse};
use quadrille_protocol::atoms::ActionAtoms;
use quadrille_protocol::quad::{Atom, Property};

use super::{Actions, Claim, Subject};
use crate::codes;
use crate::protocols::Protocol;

/// What the formula of a span claims. A language that declares its names has read it already, when
/// the protocol was started.
pub(super) fn claims<'m>(
    protocol: &'m Protocol,
    span: Span,
    sources: &Sources,
) -> Result<Vec<Claim<'m>>, Vec<Diagnostic>> {
    if let Some(property) = protocol.asked.iter().find(|property| property.formula == span) {
        return of_property(protocol, property);
    }
    let parsed = parse(sources, span, &mut ActionAtoms);
    let Some(formula) = parsed.formula else { return Err(parsed.diagnostics) };
    let atoms = parsed.atoms.iter().map(|(id, atom)| {
        let place = parsed.atoms.span(id).unwrap_or(span);
        (atom.clone(), place)
    });
    claim(protocol, formula, atoms, span).map(|claim| vec![claim])
}

/// What a property of a protocol claims.
pub(super) fn of_property<'m>(
    protocol: &'m Protocol,
    property: &'m Property,
) -> Result<Vec<Claim<'m>>, Vec<Diagnostic>> {
    let of_part = |part: &quadrille_protocol::quad::Claim| {
        let atoms = part.atoms.iter().map(|atom| (atom.clone(), property.formula));
        claim(protocol, part.formula.clone(), atoms, property.formula)
    };
    property.claims.iter().map(of_part).collect()
}

fn claim<'m>(
    protocol: &'m Protocol,
    formula: Formula,
    atoms: impl Iterator<Item = (Atom, Span)>,
    span: Span,
) -> Result<Claim<'m>, Vec<Diagnostic>> {
    let terms = protocol.session.terms();
    let mut subjects = Vec::new();
    for (atom, place) in atoms {
        subjects.push(match atom {
            Atom::Action(pattern) => Subject::Actions(Actions {
                text: pattern.to_string(),
                span: place,
                matches: Box::new(move |action| pattern.matches(terms, action)),
            }),
            Atom::Label(label) => Subject::Actions(Actions {
                text: label.clone(),
                span: place,
                matches: Box::new(move |action| action.label == label),
            }),
            Atom::Proposition(proposition) => Subject::Proposition(proposition),
        });
    }
    let speaks_of_states =
        subjects.iter().any(|subject| matches!(subject, Subject::Proposition(_)));
    if speaks_of_states && protocol.model().propositions().is_empty() {
        let message = "this form of the protocol has no variables";
        return Err(vec![
            Diagnostic::error(&codes::NO_VARIABLES, message)
                .at(span, "speaks about variables")
                .help("leave --variant out, or write a formula about the messages"),
        ]);
    }
    let kind = formula.kind().unwrap_or(Kind::Linear);
    Ok(Claim { formula, kind, subjects })
}
