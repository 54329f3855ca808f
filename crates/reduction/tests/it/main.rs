//! Reduced models against whole ones: known models, published counterexamples to other reductions,
//! random networks with formulas.

mod known;
mod published;
mod random;
mod symmetric;
