//! No trace leaves the engine that the model does not perform again. Knows nothing of how a trace
//! was found.

use std::fmt;

use quadrille_model::{Misfit, Model, Trace};

/// A model that does not do again what it did: it breaks the promise that the same arguments give
/// the same answers, so no verdict about it can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unrepeatable {
    /// Where a counterexample could not be repeated.
    pub misfit: Misfit,
}

impl fmt::Display for Unrepeatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the model does not repeat itself: when a counterexample was replayed, ")?;
        match self.misfit {
            Misfit::Initial => write!(f, "its initial state was not found again"),
            Misfit::Step(position) => write!(f, "step {} was not found again", position + 1),
            Misfit::Ending => write!(f, "it ended differently"),
        }
    }
}

impl std::error::Error for Unrepeatable {}

/// Replays a trace on its model and hands it back if it fits.
pub(crate) fn replayed(model: &dyn Model, trace: Trace) -> Result<Trace, Unrepeatable> {
    match trace.replay(model) {
        Ok(()) => Ok(trace),
        Err(misfit) => Err(Unrepeatable { misfit }),
    }
}
