//! What `quadrille generate` made of `rock-paper-scissors.quad`, for several numbers of players. A test of the command
//! says whether it is up to date.

/// Two players.
#[rustfmt::skip] // it has a layout of its own
pub mod two;
/// Three players.
#[rustfmt::skip] // it has a layout of its own
pub mod three;
/// Four players.
#[rustfmt::skip] // it has a layout of its own
pub mod four;
