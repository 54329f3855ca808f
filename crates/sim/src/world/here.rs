//! Which world a thread is in. Everything that code under the scheduler asks goes through [`WORLD`], so that
//! finding the world is one load; it lives where the exploration does.
//!
//! The unsafe code here: following the pointer to the world that [`enter`] keeps alive.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

use super::World;
use crate::runner::IS_SIMULATED;
use crate::watchdog::Pulse;

thread_local! {
    static HERE: Cell<Option<NonNull<RefCell<World>>>> = const { Cell::new(None) };
    static MORE: Cell<*const ()> = const { Cell::new(std::ptr::null()) };
    /// For who asks where nothing is explored.
    static OUTSIDE: RefCell<World> = RefCell::new(World::new());
}

/// The world of the calling thread.
pub(crate) struct Here;

/// The world of the calling thread.
pub(crate) static WORLD: Here = Here;

/// Calls `f` on a thread whose world is `world`.
pub(crate) fn enter<R>(world: &RefCell<World>, f: impl FnOnce() -> R) -> R {
    struct Leave(Option<NonNull<RefCell<World>>>);
    impl Drop for Leave {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _leave = Leave(HERE.replace(Some(NonNull::from(world))));
    f()
}

/// What the thread of a task takes over from the one that explores.
pub(crate) struct Inherited {
    here: Option<NonNull<RefCell<World>>>,
    more: *const (),
}

impl Inherited {
    pub(crate) fn of_this_thread() -> Inherited {
        Inherited { here: HERE.get(), more: MORE.get() }
    }

    /// Calls `body` as a part of the exploration.
    pub(crate) fn adopt(&self, pulse: &Pulse, body: impl FnOnce()) {
        HERE.set(self.here);
        MORE.set(self.more);
        IS_SIMULATED.set(true);
        pulse.watch_this_thread();
        body();
        IS_SIMULATED.set(false);
        MORE.set(std::ptr::null());
        HERE.set(None);
    }
}

/// Leaves something for the threads of all tasks that the calling thread explores.
pub fn inherit(something: *const ()) {
    MORE.set(something);
}

/// What was left by the thread that explores the caller; null if it left nothing.
#[must_use]
pub fn inherited() -> *const () {
    MORE.try_with(Cell::get).unwrap_or(std::ptr::null())
}

#[cold]
fn outside() -> NonNull<RefCell<World>> {
    OUTSIDE.with(|world| NonNull::from(world))
}

#[allow(clippy::inline_always, reason = "what is asked is mostly known where it is asked")]
impl Here {
    /// The world, for who borrows it without a closure.
    ///
    /// # Safety
    ///
    /// The reference must be gone before [`enter`] returns, or the thread ends.
    #[inline(always)]
    pub(crate) unsafe fn get<'a>(&self) -> &'a RefCell<World> {
        let world = HERE.get().unwrap_or_else(outside);
        // SAFETY: `enter` borrows the world for as long as `HERE` points to it, and a thread's own
        // one lives until the thread ends; the caller promises not to keep it longer.
        unsafe { world.as_ref() }
    }

    /// The world, if there is one.
    ///
    /// # Safety
    ///
    /// As for [`Here::get`].
    #[inline(always)]
    pub(crate) unsafe fn find<'a>(&self) -> Option<&'a RefCell<World>> {
        // SAFETY: as there.
        HERE.get().map(|world| unsafe { world.as_ref() })
    }

    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(&RefCell<World>) -> R) -> R {
        // SAFETY: `f` cannot keep the reference.
        f(unsafe { self.get() })
    }

    #[inline(always)]
    pub(crate) fn with_borrow<R>(&self, f: impl FnOnce(&World) -> R) -> R {
        // SAFETY: `f` cannot keep the reference.
        f(&unsafe { self.get() }.borrow())
    }

    #[inline(always)]
    pub(crate) fn with_borrow_mut<R>(&self, f: impl FnOnce(&mut World) -> R) -> R {
        // SAFETY: `f` cannot keep the reference.
        f(&mut unsafe { self.get() }.borrow_mut())
    }

    /// Whether the thread is in a world of which this holds, and nothing borrows that world.
    #[inline(always)]
    pub(crate) fn is_some_and(&self, f: impl FnOnce(&World) -> bool) -> bool {
        HERE.get().is_some_and(|world| {
            // SAFETY: as above.
            unsafe { world.as_ref() }.try_borrow().is_ok_and(|world| f(&world))
        })
    }
}
