//! Plans and texts of small protocols and of all examples.

mod plan;
mod state_names;
mod text;
