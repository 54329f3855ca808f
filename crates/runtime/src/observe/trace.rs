//! An observer that emits `tracing` events: a span for the module, an event per act.

use tracing::{Span, debug, info, info_span, warn};

use super::Observe;
use crate::error::Cause;
use crate::plan::{ActId, Plan, RoleId};

/// An observer that emits `tracing` events in a span `module` with the field `protocol`: acts at the level `info`, waiting
/// at `debug`, roles that leave before their end at `warn`.
#[derive(Debug)]
pub struct Traced {
    span: Span,
}

impl Traced {
    /// Opens the span, below the current one.
    pub fn new(plan: &Plan) -> Self {
        Self { span: info_span!(target: "quadrille", "module", protocol = %plan.protocol) }
    }
}

impl Observe for Traced {
    fn did(&self, plan: &Plan, act: ActId) {
        self.span.in_scope(|| info!(target: "quadrille", "{}", plan.acts[act.index()].text));
    }

    fn waits(&self, plan: &Plan, role: RoleId, acts: &[ActId]) {
        let role = &plan.roles[role.index()];
        let acts: Vec<&str> = acts.iter().map(|act| &*plan.acts[act.index()].text).collect();
        self.span.in_scope(|| debug!(target: "quadrille", %role, "waits for: {}", acts.join(", ")));
    }

    fn left(&self, plan: &Plan, role: RoleId, cause: &Cause) {
        let role = &plan.roles[role.index()];
        self.span.in_scope(|| match cause {
            Cause::Finished { .. } => info!(target: "quadrille", %role, "{cause}"),
            _ => warn!(target: "quadrille", %role, "{cause}"),
        });
    }
}

#[cfg(test)]
mod tests;
