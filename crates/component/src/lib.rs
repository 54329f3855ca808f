//! Behavior protocols: what each component calls and accepts, and whether the parts fit together.
//!
//! [`parse`] reads a `.bp` text. This crate knows no engine and reads no file.
#![forbid(unsafe_code)]

pub mod automata;
pub mod codes;
pub mod composition;
pub mod intrinsic;
pub mod lint;
pub mod syntax;

pub use syntax::parse;
