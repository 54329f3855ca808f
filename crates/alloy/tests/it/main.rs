//! What Alloy texts mean, and what is refused.

mod answers;
mod peer;
mod reading;

use quadrille_alloy::World;
use quadrille_alloy::names::{Alone, read};
use quadrille_diagnostic::{Diagnostic, Sources, Style, render};

/// A text that opens nothing but modules of the language.
fn world(text: &str) -> Result<World, String> {
    let mut sources = Sources::default();
    let source = sources.add("spec.als", text);
    let found = read(&mut Alone(&mut sources), "spec.als", source, text);
    let shown = |all: Vec<Diagnostic>| -> String {
        all.iter().map(|it| render(it, &sources, Style::Plain)).collect()
    };
    found.map_err(shown)
}
