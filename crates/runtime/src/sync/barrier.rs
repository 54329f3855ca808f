//! Asymmetric fences (Dice, Huang, Yang 2001). A light fence only restrains the compiler; a heavy one makes every running
//! thread of the process pass a full barrier, by a system call. A light fence and a heavy one order memory as two
//! sequentially consistent fences do.
//!
//! So a push need not wait for its cache line, which is most of its cost while other threads read the line.

use std::sync::atomic::{Ordering, compiler_fence};

/// Orders the accesses of this thread with respect to threads that use [`heavy_fence`].
#[inline(always)]
pub fn light_fence() {
    compiler_fence(Ordering::SeqCst);
}

#[cfg(all(target_os = "linux", not(miri)))]
mod kernel {
    use std::sync::OnceLock;

    /// Whether the process is registered for expedited barriers. Determined once.
    static IS_REGISTERED: OnceLock<bool> = OnceLock::new();

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: the call takes two more numbers, flags and a processor, and touches no memory of ours.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    pub fn is_asymmetric() -> bool {
        *IS_REGISTERED.get_or_init(|| membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED))
    }

    pub fn heavy_fence() {
        let is_done = membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED);
        assert!(is_done, "the kernel keeps the promise of `is_asymmetric`");
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod kernel {
    pub fn is_asymmetric() -> bool {
        false
    }

    pub fn heavy_fence() {}
}

/// Whether [`heavy_fence`] is available on this machine.
pub fn is_asymmetric() -> bool {
    kernel::is_asymmetric()
}

/// Orders the accesses of this thread with respect to threads that use [`light_fence`]. Requires [`is_asymmetric`]. Costs
/// about as much as waking a thread.
pub fn heavy_fence() {
    kernel::heavy_fence();
}
