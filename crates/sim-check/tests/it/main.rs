//! Checks of whole executions.
#![allow(missing_docs)] // tests

mod conformance;
mod formulas;
mod objects;
