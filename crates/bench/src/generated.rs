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
/// Two roles in turn.
pub mod ping_pong {
    include!(concat!(env!("OUT_DIR"), "/ping_pong.rs"));
}
