//! The text of Alloy 6 and the tree it is read into. Nothing is resolved here.

mod expressions;
mod lexer;
mod paragraphs;
mod parser;
pub mod tree;

use quadrille_diagnostic::{Diagnostic, SourceId};

use tree::{Expr, Module};

/// Reads a text; the first mistake ends reading.
pub fn parse(source: SourceId, text: &str) -> Result<Module, Diagnostic> {
    let tokens = lexer::tokens(source, text)?;
    parser::Parser::new(tokens).module()
}

/// Reads one expression.
pub fn parse_expression(source: SourceId, text: &str) -> Result<Expr, Diagnostic> {
    let tokens = lexer::tokens(source, text)?;
    parser::Parser::new(tokens).only_expr()
}
