//! Published results, and what the modules can do.

mod published;
mod verify;
