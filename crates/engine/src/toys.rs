//! Models that tests of the engine explore.

mod networks;
mod phil;
mod scrambled;

pub(crate) use networks::random_network;
pub(crate) use phil::Phil;
pub(crate) use scrambled::{Scrambled, scrambled_table};
