//! A module where a macro stands: no build script, no file that is checked in.
#![forbid(unsafe_code)]

/// The module of `tea.quad`.
pub mod tea {
    quadrille::protocol!("tea.quad");
}
