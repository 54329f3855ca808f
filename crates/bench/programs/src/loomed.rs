//! The tests with the primitives of `loom`.

pub(crate) use loom::{sync, thread};

#[path = "bodies.rs"]
pub(crate) mod bodies;
