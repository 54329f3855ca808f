//! `std::sync` under the scheduler. `Arc` is the real one: its coercions are closed to libraries.

pub use ::std::sync::*;

pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod once;
mod rwlock;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::{LazyLock, Once, OnceLock, OnceState};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A `Once` to begin with, for programs of old.
#[deprecated(note = "use `Once::new`")]
#[allow(clippy::declare_interior_mutable_const, reason = "as it is called and used")]
pub const ONCE_INIT: Once = Once::new();

/// The real lock inside a simulated one is free whenever the scheduler says that it is, unless it
/// lives in a static and an execution that failed left it locked.
pub(crate) const LEFT_LOCKED: &str =
    "a lock that outlives executions was left locked by one that failed";
