//! Whether components are compatible: their consent composition as a
//! [`Model`](quadrille_model::Model), and its three errors as questions about that model.

mod compose;
mod errors;
mod failures;
mod joint;
mod wiring;

pub use compose::{ComposeError, Composition, Unit, compose};
pub use errors::{Compatibility, CompositionErrors, ErrorKind, ErrorRun};
pub use wiring::{Binding, UnitId, Wiring};

pub(crate) use wiring::{Linkage, mentioned};
