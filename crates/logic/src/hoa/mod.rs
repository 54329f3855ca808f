//! Automata in the Hanoi Omega-Automata format, version 1 (Babiak et al., CAV 2015): the exchange
//! format of automata tools. Generalised Büchi acceptance only.

mod lexer;
mod read;
mod write;

pub use read::{HoaParsed, read_hoa};
pub use write::write_hoa;
