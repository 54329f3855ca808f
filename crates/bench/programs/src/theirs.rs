//! The tests with the primitives of `shuttle`.

pub(crate) use shuttle::{sync, thread};

#[path = "bodies.rs"]
pub(crate) mod bodies;
