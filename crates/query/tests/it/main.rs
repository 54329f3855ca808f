//! Lint, channel bounds, faithfulness and vacuity, on small protocols and on the shared test data.

mod bounded;
mod conformance;
mod counters;
mod forms;
mod formulas;
mod honest;
mod lint;
mod manual;
mod modes;
mod once;
mod order;
mod petri;
mod protocol;
mod random;
mod workers;
