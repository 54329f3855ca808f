//! Chores of the workspace, run as `cargo xtask CHORE`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // a chore talks to people and the system

fn main() {}
