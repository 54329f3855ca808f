//! Whether components fit together: of files, of an architecture, and after one was replaced.

pub(crate) mod architecture;
pub(crate) mod check;
mod fit;
pub(crate) mod reduce;
pub(crate) mod substitute;
mod text;
