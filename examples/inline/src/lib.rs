//! A module by a macro: no build script, no checked-in file.
#![forbid(unsafe_code)]

/// The module of `tea.quad`.
pub mod tea {
    quadrille::protocol!("tea.quad");
}

/// README's Rust runs here.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
