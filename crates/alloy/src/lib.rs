//! Alloy 6 (`.als`, `.ele`): specifications as constraints on signatures, fields and how they change.
//!
//! The grammar reads a text, [`names`] resolves it with all modules it opens to a [`World`], a
//! [`Search`] looks for instances and traces of one of its commands within a scope: `scope` gives
//! atoms and bounds, `lower` brings everything down to a small core, `translate` makes circuits of it,
//! and `evaluate` says what it means without them. It knows no file and no terminal.
#![forbid(unsafe_code)]

mod answer;
pub mod codes;
mod core;
mod evaluate;
mod events;
mod explicit;
mod induction;
mod instance;
mod library;
mod lower;
pub mod names;
mod scope;
mod search;
mod symmetry;
mod translate;
mod xml;

use quadrille_diagnostic::{Diagnostic, SourceId};
use quadrille_grammar as syntax;
use quadrille_grammar::Dialect;
use quadrille_grammar::tree::Module;

/// Alloy, with its codes.
const DIALECT: Dialect = Dialect {
    syntax: &codes::SYNTAX,
    nested: &codes::NESTED,
    scope: &codes::SCOPE,
    deepest: 120,
    has_events: false,
    manual: "docs/alloy.md",
};

/// Reads a text; the first mistake if there is one.
pub fn parse(source: SourceId, text: &str) -> Result<Module, Diagnostic> {
    let (module, mistakes) = quadrille_grammar::parse(&DIALECT, source, text);
    mistakes.into_iter().next().map_or(Ok(module), Err)
}

pub use answer::{Answer, Engine, Question, answer};
pub use instance::{Content, Instance, Rows};
pub use names::World;
pub use names::world::Command;
pub use search::{Everywhere, Expression, Found, Options, Reach, Search, expression};
pub use xml::xml;
