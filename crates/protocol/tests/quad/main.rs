//! Tests of the `.quad` language through the public interface.

mod checking;
mod examples;

use quadrille_diagnostic::{Diagnostic, Sources, Style, render};

/// Diagnostics as a user sees them.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain)).collect()
}
