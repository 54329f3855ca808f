//! Models that tests of the engine explore.

mod phil;
mod scrambled;

pub(crate) use phil::Phil;
pub(crate) use scrambled::{Scrambled, scrambled_table};
