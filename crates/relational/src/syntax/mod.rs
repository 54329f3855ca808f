//! From text to tree.

mod expressions;
mod lexer;
mod paragraphs;
mod parser;
pub mod tree;

use quadrille_diagnostic::{Diagnostic, SourceId};

/// Reads a text; what could be read of it, with all mistakes.
pub fn parse(source: SourceId, text: &str) -> (tree::Module, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lexer::tokens(source, text);
    let mut parser = parser::Parser::new(tokens);
    let module = parser.module();
    diagnostics.extend(parser.diagnostics);
    (module, diagnostics)
}
