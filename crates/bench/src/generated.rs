//! The modules that `build.rs` generates from `protocols/`, with message types of our own.

/// What `ping_pong` sends.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ball;

/// One byte.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Byte(pub u8);

/// A cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line(pub [u8; 64]);

impl Default for Line {
    fn default() -> Self {
        Self([0; 64])
    }
}

/// A number, as it is sent over networks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct Number(pub u64);

/// A page of bytes, as it is sent over networks.
#[derive(Clone, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct Page(pub Vec<u8>);

/// A stream of bytes.
pub mod bytes {
    include!(concat!(env!("OUT_DIR"), "/bytes.rs"));
}
/// A master and twelve workers. What its queues hold was not computed when it was generated, since that takes a search
/// through as many states as are to be explored.
pub mod fork_join_12 {
    include!(concat!(env!("OUT_DIR"), "/fork_join_12.rs"));
}
/// A master and four workers.
pub mod fork_join_4 {
    include!(concat!(env!("OUT_DIR"), "/fork_join_4.rs"));
}
/// A stream of cache lines.
pub mod lines {
    include!(concat!(env!("OUT_DIR"), "/lines.rs"));
}
/// A stream of numbers between processes.
pub mod numbers {
    include!(concat!(env!("OUT_DIR"), "/numbers.rs"));
}
/// A stream of pages between processes.
pub mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}
/// Two roles in turn, in two processes.
pub mod rally {
    include!(concat!(env!("OUT_DIR"), "/rally.rs"));
}
/// Two roles in turn.
pub mod ping_pong {
    include!(concat!(env!("OUT_DIR"), "/ping_pong.rs"));
}
