//! A model that counts how often its states are expanded: one exploration expands each once.

use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_model::{
    Explorer, Flow, GroupId, Model, Problem, PropositionId, Signature, Successors, Value,
};

/// A model that counts how often it is expanded. For tables and models without packed steps: where
/// the engine takes steps from the signature, it asks no explorer.
pub struct Counted<'c, M> {
    inner: M,
    n_expansions: &'c AtomicU64,
}

impl<'c, M> Counted<'c, M> {
    /// Counts the expansions of a model.
    pub fn new(inner: M, n_expansions: &'c AtomicU64) -> Self {
        Self { inner, n_expansions }
    }
}

impl<M: Model> Model for Counted<'_, M> {
    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn allows_workers(&self) -> bool {
        self.inner.allows_workers()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Counting { steps: self.inner.explorer(), n_expansions: self.n_expansions })
    }
}

struct Counting<'c> {
    steps: Box<dyn Explorer + 'c>,
    n_expansions: &'c AtomicU64,
}

impl Explorer for Counting<'_> {
    fn initial(&mut self, sink: &mut dyn FnMut(&[Value]) -> Flow) -> Flow {
        self.steps.initial(sink)
    }

    fn successors(&mut self, group: GroupId, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.steps.successors(group, state, sink)
    }

    fn expand(&mut self, state: &[Value], sink: &mut dyn Successors) -> Flow {
        self.n_expansions.fetch_add(1, Ordering::Relaxed);
        self.steps.expand(state, sink)
    }

    fn holds(&mut self, proposition: PropositionId, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.steps.holds(proposition, state)
    }

    fn may_end(&mut self, state: &[Value]) -> Result<bool, Box<Problem>> {
        self.steps.may_end(state)
    }
}
