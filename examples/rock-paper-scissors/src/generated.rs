//! What `build.rs` makes of `rock-paper-scissors.quad`.

/// Two, three or four players.
pub mod rock_paper_scissors {
    include!(concat!(env!("OUT_DIR"), "/rock_paper_scissors.rs"));
}
