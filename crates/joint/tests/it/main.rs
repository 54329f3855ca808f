//! Programs and environments together.

mod binding;
mod scenario;
mod watching;
