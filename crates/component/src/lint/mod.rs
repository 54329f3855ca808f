//! What can be said about protocols without running them: [`check`] looks at each component by
//! itself, [`check_system`] at what they say to each other, [`check_choices`] at a component's automata.

mod choices;
mod exceptions;
mod precedence;
mod system;
mod uses;
mod variables;

pub use choices::check_choices;
pub use system::{InterfaceLink, KnownBindings, check_system};
pub use uses::{EventUse, emissions, uses};

use std::collections::BTreeMap;

use quadrille_diagnostic::{Diagnostic, Span};

use crate::automata::Throws;
use crate::codes;
use crate::syntax::File;

/// Looks at the components of a file one by one. `throws` says which exceptions methods may throw,
/// where that is known.
pub fn check(file: &File, throws: Option<&Throws>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let names =
        file.components.iter().map(|component| (&component.name.text[..], component.name.span));
    twice("component", names, &mut diagnostics);
    variables::check_types(&file.types, &mut diagnostics);
    for component in &file.components {
        precedence::check(&component.protocol, &mut diagnostics);
        exceptions::check(&component.protocol, throws, &mut diagnostics);
        variables::check(&file.types, component, &mut diagnostics);
    }
    diagnostics.sort_by_key(first_place);
    diagnostics
}

/// Whether nothing can be done with components of which this is said. That an exception is not caught is an
/// error too, but what comes of it is for their composition to show.
pub fn stops(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() && diagnostic.code.id != codes::UNHANDLED.id
}

fn first_place(diagnostic: &Diagnostic) -> Option<Span> {
    diagnostic.labels.first().map(|label| label.span)
}

/// Reports names that come twice.
fn twice<'a>(
    what: &str,
    names: impl IntoIterator<Item = (&'a str, Span)>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut known: BTreeMap<&str, Span> = BTreeMap::new();
    for (name, span) in names {
        if let Some(first) = known.get(name) {
            let message = format!("the {what} `{name}` is declared twice");
            let diagnostic =
                Diagnostic::error(&codes::TWICE, message).at(span, "").at(*first, "first here");
            diagnostics.push(diagnostic.help("rename one of them"));
        } else {
            known.insert(name, span);
        }
    }
}

/// What to do about a name that is not known: take a known one that is like it, or else this.
fn advice<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    match quadrille_diagnostic::similar(name, known).first() {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => otherwise.to_owned(),
    }
}
