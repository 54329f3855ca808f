//! Tests of the text forms through the public interface.

mod aut;
mod conformance;
mod fuzz;
mod manual;
mod net;

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};

/// Diagnostics as a user sees them.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}
