//! Tests of formulas and automata through the public interface, in one binary.

mod hoa;
mod manual;
mod parsing;
mod quantifiers;
mod semantics;
mod sizes;
mod stutter;
