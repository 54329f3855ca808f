//! Storage for one element, and padding against false sharing. Whether a cell is full is tracked by the atomics of each kind
//! of queue.

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Deref;

use crate::sync::UnsafeCell;

/// Storage for one element, possibly empty.
pub(super) struct Cell<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Cell<T> {
    pub(super) fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Stores an element; one that is there already is leaked.
    ///
    /// # Safety
    /// No other thread accesses the cell at the same time.
    #[inline(always)]
    pub(super) unsafe fn put(&self, element: T) {
        // SAFETY: the caller promises that the access is exclusive.
        self.0.with_mut(|place| unsafe { (*place).write(element) });
    }

    /// Takes the element out.
    ///
    /// # Safety
    /// The cell is full, no other thread accesses it at the same time, and it counts as empty from now on.
    #[inline(always)]
    pub(super) unsafe fn take(&self) -> T {
        // SAFETY: the caller promises that the cell is full, and that this is the only reading by value.
        self.0.with_mut(|place| unsafe { (*place).assume_init_read() })
    }

    /// Looks at the element.
    ///
    /// # Safety
    /// The cell is full, and no thread writes it or takes from it while `look` runs.
    #[inline(always)]
    pub(super) unsafe fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: the caller promises that the cell is full and stays as it is.
        self.0.with(|place| look(unsafe { (*place).assume_init_ref() }))
    }
}

/// Prefetches memory for reading.
#[inline(always)]
pub(super) fn fetch_to_read<T>(place: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint touches nothing, wherever it points.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}

/// Prefetches memory for writing.
#[inline(always)]
pub(super) fn fetch_to_write<T>(place: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint touches nothing, wherever it points.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}

impl<T> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cell")
    }
}

/// Two cache lines of its own, because processors fetch pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Padded<T>(pub(super) T);

impl<T> Deref for Padded<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
