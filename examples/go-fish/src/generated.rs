//! What `build.rs` makes of `go-fish.quad`.

/// Two, three or four players.
pub mod go_fish {
    include!(concat!(env!("OUT_DIR"), "/go_fish.rs"));
}
