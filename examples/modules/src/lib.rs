//! Generated modules as they are checked in, under the strictest lints: whatever a generated module needs
//! excuses for shows here. `cargo test` of the command line keeps them up to date; `rustfmt` leaves them alone.
#![warn(clippy::pedantic)]
#![forbid(unsafe_code)]

pub mod bank;
/// Two players move in turn, from `examples/protocols/chess.quad`.
#[rustfmt::skip]
pub mod chess;
/// A token that anybody passes to anybody, from `examples/protocols/token-full-mesh.quad`.
#[rustfmt::skip]
pub mod full_mesh;
/// Signing in through a third party, from `examples/protocols/login.quad`.
#[rustfmt::skip]
pub mod login;
/// A coordinator and participants that vote, from `examples/protocols/two-phase-commit.quad`.
#[rustfmt::skip]
pub mod two_phase_commit;
