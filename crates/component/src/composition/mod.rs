//! Whether components fit together: their consent composition as a [`Model`](quadrille_model::Model),
//! and the three errors it may show. Exploring it is left to whoever has an engine and shows a [`Judge`]
//! what is met.

mod compose;
mod failures;
mod joint;
mod judge;
mod wiring;

pub use compose::{ComposeError, Composition, Unit, compose};
pub use judge::{Errors, Fault, Judge, Path, Verdict};
pub use wiring::{Binding, UnitId, Wiring};

pub(crate) use wiring::{Mode, mentioned};
