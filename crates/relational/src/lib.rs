//! Designs as relations and events (`.qev`, and Taino's `.tno`): signatures with fields, events with
//! guards and effects, properties in temporal logic; read, type checked, given atoms by scopes, and
//! evaluated naively.
//!
//! The grammar reads the text, [`types`] resolves it to a [`Design`], a [`World`] gives it atoms,
//! [`eval`] says what it means by sets of tuples, and `lower` by bits; a [`System`] is a model of it. It
//! knows no engine and no file.
#![forbid(unsafe_code)]

pub mod codes;
pub mod eval;
mod ground;
mod lower;
mod show;
mod system;
pub mod types;

pub use ground::World;
pub use system::{Asked, Meaning, Splitting, System};
pub use types::Design;

use quadrille_diagnostic::{Diagnostic, SourceId};
use quadrille_grammar::{Dialect, parse};

/// Designs, with their codes.
const DIALECT: Dialect = Dialect {
    syntax: &codes::SYNTAX,
    nested: &codes::NESTED,
    scope: &codes::SCOPE,
    deepest: 64,
    has_events: true,
    manual: "docs/relational.md",
};

/// Reads a text; a design exactly if no diagnostic is an error.
pub fn read(source: SourceId, text: &str) -> (Option<Design>, Vec<Diagnostic>) {
    let (module, diagnostics) = parse(&DIALECT, source, text);
    if !diagnostics.is_empty() {
        return (None, diagnostics);
    }
    let (design, mut diagnostics) = types::resolve(&module);
    diagnostics.sort_by_key(|it| it.labels.first().map(|label| label.span.start));
    (design, diagnostics)
}
