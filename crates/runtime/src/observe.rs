//! Looking on while a module runs: what observers are told. Off, it costs one branch.

mod record;
#[cfg(feature = "tracing")]
mod trace;

pub use record::Recorder;
#[cfg(feature = "tracing")]
pub use trace::Traced;

use crate::error::Cause;
use crate::plan::{ActId, Plan, RoleId};

/// Is told what happens in a module. Calls come in an order in which things may have happened: a message is
/// sent before it is received. To make that so, a module that is observed does one thing at a time.
///
/// An observer is called in the middle of a step, so it must not use the module's roles, and it must not panic: others
/// could wait for the rest of the step for ever.
pub trait Observe: Send + Sync {
    /// Something happened.
    fn did(&self, plan: &Plan, act: ActId);

    /// A role has to wait for one of these acts.
    fn waits(&self, plan: &Plan, role: RoleId, acts: &[ActId]) {
        let _ = (plan, role, acts);
    }

    /// A role will do nothing more: it has finished, or what else others are told.
    fn left(&self, plan: &Plan, role: RoleId, cause: &Cause) {
        let _ = (plan, role, cause);
    }
}
