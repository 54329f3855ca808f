//! A module that is generated while the crate is built, by `build.rs`.
#![forbid(unsafe_code)]

/// The module of `auction.quad`.
pub mod auction {
    include!(concat!(env!("OUT_DIR"), "/auction.rs"));
}
