//! The language `.bp`: text to tree with diagnostics, and back. Knows nothing of what a protocol means.

mod lex;
mod operand;
mod parse;
mod print;
mod tree;

pub use parse::parse;
pub use tree::{
    Argument, Case, Catch, Component, Direction, EnumType, File, Kind, Name, Parameter, Path,
    Phase, Protocol, Test, Token, Variable,
};
