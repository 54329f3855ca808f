//! The modules of the protocols in `protocols/`; a test of the command verifies that they are up to date. Their messages are
//! types of this file.

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
pub mod bytes;
/// A master and twelve workers. What its queues hold was not computed when it was generated, since that takes a search
/// through as many states as are to be explored.
pub mod fork_join_12;
/// A master and four workers.
pub mod fork_join_4;
/// A stream of cache lines.
pub mod lines;
/// Two roles in turn.
pub mod ping_pong;
