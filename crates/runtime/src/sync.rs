//! The synchronisation primitives of queues and events. Nothing else names atomics of the standard library, so that
//! `tests/interleavings.rs` can run the same sources over `loom` and explore every interleaving.

mod barrier;

use std::ops::RangeInclusive;

pub use barrier::{heavy_fence, is_asymmetric, light_fence};
pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
pub use std::sync::{Mutex, MutexGuard};
pub use std::thread::{Thread, current, park, park_timeout, yield_now};

pub use std::hint::spin_loop;

/// The back-off of a waiting thread before it parks.
#[derive(Debug)]
pub struct BackOff {
    /// Least and greatest number of spins, powers of two. The least is large enough to learn that spinning pays again.
    pub spins: RangeInclusive<u32>,
    /// Number of yields.
    pub yields: u32,
    /// Number of spins of a probe, which finds out whether to spin more.
    pub probe: u32,
    /// Spins between two checks for the next message of a stream.
    pub linger: u32,
    /// Number of such checks.
    pub lingers: u32,
    /// Number of yields where roles outnumber processors. With more, it competes with roles that have work to do; with
    /// fewer, it parks although they are about to be done.
    pub turns: u32,
}

/// The back-off of waiting threads. Under `loom` there is none: checking again is the same as being scheduled later.
#[inline(always)]
pub const fn back_off() -> BackOff {
    BackOff {
        spins: 1 << 2..=1 << 11,
        yields: 2,
        probe: 1 << 8,
        linger: 1 << 5,
        lingers: 4,
        turns: 1 << 4,
    }
}

/// Memory whose owner is determined by the atomics beside it. The interface is that of loom, which checks the accesses.
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
