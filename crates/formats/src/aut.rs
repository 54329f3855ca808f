//! Aldebaran `.aut`: the oldest common text form of labelled transition systems.

mod read;
mod write;

pub use read::read_aut;
pub use write::{AutError, write_aut, write_aut_to};
