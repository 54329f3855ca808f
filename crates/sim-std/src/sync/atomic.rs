//! Atomics under the scheduler: every access is a visible operation. Transparent over the real
//! ones, because programs cast between atomics and integers; the scheduler knows them by address.
//!
//! Under sequential consistency an access does what the real one does, whatever order it asks for; the
//! order is kept in the trace. Under C11, `task::atomics` decides what is read; the real atomic holds
//! the last store of the modification order.

use ::std::fmt;
use ::std::panic::Location;
use ::std::sync::atomic as real;

use quadrille_sim::task::{self, atomics};
use quadrille_sim::{Access, Action, Kind, ObjectId, POINTER, Place, Request};

pub use ::std::sync::atomic::Ordering;

use Ordering::SeqCst;

/// A fence, as a visible operation.
#[track_caller]
pub fn fence(order: Ordering) {
    if task::is_simulated() {
        let place = Location::caller();
        task::visible(Request::new(Action::Fence(order), ObjectId::NONE, Access::None, place));
    } else {
        real::fence(order);
    }
}

/// A fence for the compiler only.
pub fn compiler_fence(order: Ordering) {
    real::compiler_fence(order);
}

/// Says that the thread polls.
#[deprecated(note = "use `hint::spin_loop`")]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

/// Performs the visible part of an access; nothing outside of a simulation. At the first one of an
/// execution, `reset` is called, before anything is decided. With weak memory, says which object it is.
#[inline]
fn visit(
    address: usize,
    action: Action,
    access: Access,
    place: Place,
    reset: impl FnOnce(),
) -> Option<Option<ObjectId>> {
    let visited = task::visible_at(address, Kind::Atomic, (action, access), place, reset)?;
    Some(visited.is_weak.then_some(visited.object))
}

