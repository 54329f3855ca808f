//! What `quadrille generate` made of `chess.quad`; `tests/generated.rs` says whether it is up to date.

/// Two players move in turn.
#[rustfmt::skip] // it has a layout of its own
pub mod chess;
