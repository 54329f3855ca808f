//! The one temporal logic of Quadrille: linear and branching time, future and past, over actions
//! (edges) and propositions (states) alike; and the automata that linear formulas become.
//! It knows no model and no search.
#![forbid(unsafe_code)]

mod acceptance;
mod automaton;
pub mod codes;
mod complement;
mod degeneralise;
mod evaluate;
mod expand;
mod finite;
mod formula;
mod grammar;
mod hoa;
mod implication;
mod lexer;
mod normal;
mod owl;
mod parser;
mod plain;
mod pool;
mod print;
mod reduce;
mod run;
mod simplify;
mod simulation;
mod stutter;
mod translate;

pub use automaton::{Automaton, Cube, Edge, Letter, Location, MAX_ATOMS, Marks};
pub use finite::FiniteAutomaton;
pub use formula::{AtomId, Atoms, Binary, Formula, Kind, Objection, Path, Unary};
pub use hoa::{HoaParsed, read_hoa, write_hoa};
pub use lexer::{Cursor, Symbol, Token, TokenKind, quote, unquote};
pub use owl::parse_owl;
pub use parser::{AtomSyntax, Parsed, Quantifier, parse};
pub use plain::{PlainAtom, PlainAtoms};
pub use print::Shown;
pub use translate::{
    Parts, Response, TranslationError, translate, translate_finite, translate_in_parts,
    translate_quickly,
};
