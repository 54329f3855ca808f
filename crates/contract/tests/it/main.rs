//! Tests of frames from the outside.
#![allow(clippy::disallowed_methods)] // reads the examples

mod doubles;
mod monitor;
mod roles;
mod traits;

use quadrille_component::syntax::{File, parse};
use quadrille_contract::Frame;
use quadrille_diagnostic::{Diagnostic, Sources, Style, render};

/// What a user sees of diagnostics.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}

/// The tree of a behavior protocol that must be free of errors.
fn read(sources: &mut Sources, text: &str) -> File {
    let (file, diagnostics) = parse(sources.add("in.bp", text), text);
    assert!(diagnostics.iter().all(|one| !one.is_error()), "{}", rendered(sources, &diagnostics));
    file
}

/// The frame of the first component of a text.
fn frame(sources: &mut Sources, text: &str) -> Frame {
    let file = read(sources, text);
    Frame::new(&file.types, &file.components[0], None).expect("a frame")
}
