//! What `quadrille generate` made of `go-fish.quad`. A test of the command says whether it is up to date.

/// Two, three or four players.
#[rustfmt::skip] // it has a layout of its own
pub mod go_fish;
