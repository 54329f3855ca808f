//! A cell whose accesses are watched: two accesses that no synchronisation orders are a data race,
//! reported with both places. It takes the place of `UnsafeCell` in code that is to be checked.

use ::std::cell::UnsafeCell;
use ::std::panic::Location;

use quadrille_sim::{Access, Action, Kind, Place, Request, task};

use crate::identity::Identity;

/// A value that threads share without a lock of its own; the scheduler watches that something else
/// orders its uses.
///
/// ```
/// use quadrille_sim::{Fault, sim};
/// use quadrille_sim_std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use quadrille_sim_std::{thread, tracked::TrackedCell};
///
/// // The flag is set with a relaxed store: it publishes nothing.
/// let publish = |order| move || {
///     let shared = Arc::new((TrackedCell::new(0), AtomicBool::new(false)));
///     let other = Arc::clone(&shared);
///     let writer = thread::spawn(move || {
///         other.0.set(42);
///         other.1.store(true, order);
///     });
///     if shared.1.load(Ordering::Acquire) {
///         assert_eq!(shared.0.get(), 42);
///     }
///     writer.join().unwrap();
/// };
/// let failure = sim(publish(Ordering::Relaxed)).exhaustive().run().unwrap().failure.unwrap();
/// assert!(matches!(failure.fault, Fault::DataRace { .. }));
/// sim(publish(Ordering::Release)).exhaustive().assert();
/// ```
#[derive(Debug)]
pub struct TrackedCell<T: ?Sized> {
    identity: Identity,
    value: UnsafeCell<T>,
}

// SAFETY: in a simulation all threads are coroutines of one system thread, and no access contains a
// visible operation, so that none overlaps another. Outside of one, `visit` refuses.
unsafe impl<T: Send + ?Sized> Sync for TrackedCell<T> {}

impl<T> TrackedCell<T> {
    /// A cell around a value.
    pub const fn new(value: T) -> TrackedCell<T> {
        TrackedCell { identity: Identity::new(), value: UnsafeCell::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.visit(Action::ReadCell, Access::Read, Location::caller());
        // SAFETY: nothing else runs between here and the end of the copy.
        unsafe { *self.value.get() }
    }

    /// Another value.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace_at(value, Location::caller()));
    }

    /// Another value; gives the one before.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        self.replace_at(value, Location::caller())
    }

    fn replace_at(&self, value: T, place: Place) -> T {
        self.visit(Action::WriteCell, Access::Write, place);
        // SAFETY: nothing else runs between here and the end of the exchange; the old value is
        // dropped by the caller, when the cell is whole again.
        unsafe { ::std::mem::replace(&mut *self.value.get(), value) }
    }
}

impl<T: ?Sized> TrackedCell<T> {
    /// The value; the exclusive borrow keeps every other thread out.
    pub const fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    fn visit(&self, action: Action, access: Access, place: Place) {
        assert!(task::is_simulated(), "a tracked cell is used outside of a simulation at {place}");
        let (object, _) = self.identity.get(Kind::Cell, place);
        task::visible(Request::new(action, object, access, place));
    }
}
