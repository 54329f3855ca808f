//! All that queues and events use to be shared between threads. Nothing else names atomics of the
//! standard library, so that `tests/interleavings.rs` can put the same file over `loom` and explore every
//! interleaving of the very sources that production runs.

mod barrier;

use std::ops::RangeInclusive;

pub use barrier::{heavy_fence, is_asymmetric, light_fence};
pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
pub use std::sync::{Mutex, MutexGuard};
pub use std::thread::{Thread, current, park, park_timeout, yield_now};

pub use std::hint::spin_loop;

/// How long a waiting thread stays awake.
#[derive(Debug)]
pub struct Patience {
    /// How often it looks before it gives way, at least and at most: powers of two. At least often enough to
    /// learn that looking pays again.
    pub spins: RangeInclusive<u32>,
    /// How often it lets others run before it sleeps.
    pub yields: u32,
    /// How often it looks to find out whether it should look more often.
    pub probe: u32,
    /// How long it stays away where it is in no hurry.
    pub linger: u32,
    /// How often it does that.
    pub lingers: u32,
    /// How often one of many roles lets others run before it sleeps. More often, and it takes turns with others
    /// that have work to do; less often, and it sleeps while they are about to be done.
    pub turns: u32,
}

/// How long waiting threads stay awake. An exploration of interleavings has no patience: looking again is the
/// same as being scheduled later.
#[inline(always)]
pub const fn patience() -> Patience {
    Patience {
        spins: 1 << 2..=1 << 11,
        yields: 2,
        probe: 1 << 8,
        linger: 1 << 5,
        lingers: 4,
        turns: 1 << 4,
    }
}

/// Memory that one thread writes and another reads, when the atomics beside it say so. The interface is
/// loom's, which can watch the accesses.
#[derive(Debug)]
pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// A cell with a content.
    pub const fn new(content: T) -> Self {
        Self(std::cell::UnsafeCell::new(content))
    }

    /// Gives the content to read.
    #[inline(always)]
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    /// Gives the content to write.
    #[inline(always)]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}
