//! `RwLock`: the scheduler decides who has it, the real one inside keeps the value and the poison.

use ::std::fmt;
use ::std::ops::{Deref, DerefMut};
use ::std::panic::Location;
use ::std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use quadrille_sim::{Access, Action, Guard, Kind, ObjectId, Place, Request, task};

use crate::identity::Identity;
use crate::sync::LEFT_LOCKED;

/// A lock that several readers or one writer can hold.
///
/// The word of its object counts the readers; it is -1 while a writer holds the lock.
pub struct RwLock<T: ?Sized> {
    identity: Identity,
    real: ::std::sync::RwLock<T>,
}

/// The right to read.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    real: Option<::std::sync::RwLockReadGuard<'a, T>>,
    place: Place,
}

/// The right to write.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    real: Option<::std::sync::RwLockWriteGuard<'a, T>>,
    place: Place,
}

impl<T> RwLock<T> {
    /// A lock that no thread holds.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock { identity: Identity::beside::<T>(), real: ::std::sync::RwLock::new(value) }
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it wrote.
    pub fn into_inner(self) -> LockResult<T> {
        self.real.into_inner()
    }
}

/// Takes a guard apart and puts ours around it, poisoned or not.
fn wrap<R, G>(real: LockResult<R>, guard: impl FnOnce(R) -> G) -> LockResult<G> {
    match real {
        Ok(real) => Ok(guard(real)),
        Err(poison) => Err(PoisonError::new(guard(poison.into_inner()))),
    }
}

/// What the real lock says that the scheduler found free.
fn certain<R>(real: TryLockResult<R>) -> LockResult<R> {
    match real {
        Ok(real) => Ok(real),
        Err(TryLockError::Poisoned(poison)) => Err(poison),
        Err(TryLockError::WouldBlock) => panic!("{LEFT_LOCKED}"),
    }
}

impl<T: ?Sized> RwLock<T> {
    fn object(&self, place: Place) -> ObjectId {
        self.identity.get(Kind::RwLock, place).0
    }

    fn reader<'a>(
        &'a self,
        place: Place,
    ) -> impl FnOnce(::std::sync::RwLockReadGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        move |real| RwLockReadGuard { lock: self, real: Some(real), place }
    }

    fn writer<'a>(
        &'a self,
        place: Place,
    ) -> impl FnOnce(::std::sync::RwLockWriteGuard<'a, T>) -> RwLockWriteGuard<'a, T> {
        move |real| RwLockWriteGuard { lock: self, real: Some(real), place }
    }

    /// Waits until no writer holds the lock and joins the readers.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it wrote.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let place = Location::caller();
        if !task::is_simulated() {
            return wrap(self.real.read(), self.reader(place));
        }
        let object = self.object(place);
        let request = Request::new(Action::LockShared, object, Access::Share, place);
        task::visible(request.when(Guard::NotNegative));
        task::set_held(object, task::word(object) + 1, true);
        wrap(certain(self.real.try_read()), self.reader(place))
    }

    /// Waits until no thread holds the lock and takes it.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it wrote.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let place = Location::caller();
        if !task::is_simulated() {
            return wrap(self.real.write(), self.writer(place));
        }
        let object = self.object(place);
        let request = Request::new(Action::Lock, object, Access::Acquire, place);
        task::visible(request.when(Guard::Zero));
        task::set_held(object, -1, true);
        wrap(certain(self.real.try_write()), self.writer(place))
    }

    /// Joins the readers if no writer holds the lock.
    ///
    /// # Errors
    ///
    /// If one does, or a thread panicked while it wrote.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let place = Location::caller();
        if task::is_simulated() {
            let object = self.object(place);
            task::visible(Request::new(Action::TryLockShared, object, Access::Write, place));
            let word = task::word(object);
            task::observe(u64::from(word >= 0), word >= 0);
            if word < 0 {
                return Err(TryLockError::WouldBlock);
            }
            task::set_held(object, word + 1, true);
            return Ok(wrap(certain(self.real.try_read()), self.reader(place))?);
        }
        match self.real.try_read() {
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            other => Ok(wrap(certain(other), self.reader(place))?),
        }
    }

    /// Takes the lock if no thread holds it.
    ///
    /// # Errors
    ///
    /// If one does, or a thread panicked while it wrote.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let place = Location::caller();
        if task::is_simulated() {
            let object = self.object(place);
            task::visible(Request::new(Action::TryLock, object, Access::Write, place));
            let is_free = task::word(object) == 0;
            task::observe(u64::from(is_free), is_free);
            if !is_free {
                return Err(TryLockError::WouldBlock);
            }
            task::set_held(object, -1, true);
            return Ok(wrap(certain(self.real.try_write()), self.writer(place))?);
        }
        match self.real.try_write() {
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            other => Ok(wrap(certain(other), self.writer(place))?),
        }
    }

    /// Whether a thread panicked while it wrote.
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
    /// If a thread panicked while it wrote.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.real.get_mut()
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Goes on as a reader; no other writer comes between.
    #[track_caller]
    pub fn downgrade(mut this: Self) -> RwLockReadGuard<'a, T> {
        let (lock, place) = (this.lock, Location::caller());
        let real = this.real.take().expect("a guard holds its lock");
        if task::is_simulated() {
            let object = lock.object(place);
            task::visible(Request::new(Action::Other("downgrade"), object, Access::Release, place));
            task::set_held(object, 1, true);
        }
        // It has given back what it held.
        ::std::mem::forget(this);
        lock.reader(place)(::std::sync::RwLockWriteGuard::downgrade(real))
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let real = self.real.take();
        if task::is_simulated() {
            let object = self.lock.object(self.place);
            let request = Request::new(Action::UnlockShared, object, Access::Unshare, self.place);
            task::visible(request);
            let left = task::word(object) - 1;
            if left == 0 {
                task::set_held(object, 0, false);
            } else {
                task::set_word(object, left);
            }
        }
        drop(real);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        let real = self.real.take();
        if task::is_simulated() {
            let object = self.lock.object(self.place);
            task::visible(Request::new(Action::Unlock, object, Access::Release, self.place));
            task::set_held(object, 0, false);
        }
        drop(real);
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.real.as_deref().expect("a guard holds its lock")
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.real.as_deref().expect("a guard holds its lock")
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.real.as_deref_mut().expect("a guard holds its lock")
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
