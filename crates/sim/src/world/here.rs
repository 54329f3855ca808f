//! Which world a thread is in. Everything that code under the scheduler asks goes through [`WORLD`], so that
//! finding the world is one load; it lives where the exploration does.
//!
//! The unsafe code here: following the pointer to the world that [`enter`] keeps alive.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

use super::World;

thread_local! {
    static HERE: Cell<Option<NonNull<RefCell<World>>>> = const { Cell::new(None) };
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
