//! What `quadrille generate` made of `protocols/`, for several numbers of workers. A test of the command says
//! whether it is up to date.

/// Two workers per group.
pub mod two {
    /// Conjugate gradient.
    #[rustfmt::skip] // it has a layout of its own
    pub mod cg; /// Three-dimensional FFT.
    #[rustfmt::skip] // it has a layout of its own
    pub mod ft; /// Integer sort.
    #[rustfmt::skip] // it has a layout of its own
    pub mod is_sort; /// Multigrid.
    #[rustfmt::skip] // it has a layout of its own
    pub mod mg;
}

/// Four workers per group.
pub mod four {
    /// Conjugate gradient.
    #[rustfmt::skip] // it has a layout of its own
    pub mod cg; /// Three-dimensional FFT.
    #[rustfmt::skip] // it has a layout of its own
    pub mod ft; /// Integer sort.
    #[rustfmt::skip] // it has a layout of its own
    pub mod is_sort; /// Multigrid.
    #[rustfmt::skip] // it has a layout of its own
    pub mod mg;
}
