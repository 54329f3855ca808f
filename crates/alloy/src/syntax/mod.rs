//! The text of Alloy 6 and the tree it is read into. Nothing is resolved here.

mod expressions;
mod lexer;
mod paragraphs;
mod parser;
pub mod tree;

use quadrille_diagnostic::{Diagnostic, SourceId};

use tree::Module;

/// Reads a text; the first mistake ends reading.
pub fn parse(source: SourceId, text: &str) -> Result<Module, Diagnostic> {
    let tokens = lexer::tokens(source, text)?;
    parser::Parser::new(tokens).module()
}
