//! Frame protocols beside real code. A [`Frame`] is what one component may do at its boundary, as one
//! automaton; a [`Monitor`] follows it along a log; [`traits`] derives it from annotated Rust traits,
//! [`roles`] from the roles of a protocol; [`generate`] makes traits and a test double, which
//! [`play`]s the environment of a component. This crate knows no engine and reads no file.
#![forbid(unsafe_code)]

pub mod codes;
mod frame;
pub mod generate;
mod monitor;
pub mod play;
pub mod roles;
pub mod traits;

pub use frame::{Frame, FrameError, Location, Signal};
pub use monitor::Monitor;
