//! Fences of which one side is almost free. A light fence only keeps the compiler from reordering; a heavy
//! one asks the kernel to let every running thread of the process pass a full barrier. So between a light
//! fence and a heavy one memory is ordered as between two sequentially consistent fences.
//!
//! A push need not wait then until its cache line is there, which is most of what it costs while others read
//! the line all the time. The idea is that of asymmetric Dekker synchronisation (Dice, Huang, Yang 2001).

use std::sync::atomic::{Ordering, compiler_fence};

/// Orders what the thread did before with what it does after, for those who use [`heavy_fence`].
#[inline(always)]
pub fn light_fence() {
    compiler_fence(Ordering::SeqCst);
}

#[cfg(all(target_os = "linux", not(miri)))]
mod kernel {
    use std::sync::OnceLock;

    /// Whether the kernel promised the process to make its threads pass barriers. Asked once.
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

/// Whether [`heavy_fence`] does what it says on this machine.
pub fn is_asymmetric() -> bool {
    kernel::is_asymmetric()
}

/// Orders what the thread did before with what it does after, for those who use [`light_fence`]. Only to be
/// used if [`is_asymmetric`]. Takes about as long as waking a thread.
pub fn heavy_fence() {
    kernel::heavy_fence();
}
