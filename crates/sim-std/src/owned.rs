//! What belongs to one execution. Its tasks run one at a time, so that they need no lock for it; and
//! nothing else gets at it, also when it outlives the execution in a static.

use ::std::cell::UnsafeCell;

use quadrille_sim::task::{self, Outcome};
use quadrille_sim::{ObjectId, Request};

/// A value that only the tasks of the execution can use that it was made in.
pub(crate) struct Owned<T> {
    epoch: u32,
    value: UnsafeCell<T>,
}

// SAFETY: as for a lock around the value: `with` gives access to one task at a time, and the tasks
// of an execution may run on several of the system's threads, one after the other.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T> Owned<T> {
    /// A value of the execution that is under way.
    pub(crate) fn new(value: T) -> Owned<T> {
        Owned { epoch: task::epoch(), value: UnsafeCell::new(value) }
    }

    /// Whether the caller belongs to that execution.
    #[inline]
    pub(crate) fn is_live(&self) -> bool {
        task::is_in(self.epoch)
    }

    /// Performs a visible operation, unless that execution is over.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as for `task::visible`")]
    pub(crate) fn visible(&self, request: Request) -> Option<Outcome> {
        task::visible_in(self.epoch, request)
    }

    /// As [`Owned::with`], and the object's word becomes what `f` says beside its result.
    #[inline]
    pub(crate) fn with_word<R>(
        &self,
        object: ObjectId,
        f: impl FnOnce(&mut T) -> (R, i64),
    ) -> Option<R> {
        // SAFETY: as for `with`; the scheduler checks that the execution is not over.
        task::change_word(self.epoch, object, || f(unsafe { &mut *self.value.get() }))
    }

    /// Calls `f` on the value, unless that execution is over. No operation of the scheduler may happen
    /// in it: others would come between.
    #[inline]
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !self.is_live() {
            return None;
        }
        // SAFETY: the number of an execution is not used again, so the caller is the one task of it
        // that runs. `f` lets no other task run and, private to this crate as it is, does not get
        // here again, so that there is no other reference.
        Some(f(unsafe { &mut *self.value.get() }))
    }
}
