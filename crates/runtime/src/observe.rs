//! Observers of a running module. Without one, observation costs one branch.

mod record;
#[cfg(feature = "tracing")]
mod trace;

pub use record::Recorder;
#[cfg(feature = "tracing")]
pub use trace::Traced;

use crate::error::Cause;
use crate::plan::{ActId, Plan, RoleId};

/// An observer of a module. It sees the steps in an order consistent with causality: a message is sent before it is
/// received. To that end an observed module performs one step at a time.
///
/// The observer is called in the middle of a step. It must not use the roles of the module, nor panic: other roles would
/// wait for the end of the step for ever.
pub trait Observe: Send + Sync {
    /// An act was performed.
    fn did(&self, plan: &Plan, act: ActId);

    /// A role waits for one of these acts.
    fn waits(&self, plan: &Plan, role: RoleId, acts: &[ActId]) {
        let _ = (plan, role, acts);
    }

    /// A role has left: it finished, or `cause` says what happened to it.
    fn left(&self, plan: &Plan, role: RoleId, cause: &Cause) {
        let _ = (plan, role, cause);
    }
}
