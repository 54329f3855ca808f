//! `Mutex`: the scheduler decides who has it, the real one inside keeps the value and the poison.

use ::std::fmt;
use ::std::ops::{Deref, DerefMut};
use ::std::panic::Location;
use ::std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use quadrille_sim::{Access, Action, Guard, Kind, ObjectId, Place, Request, task};

use crate::identity::Identity;
use crate::sync::LEFT_LOCKED;

/// A lock around a value.
pub struct Mutex<T: ?Sized> {
    identity: Identity,
    real: ::std::sync::Mutex<T>,
}

/// The right to use the value of a locked [`Mutex`].
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    pub(super) mutex: &'a Mutex<T>,
    /// Gone only while the guard is dropped or waits.
    pub(super) real: Option<::std::sync::MutexGuard<'a, T>>,
    place: Place,
}

/// Takes a lock as far as the scheduler goes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `task::visible`")]
fn acquire(object: ObjectId, place: Place) {
    let request = Request::new(Action::Lock, object, Access::Acquire, place);
    task::visible(request.when(Guard::Zero));
    task::set_held(object, 1, true);
}

/// Gives it back.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `task::visible`")]
fn release(object: ObjectId, place: Place) {
    task::visible(Request::new(Action::Unlock, object, Access::Release, place));
    task::set_held(object, 0, false);
}

impl<T> Mutex<T> {
    /// A mutex that no thread holds.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { identity: Identity::beside::<T>(), real: ::std::sync::Mutex::new(value) }
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    pub fn into_inner(self) -> LockResult<T> {
        self.real.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    fn object(&self, place: Place) -> ObjectId {
        self.identity.get(Kind::Mutex, place).0
    }

    pub(super) fn guard<'a>(
        &'a self,
        real: ::std::sync::MutexGuard<'a, T>,
        place: Place,
    ) -> MutexGuard<'a, T> {
        MutexGuard { mutex: self, real: Some(real), place }
    }

    fn guarded<'a>(
        &'a self,
        real: LockResult<::std::sync::MutexGuard<'a, T>>,
        place: Place,
    ) -> LockResult<MutexGuard<'a, T>> {
        match real {
            Ok(real) => Ok(self.guard(real, place)),
            Err(poison) => Err(PoisonError::new(self.guard(poison.into_inner(), place))),
        }
    }

    /// Waits until the lock is free and takes it.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    ///
    /// # Panics
    ///
    /// If an execution that failed left it locked.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let place = Location::caller();
        let Some(object) = self.identity.find(Kind::Mutex, place) else {
            return self.guarded(self.real.lock(), place);
        };
        acquire(object, place);
        self.guarded(self.take_real(), place)
    }

    pub(super) fn take_real(&self) -> LockResult<::std::sync::MutexGuard<'_, T>> {
        match self.real.try_lock() {
            Ok(real) => Ok(real),
            Err(TryLockError::Poisoned(poison)) => Err(poison),
            Err(TryLockError::WouldBlock) => panic!("{LEFT_LOCKED}"),
        }
    }

    pub(super) fn acquire(&self, place: Place) {
        acquire(self.object(place), place);
    }

    /// Takes the lock if it is free.
    ///
    /// # Errors
    ///
    /// If it is not, or a thread panicked while it held the lock.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let place = Location::caller();
        if task::is_simulated() {
            let object = self.object(place);
            task::visible(Request::new(Action::TryLock, object, Access::Write, place));
            let is_free = task::word(object) == 0;
            task::observe(u64::from(is_free), is_free);
            if !is_free {
                return Err(TryLockError::WouldBlock);
            }
            task::set_held(object, 1, true);
            return Ok(self.guarded(self.take_real(), place)?);
        }
        match self.real.try_lock() {
            Ok(real) => Ok(self.guard(real, place)),
            Err(TryLockError::Poisoned(poison)) => {
                Err(PoisonError::new(self.guard(poison.into_inner(), place)).into())
            }
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    /// Whether a thread panicked while it held the lock.
    pub fn is_poisoned(&self) -> bool {
        self.real.is_poisoned()
    }

    /// Forgets that a thread panicked.
    pub fn clear_poison(&self) {
        self.real.clear_poison();
    }

    /// The value, to which there is no other reference.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.real.get_mut()
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Gives the lock back without dropping the guard's place.
    pub(super) fn dissolve(mut self) -> (&'a Mutex<T>, Place) {
        let parts = (self.mutex, self.place);
        self.give_back();
        parts
    }

    /// The real guard, for waiting outside of a simulation.
    pub(super) fn into_real(mut self) -> (&'a Mutex<T>, ::std::sync::MutexGuard<'a, T>) {
        (self.mutex, self.real.take().expect("a guard holds its lock"))
    }

    fn give_back(&mut self) {
        let Some(real) = self.real.take() else { return };
        if let Some(object) = self.mutex.identity.find(Kind::Mutex, self.place) {
            release(object, self.place);
        }
        drop(real);
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.real.as_deref().expect("a guard holds its lock")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.real.as_deref_mut().expect("a guard holds its lock")
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
