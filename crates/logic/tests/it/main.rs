//! Tests of formulas and automata through the public interface, in one binary.

mod parsing;
mod random;
mod semantics;