macro_rules! atomic {
    ($(#[$attribute:meta])* $name:ident, $value:ty, [$($generic:tt)*], $bits:expr, $exact:expr, $value_of:expr) => {
        $(#[$attribute])*
        #[repr(transparent)]
        pub struct $name $($generic)* (real::$name $($generic)*);

        impl $($generic)* $name $($generic)* {
            /// One that holds `value`.
            #[must_use]
            pub const fn new(value: $value) -> Self {
                Self(real::$name::new(value))
            }

            fn address(&self) -> usize {
                ::std::ptr::from_ref(self) as usize
            }

            /// The atomic at a place in memory.
            ///
            /// # Safety
            ///
            /// As for the real one.
            pub const unsafe fn from_ptr<'a>(pointer: *mut $value) -> &'a Self {
                // SAFETY: transparent over the real one, of which the caller promises the same.
                unsafe { &*pointer.cast::<Self>() }
            }

            /// The value, to which there is no other reference.
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            /// The value.
            pub const fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            /// Where the value is.
            pub const fn as_ptr(&self) -> *mut $value {
                self.0.as_ptr()
            }

            /// Puts back the value that a static had before the first execution.
            fn reset(&self, place: Place) {
                let (held, is_pointer) = (self.0.load(SeqCst), stringify!($name) == "AtomicPtr");
                let first = crate::statics::initial(self.address(), $exact(held), is_pointer, place);
                if let Some(first) = first {
                    self.0.store($value_of(first), SeqCst);
                }
            }

            fn observe(value: $value, has_changed: bool) {
                task::observe($bits(value), has_changed);
            }

            /// Reads it.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let (action, place) = (Action::Load(order), Location::caller());
                let reset = || self.reset(place);
                let Some(weak) = visit(self.address(), action, Access::Read, place, reset) else {
                    return self.0.load(order);
                };
                let mut value = self.0.load(SeqCst);
                if let Some(object) = weak {
                    value = $value_of(atomics::load(object, $exact(value), order));
                }
                Self::observe(value, false);
                value
            }

            /// Writes it.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                let (action, place) = (Action::Store(order), Location::caller());
                let reset = || self.reset(place);
                let Some(weak) = visit(self.address(), action, Access::Write, place, reset) else {
                    return self.0.store(value, order);
                };
                if weak.is_none_or(|object| {
                    atomics::store(object, $exact(self.0.load(SeqCst)), $exact(value), order)
                }) {
                    self.0.store(value, SeqCst);
                }
                Self::observe(value, true);
            }

            #[track_caller]
            fn update_once(
                &self,
                order: Ordering,
                f: impl Fn(&real::$name $($generic)*, Ordering) -> $value,
            ) -> $value {
                let (action, place) = (Action::Update(order), Location::caller());
                let reset = || self.reset(place);
                let Some(weak) = visit(self.address(), action, Access::Write, place, reset) else {
                    return f(&self.0, order);
                };
                let value = match weak {
                    None => f(&self.0, SeqCst),
                    Some(object) => {
                        let next = |bits: u64| {
                            let after = real::$name::new($value_of(bits));
                            f(&after, SeqCst);
                            Some($exact(after.into_inner()))
                        };
                        self.update_weakly(object, (order, order), &next)
                    }
                };
                Self::observe(value, true);
                value
            }

            /// What an update finds under weak memory.
            fn update_weakly(
                &self,
                object: ObjectId,
                orders: (Ordering, Ordering),
                next: &dyn Fn(u64) -> Option<u64>,
            ) -> $value {
                let held = $exact(self.0.load(SeqCst));
                let found = atomics::update(object, held, orders, next);
                if let Some(after) = next(found.before).filter(|_| found.is_last) {
                    self.0.store($value_of(after), SeqCst);
                }
                $value_of(found.before)
            }

            /// Writes it and gives the value before.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.update_once(order, |real, order| real.swap(value, order))
            }

            /// Writes `new` if it holds `current`; gives the value before.
            #[track_caller]
            #[deprecated(note = "use `compare_exchange`")]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                match self.compare_exchange(current, new, order, Ordering::Relaxed) {
                    Ok(value) | Err(value) => value,
                }
            }

            /// Writes `new` if it holds `current`.
            ///
            /// # Errors
            ///
            /// With the value it holds, if that is another one.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let order = if failure == SeqCst { SeqCst } else { success };
                let (action, place) = (Action::Update(order), Location::caller());
                let reset = || self.reset(place);
                let Some(weak) = visit(self.address(), action, Access::Write, place, reset) else {
                    return self.0.compare_exchange(current, new, success, failure);
                };
                let result = match weak {
                    None => self.0.compare_exchange(current, new, SeqCst, SeqCst),
                    Some(object) => {
                        let is_current = |bits: u64| bits == $exact(current);
                        let next = |bits: u64| is_current(bits).then(|| $exact(new));
                        let before = self.update_weakly(object, (success, failure), &next);
                        if is_current($exact(before)) { Ok(before) } else { Err(before) }
                    }
                };
                match result {
                    Ok(value) => Self::observe(value, true),
                    Err(value) => Self::observe(value, false),
                }
                result
            }

            /// Writes `new` if it holds `current`; never fails without cause here.
            ///
            /// # Errors
            ///
            /// With the value it holds, if that is another one.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            /// Writes what `f` makes of its value, unless that is nothing.
            ///
            /// # Errors
            ///
            /// With the value, if `f` makes nothing of it.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut f: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let mut before = self.load(fetch);
                while let Some(next) = f(before) {
                    match self.compare_exchange(before, next, set, fetch) {
                        Ok(value) => return Ok(value),
                        Err(value) => before = value,
                    }
                }
                Err(before)
            }

            /// Writes what `f` makes of its value, unless that is nothing; as `fetch_update`.
            ///
            /// # Errors
            ///
            /// With the value, if `f` makes nothing of it.
            #[track_caller]
            pub fn try_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set, fetch, f)
            }

            /// Writes what `f` makes of its value; gives the value before.
            #[track_caller]
            pub fn update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                match self.fetch_update(set, fetch, |value| Some(f(value))) {
                    Ok(value) | Err(value) => value,
                }
            }
        }

        impl $($generic)* From<$value> for $name $($generic)* {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $($generic)* fmt::Debug for $name $($generic)* {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

macro_rules! fetches {
    ($name:ident, $value:ty, $($fetch:ident: $what:literal),*) => {
        impl $name {
            $(
                #[doc = $what]
                #[track_caller]
                pub fn $fetch(&self, value: $value, order: Ordering) -> $value {
                    self.update_once(order, |real, order| real.$fetch(value, order))
                }
            )*
        }
    };
}

macro_rules! integer {
    ($name:ident, $value:ty) => {
        atomic!(
            /// An integer that threads share.
            #[derive(Default)]
            $name, $value, [], |value: $value| value as u64, |value: $value| value as u64,
            |bits: u64| bits as $value
        );
        fetches!(
            $name, $value,
            fetch_add: "Adds; gives the value before.",
            fetch_sub: "Subtracts; gives the value before.",
            fetch_and: "Bitwise and; gives the value before.",
            fetch_nand: "Bitwise nand; gives the value before.",
            fetch_or: "Bitwise or; gives the value before.",
            fetch_xor: "Bitwise exclusive or; gives the value before.",
            fetch_max: "The greater of the two; gives the value before.",
            fetch_min: "The lesser of the two; gives the value before."
        );
    };
}

/// Zeroes and the like, as programs of old begin with.
macro_rules! init {
    ($($name:ident: $type:ty = $value:expr),*) => {
        $(
            #[doc = "The value to begin with."]
            #[deprecated(note = "use `new`")]
            #[allow(clippy::declare_interior_mutable_const, reason = "as it is called and used")]
            pub const $name: $type = <$type>::new($value);
        )*
    };
}

init!(
    ATOMIC_BOOL_INIT: AtomicBool = false,
    ATOMIC_I8_INIT: AtomicI8 = 0,
    ATOMIC_I16_INIT: AtomicI16 = 0,
    ATOMIC_I32_INIT: AtomicI32 = 0,
    ATOMIC_I64_INIT: AtomicI64 = 0,
    ATOMIC_ISIZE_INIT: AtomicIsize = 0,
    ATOMIC_U8_INIT: AtomicU8 = 0,
    ATOMIC_U16_INIT: AtomicU16 = 0,
    ATOMIC_U32_INIT: AtomicU32 = 0,
    ATOMIC_U64_INIT: AtomicU64 = 0,
    ATOMIC_USIZE_INIT: AtomicUsize = 0
);

integer!(AtomicI8, i8);
integer!(AtomicU8, u8);
integer!(AtomicI16, i16);
integer!(AtomicU16, u16);
integer!(AtomicI32, i32);
integer!(AtomicU32, u32);
integer!(AtomicI64, i64);
integer!(AtomicU64, u64);
integer!(AtomicIsize, isize);
integer!(AtomicUsize, usize);

atomic!(
    /// A truth value that threads share.
    #[derive(Default)]
    AtomicBool, bool, [], u64::from, u64::from, |bits: u64| bits != 0
);
fetches!(
    AtomicBool, bool,
    fetch_and: "Logical and; gives the value before.",
    fetch_nand: "Logical nand; gives the value before.",
    fetch_or: "Logical or; gives the value before.",
    fetch_xor: "Logical exclusive or; gives the value before."
);

impl AtomicBool {
    /// Logical not; gives the value before.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

/// What a pointer is in a trace: addresses differ between equal executions.
fn is_some<T>(pointer: *mut T) -> u64 {
    if pointer.is_null() { 0 } else { POINTER }
}

atomic!(
    /// A pointer that threads share.
    AtomicPtr, *mut T, [<T>], is_some, |pointer: *mut T| pointer as u64, |bits: u64| bits as *mut T
);

macro_rules! pointer_fetches {
    ($($fetch:ident: $what:literal),*) => {
        impl<T> AtomicPtr<T> {
            $(
                #[doc = $what]
                #[track_caller]
                pub fn $fetch(&self, value: usize, order: Ordering) -> *mut T {
                    self.update_once(order, |real, order| real.$fetch(value, order))
                }
            )*
        }
    };
}

pointer_fetches!(
    fetch_ptr_add: "Moves it up by so many elements; gives the pointer before.",
    fetch_ptr_sub: "Moves it down by so many elements; gives the pointer before.",
    fetch_byte_add: "Moves it up by so many bytes; gives the pointer before.",
    fetch_byte_sub: "Moves it down by so many bytes; gives the pointer before.",
    fetch_or: "Bitwise or of its address; gives the pointer before.",
    fetch_and: "Bitwise and of its address; gives the pointer before.",
    fetch_xor: "Bitwise exclusive or of its address; gives the pointer before."
);

impl<T> Default for AtomicPtr<T> {
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(::std::ptr::null_mut())
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.0, f)
    }
}
