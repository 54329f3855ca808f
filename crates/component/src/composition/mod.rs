//! Whether components fit together: their consent composition as a [`Model`](quadrille_model::Model),
//! and the three errors it may show. Exploring it is left to whoever has an engine: [`judge`] takes
//! the table of what was explored.

mod compose;
mod failures;
mod joint;
mod judge;
mod wiring;

pub use compose::{ComposeError, Composition, Unit, compose};
pub use judge::{Errors, Fault, Path, Verdict, judge};
pub use wiring::{Binding, UnitId, Wiring};

pub(crate) use wiring::{Mode, mentioned};
