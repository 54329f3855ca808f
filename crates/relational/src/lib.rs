//! Designs as relations and events (`.qev`, and Taino's `.tno`): signatures with fields, events with
//! guards and effects, properties in temporal logic; read, type checked, given atoms by scopes, and
//! evaluated naively.
//!
//! [`syntax`] reads the text, [`types`] resolves it to a [`Design`], a [`World`] gives it atoms,
//! [`eval`] says what it means by sets of tuples, and `lower` by bits; a [`System`] is a model of it. It
//! knows no engine and no file.
#![forbid(unsafe_code)]

pub mod codes;
pub mod eval;
mod ground;
mod lower;
mod show;
pub mod syntax;
mod system;
pub mod types;

pub use ground::World;
pub use system::{Asked, Meaning, Splitting, System};
pub use types::Design;

use quadrille_diagnostic::{Diagnostic, SourceId};

/// Reads a text; a design exactly if no diagnostic is an error.
pub fn read(source: SourceId, text: &str) -> (Option<Design>, Vec<Diagnostic>) {
    let (module, mut diagnostics) = syntax::parse(source, text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return (None, diagnostics);
    }
    let (design, found) = types::resolve(&module);
    diagnostics.extend(found);
    (design, diagnostics)
}
