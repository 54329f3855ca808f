//! What `quadrille generate` made of `protocols/`. A test of the command says whether it is up to date.

/// Conjugate gradient.
#[rustfmt::skip] // it has a layout of its own
pub mod cg;
/// Three-dimensional FFT.
#[rustfmt::skip] // it has a layout of its own
pub mod ft;
/// Integer sort.
#[rustfmt::skip] // it has a layout of its own
pub mod is_sort;
/// Multigrid.
#[rustfmt::skip] // it has a layout of its own
pub mod mg;
