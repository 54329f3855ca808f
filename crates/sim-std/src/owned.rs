//! What belongs to one execution. Its tasks run one at a time, so that they need no lock for it; and
//! nothing else gets at it, also when it outlives the execution in a static.

use ::std::cell::UnsafeCell;

use quadrille_sim::task;

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
