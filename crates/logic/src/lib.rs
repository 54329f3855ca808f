//! The one temporal logic of Quadrille: linear and branching time, future and past, over actions
//! (edges) and propositions (states) alike; and the automata that linear formulas become.
//! It knows no model and no search.
#![forbid(unsafe_code)]

mod automaton;

pub use automaton::{Automaton, Cube, Edge, Letter, Location, MAX_ATOMS, Marks};
