//! What a process can do about itself. Only its own life has a [`Process`], so that no process can hold or passivate another one.

use std::ops::Deref;
use std::time::Duration;

use corosensei::Yielder;

use crate::{Context, ModelTime, ProcessId, State};

/// A running process, given to its life. Everything that a [`Context`] can do can be asked of it, too.
pub struct Process<'a> {
    context: &'a Context,
    id: ProcessId,
    yielder: &'a Yielder<(), ()>,
}

impl<'a> Process<'a> {
    pub(crate) fn new(context: &'a Context, id: ProcessId, yielder: &'a Yielder<(), ()>) -> Self {
        Self { context, id, yielder }
    }

    /// Which process this is.
    #[must_use]
    pub fn id(&self) -> ProcessId {
        self.id
    }

    /// Goes on when `length` has passed.
    pub fn hold(&self, length: Duration) {
        self.hold_until(self.now() + length);
    }

    /// Goes on at `time`; if that has passed, now.
    pub fn hold_until(&self, time: ModelTime) {
        self.context.schedule(self.id, time.max(self.now()));
        self.yielder.suspend(());
    }

    /// Lets all others of this time run first.
    pub fn give_way(&self) {
        self.hold(Duration::ZERO);
    }

    /// Waits until another process activates this one.
    pub fn passivate(&self) {
        self.wait(State::Passive);
    }

    pub(crate) fn wait(&self, state: State) {
        self.context.stop(self.id, state);
        self.yielder.suspend(());
    }

    #[track_caller]
    pub(crate) fn must_belong_to(&self, context: &Context) {
        assert!(
            self.context.is_same(context),
            "a process can use the queues, semaphores and boxes of its own simulation only"
        );
    }
}

impl Deref for Process<'_> {
    type Target = Context;

    fn deref(&self) -> &Context {
        self.context
    }
}
