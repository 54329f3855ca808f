//! Games in all versions, and what the module can do.

mod games;
mod verify;
