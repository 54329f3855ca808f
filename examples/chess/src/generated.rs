//! The module that `build.rs` generates from `chess.quad`.

/// Two players move in turn.
pub mod chess {
    include!(concat!(env!("OUT_DIR"), "/chess.rs"));
}
