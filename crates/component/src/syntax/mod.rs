//! The language `.bp`: text to tree with diagnostics, and back. Knows nothing of what a protocol means.

mod lex;
mod operand;
mod parse;
mod print;
mod tree;

pub(crate) use lex::{Lexeme, Mark};
pub use parse::parse;
pub(crate) use parse::{Parser, is_name};
pub(crate) use print::write_variables;
pub(crate) use tree::Mention;
pub use tree::{
    Argument, Case, Catch, Component, Direction, EnumType, File, Kind, Name, Parameter, Path,
    Phase, Protocol, Test, Token, Variable,
};
