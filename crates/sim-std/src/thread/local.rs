//! Variables of which every thread has its own.

use ::std::cell::{Cell, RefCell};
use ::std::fmt;
use ::std::thread::AccessError;

use quadrille_sim::task;

type Native<T> = fn(&mut dyn FnMut(&T)) -> Result<(), AccessError>;

/// A variable of which every thread has its own; made by `thread_local!`.
pub struct LocalKey<T: 'static> {
    make: fn() -> T,
    native: Native<T>,
}

impl<T: 'static> LocalKey<T> {
    /// For the expansion of `thread_local!`.
    #[doc(hidden)]
    pub const fn declared(make: fn() -> T, native: Native<T>) -> LocalKey<T> {
        LocalKey { make, native }
    }

    /// Calls `f` on the thread's own variable.
    ///
    /// # Panics
    ///
    /// If the thread ends and has dropped it.
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.try_with(f).expect("cannot access a thread-local variable after it was dropped")
    }

    /// Calls `f` on the thread's own variable.
    ///
    /// # Errors
    ///
    /// If the thread ends and has dropped it.
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        let mut f = Some(f);
        let mut result = None;
        if task::is_simulated() {
            let key = ::std::ptr::from_ref(self) as usize;
            let call = |value: &T| f.take().map(|f| f(value));
            return task::with_local(key, self.make, call).flatten().ok_or_else(gone);
        }
        (self.native)(&mut |value| result = f.take().map(|f| f(value)))?;
        result.ok_or_else(gone)
    }
}

/// The error of a variable that is gone. Only the real `std` can make one: a variable whose own
/// destructor looks for it is gone.
fn gone() -> AccessError {
    ::std::thread_local!(static FOUND: Cell<Option<AccessError>> = const { Cell::new(None) });
    if let Some(error) = FOUND.get() {
        return error;
    }
    let error = ::std::thread::spawn(|| {
        struct Finds(::std::sync::mpsc::Sender<AccessError>);
        ::std::thread_local!(static SELF: RefCell<Option<Finds>> = const { RefCell::new(None) });
        impl Drop for Finds {
            fn drop(&mut self) {
                if let Err(error) = SELF.try_with(|_| ()) {
                    let _ = self.0.send(error);
                }
            }
        }
        let (sender, receiver) = ::std::sync::mpsc::channel();
        SELF.set(Some(Finds(sender)));
        receiver
    });
    let receiver = error.join().expect("this thread does nothing that panics");
    let error = receiver.recv().expect("a variable that is being dropped is gone");
    FOUND.set(Some(error));
    error
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the variable.
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// Its value.
    #[must_use]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes its value.
    #[must_use]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Exchanges its value.
    #[must_use]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Calls `f` with a borrow of it.
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Calls `f` with a mutable borrow of it.
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the variable.
    pub fn set(&'static self, value: T) {
        self.with(|cell| *cell.borrow_mut() = value);
    }

    /// Takes its value.
    #[must_use]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Exchanges its value.
    #[must_use]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}
