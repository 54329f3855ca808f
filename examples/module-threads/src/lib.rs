//! The generated module of chess, as it is checked in elsewhere. `tests/games.rs` plays over it.

#[path = "../../modules/src/chess.rs"]
pub mod chess;
