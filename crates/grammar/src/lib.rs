//! The text that Alloy 6 (`.als`) and designs (`.qev`, `.tno`) share: tokens, one grammar of
//! expressions, declarations, signatures and commands, and the tree that they are read into. Designs
//! have events beside that, `init` and `end`; Alloy has modules and macros that designs refuse later.
//!
//! No name is resolved here, and no language has its codes here: a [`Dialect`] brings them. What both
//! say of sets and relations is typed by [`types`].
#![forbid(unsafe_code)]

mod binders;
mod events;
mod expressions;
mod lexer;
mod paragraphs;
mod parser;
mod scopes;
pub mod tree;
pub mod types;

use quadrille_diagnostic::{Code, Diagnostic, SourceId};

use tree::{Expr, Module};

/// Which of the two languages is read.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The code of what is not written as the language has it.
    pub syntax: &'static Code,
    /// The code of what is nested too deeply.
    pub nested: &'static Code,
    /// The code of scopes that say nothing.
    pub scope: &'static Code,
    /// How deep expressions may lie within each other.
    pub deepest: usize,
    /// Whether there are events; else it is Alloy.
    pub has_events: bool,
    /// The page for users.
    pub manual: &'static str,
}

/// Reads a text; what could be read of it, with all mistakes.
pub fn parse(dialect: &Dialect, source: SourceId, text: &str) -> (Module, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lexer::tokens(dialect, source, text);
    let (module, found) = parser::Parser::new(*dialect, tokens).module();
    diagnostics.extend(found);
    (module, diagnostics)
}

/// Reads one expression.
pub fn parse_expression(
    dialect: &Dialect,
    source: SourceId,
    text: &str,
) -> Result<Expr, Diagnostic> {
    let (tokens, bad) = lexer::tokens(dialect, source, text);
    match bad.into_iter().next() {
        Some(mistake) => Err(mistake),
        None => parser::Parser::new(*dialect, tokens).only_expr(),
    }
}
