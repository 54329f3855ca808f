//! What `build.rs` makes of `protocols/`.

/// Conjugate gradient.
pub mod cg {
    include!(concat!(env!("OUT_DIR"), "/cg.rs"));
}

/// Three-dimensional FFT.
pub mod ft {
    include!(concat!(env!("OUT_DIR"), "/ft.rs"));
}

/// Integer sort.
pub mod is_sort {
    include!(concat!(env!("OUT_DIR"), "/is_sort.rs"));
}

/// Multigrid.
pub mod mg {
    include!(concat!(env!("OUT_DIR"), "/mg.rs"));
}
