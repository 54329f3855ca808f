//! What `quadrille generate` made of `chess.quad`; `tests/generated.rs` says whether it is up to date.

/// Two players move in turn.
pub mod chess;
