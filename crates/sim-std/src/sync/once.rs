//! `Once`, `OnceLock`, `LazyLock`. What an execution initialised is forgotten by the next one, so
//! that statics begin every execution as they were before the first.

use ::std::cell::UnsafeCell;
use ::std::fmt;
use ::std::marker::PhantomData;
use ::std::ops::Deref;
use ::std::panic::{Location, RefUnwindSafe, UnwindSafe};
use ::std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use quadrille_sim::{Access, Action, Guard, Kind, ObjectId, Place, Request, task};

use crate::identity::Identity;

/// Runs something once per execution.
pub struct Once {
    identity: Identity,
    /// The execution in which it completed; `OUTSIDE` if that was in none.
    completed: AtomicU32,
    poisoned: AtomicU32,
    real: ::std::sync::Once,
}

const OUTSIDE: u32 = u32::MAX;

/// Whether an earlier attempt panicked.
#[derive(Debug)]
pub struct OnceState {
    is_poisoned: bool,
}

impl OnceState {
    /// Whether it did.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned
    }
}

/// Gives the turn back, poisoned unless all went well.
struct Turn<'a> {
    once: &'a Once,
    object: ObjectId,
    place: Place,
    is_done: bool,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let epoch = task::epoch();
        if self.is_done {
            self.once.completed.store(epoch, Ordering::Relaxed);
        }
        let poisoned = if self.is_done { 0 } else { epoch };
        self.once.poisoned.store(poisoned, Ordering::Relaxed);
        task::visible(Request::new(Action::Unlock, self.object, Access::Release, self.place));
        task::set_held(self.object, 0, false);
    }
}

impl Once {
    /// Nothing has run yet.
    #[must_use]
    pub const fn new() -> Once {
        Once {
            identity: Identity::new(),
            completed: AtomicU32::new(0),
            poisoned: AtomicU32::new(0),
            real: ::std::sync::Once::new(),
        }
    }

    fn is_completed_now(&self) -> bool {
        let completed = self.completed.load(Ordering::Relaxed);
        self.real.is_completed() || completed == OUTSIDE || completed == task::epoch()
    }

    /// Whether it has run.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if !task::is_simulated() {
            return self.real.is_completed();
        }
        let place = Location::caller();
        let object = self.identity.get(Kind::Once, place).0;
        task::visible(Request::new(Action::Call, object, Access::Read, place));
        let is_completed = self.is_completed_now();
        task::observe(u64::from(is_completed), false);
        is_completed
    }

    /// Runs `f` unless something has run; waits if something runs.
    ///
    /// # Panics
    ///
    /// If an earlier attempt panicked.
    #[track_caller]
    pub fn call_once<F>(&self, f: F)
    where
        F: FnOnce(),
    {
        if !task::is_simulated() {
            return self.real.call_once(f);
        }
        self.call(false, |_| f());
    }

    /// Runs `f` unless something has run without panicking.
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        if !task::is_simulated() {
            return self.real.call_once_force(|state| {
                f(&OnceState { is_poisoned: state.is_poisoned() });
            });
        }
        self.call(true, f);
    }

    /// Waits until something has run.
    #[track_caller]
    pub fn wait(&self) {
        while !self.is_completed() {
            crate::thread::yield_now();
        }
    }

    #[track_caller]
    fn call(&self, ignores_poison: bool, f: impl FnOnce(&OnceState)) {
        let place = Location::caller();
        let object = self.identity.get(Kind::Once, place).0;
        let request = Request::new(Action::Call, object, Access::Acquire, place);
        task::visible(request.when(Guard::Zero));
        task::set_held(object, 1, true);
        let mut turn = Turn { once: self, object, place, is_done: false };
        let is_poisoned = self.poisoned.load(Ordering::Relaxed) == task::epoch();
        if self.is_completed_now() {
            turn.is_done = true;
            return;
        }
        assert!(ignores_poison || !is_poisoned, "Once instance has previously been poisoned");
        f(&OnceState { is_poisoned });
        turn.is_done = true;
    }
}

