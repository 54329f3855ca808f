//! `std::cell`, in which taking the pointer out of an `UnsafeCell` can be a visible operation, so
//! that threads can come between two accesses of data that no lock protects.

use ::std::fmt;
use ::std::panic::Location;

pub use ::std::cell::*;

use quadrille_sim::{Access, Action, Kind, task};

/// The core of interior mutability. Like the real one, it is not `Sync`.
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(::std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// A cell around a value.
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(::std::cell::UnsafeCell::new(value))
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// A pointer to the value. A visible operation if the exploration asks for it: what is done with
    /// the pointer is not known, so it counts as writing.
    #[track_caller]
    #[inline]
    pub fn get(&self) -> *mut T {
        if task::watches_cells() {
            let place = Location::caller();
            let address = ::std::ptr::from_ref(self).cast::<()>() as usize;
            let _ = task::visible_at(
                address,
                Kind::Cell,
                (Action::TouchCell, Access::Write),
                place,
                || (),
            );
        }
        self.0.get()
    }

    /// The value, to which there is no other reference.
    pub const fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// A pointer to the value of a cell that a pointer points to.
    pub const fn raw_get(this: *const UnsafeCell<T>) -> *mut T {
        this as *const T as *mut T
    }

    /// The cell in the place of a value.
    pub const fn from_mut(value: &mut T) -> &mut UnsafeCell<T> {
        // SAFETY: transparent over the real cell, which is transparent over the value.
        unsafe { &mut *(::std::ptr::from_mut(value) as *mut UnsafeCell<T>) }
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
