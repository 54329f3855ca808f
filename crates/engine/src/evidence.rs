//! No trace leaves the engine that the model does not perform again. Knows nothing of how a trace
//! was found.

use quadrille_model::{Model, Trace};

use crate::Error;

/// Replays a trace on its model and hands it back if it fits.
pub fn replayed(model: &dyn Model, trace: Trace) -> Result<Trace, Error> {
    match trace.replay(model) {
        Ok(()) => Ok(trace),
        Err(misfit) => Err(Error::Unrepeatable(misfit)),
    }
}
