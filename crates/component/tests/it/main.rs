//! Tests of behavior protocols from the outside.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // reads the examples, says what it saw

mod architecture;
mod conformance;
mod consent;
mod examples;
mod fuzz;
mod items;
mod language;
mod lint;
mod mutants;
mod oracle;
mod reduction;
mod syntax;
mod table;
mod trees;
mod world;

use quadrille_component::syntax::{File, parse};
use quadrille_diagnostic::{Diagnostic, Sources, Style, render};

/// What a user sees of diagnostics.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}

/// The tree of a text that must be free of errors.
fn read(text: &str) -> File {
    let mut sources = Sources::default();
    let id = sources.add("in.bp", text);
    let (file, diagnostics) = parse(id, text);
    let n_errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    assert_eq!(n_errors, 0, "{}", rendered(&sources, &diagnostics));
    file
}
