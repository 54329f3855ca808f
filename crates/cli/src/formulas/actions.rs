//! Formulas in our own syntax about what the roles of a protocol do.

use quadrille_check::Claim;
use quadrille_check::names::NO_VARIABLES;
use quadrille_diagnostic::{Diagnostic, Sources, Span};
use quadrille_quad::Property;

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
    let claim = Claim::of_actions(sources, span, protocol.session.terms())?;
    fitting(protocol, vec![claim], span)
}

/// What a property of a protocol claims.
pub(super) fn of_property<'m>(
    protocol: &'m Protocol,
    property: &Property,
) -> Result<Vec<Claim<'m>>, Vec<Diagnostic>> {
    let of_part = |part: &quadrille_quad::Claim| {
        let atoms = part.atoms.iter().map(|atom| (atom.clone(), property.formula));
        Claim::of_atoms(part.formula.clone(), atoms, protocol.session.terms())
    };
    fitting(protocol, property.claims.iter().map(of_part).collect(), property.formula)
}

/// Refuses formulas about variables where the form that is looked at has none.
fn fitting<'m>(
    protocol: &Protocol,
    claims: Vec<Claim<'m>>,
    span: Span,
) -> Result<Vec<Claim<'m>>, Vec<Diagnostic>> {
    let speaks_of_states = claims.iter().any(Claim::speaks_of_states);
    if speaks_of_states && protocol.model().propositions().is_empty() {
        let message = "this form of the protocol has no variables";
        return Err(vec![
            Diagnostic::error(&NO_VARIABLES, message)
                .at(span, "speaks about variables")
                .help("leave --variant out, or write a formula about the messages"),
        ]);
    }
    Ok(claims)
}