impl Default for Once {
    fn default() -> Once {
        Once::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// A value that is set once per execution.
///
/// Values of earlier executions are never dropped: a static may still point to them.
pub struct OnceLock<T> {
    once: Once,
    value: AtomicPtr<T>,
    /// The execution that set it; zero if none did.
    epoch: AtomicU32,
    owns: PhantomData<T>,
}

// SAFETY: as for the real `OnceLock`: a shared one gives out `&T` and takes a `T` from any thread.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}
// SAFETY: it owns its value.
unsafe impl<T: Send> Send for OnceLock<T> {}
impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// Nothing is set.
    #[must_use]
    pub const fn new() -> OnceLock<T> {
        OnceLock {
            once: Once::new(),
            value: AtomicPtr::new(::std::ptr::null_mut()),
            epoch: AtomicU32::new(0),
            owns: PhantomData,
        }
    }

    fn peek(&self) -> Option<&T> {
        let epoch = self.epoch.load(Ordering::Acquire);
        if epoch != OUTSIDE && !(task::is_simulated() && epoch == task::epoch()) {
            return None;
        }
        // SAFETY: the pointer came from a box when the epoch was set, and is freed only by `&mut
        // self` or on drop.
        unsafe { self.value.load(Ordering::Acquire).as_ref() }
    }

    fn put(&self, value: T) {
        self.value.store(Box::into_raw(Box::new(value)), Ordering::Release);
        let epoch = if task::is_simulated() { task::epoch() } else { OUTSIDE };
        self.epoch.store(epoch, Ordering::Release);
    }

    /// The value, if it is set.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if task::is_simulated() && !self.once.is_completed() {
            return None;
        }
        self.peek()
    }

    /// The value, if it is set.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.peek()?;
        // SAFETY: as in `peek`, and there is no other reference while `self` is borrowed mutably.
        unsafe { self.value.load(Ordering::Acquire).as_mut() }
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// With the value, if another one is set.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("initialised once"));
        value.map_or(Ok(()), Err)
    }

    /// The value, which `f` makes if there is none.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        self.once.call_once_force(|_| self.put(f()));
        self.peek().expect("it was set before the call returned")
    }

    /// The value, once it is set.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait();
        self.peek().expect("it was set before the call returned")
    }

    /// The value, if it was set.
    pub fn into_inner(mut self) -> Option<T> {
        self.take()
    }

    /// The value, if it was set; nothing is set then.
    pub fn take(&mut self) -> Option<T> {
        self.peek()?;
        self.once = Once::new();
        let value = self.value.swap(::std::ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: the pointer came from a box, and was just taken out by the only user.
        (!value.is_null()).then(|| *unsafe { Box::from_raw(value) })
    }
}

impl<T> Drop for OnceLock<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnceLock").field(&self.peek()).finish()
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> OnceLock<T> {
        self.peek().cloned().map_or_else(OnceLock::new, OnceLock::from)
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> OnceLock<T> {
        let lock = OnceLock::new();
        let _ = lock.set(value);
        lock
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.peek() == other.peek()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

/// A value that is made when it is first used in an execution.
pub struct LazyLock<T, F = fn() -> T> {
    lock: OnceLock<T>,
    make: UnsafeCell<Option<F>>,
}

// SAFETY: `make` is used only inside of `OnceLock::get_or_init`, by one thread at a time.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}
impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// Will call `f` at first use.
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock { lock: OnceLock::new(), make: UnsafeCell::new(Some(f)) }
    }

    /// The value.
    ///
    /// # Panics
    ///
    /// If a function that owns something would have to be called in a second execution.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.lock.get_or_init(|| {
            // SAFETY: only one thread at a time is in here.
            let make = unsafe { &mut *this.make.get() };
            let f = if ::std::mem::needs_drop::<F>() {
                make.take()
            } else {
                // SAFETY: a function that owns nothing can be called once per execution as if it
                // were made anew: what it borrows is used by one call after the other.
                make.as_ref().map(|make| unsafe { ::std::ptr::read(make) })
            };
            f.expect("a LazyLock that outlives executions needs a function that owns nothing")()
        })
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;
    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LazyLock").field(&self.lock.peek()).finish()
    }
}
