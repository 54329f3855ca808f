//! The standard library, with `thread`, `sync`, `time` and `hint` under Quadrille's scheduler.
//!
//! Everything else is the real one. Inside a simulation the operations are the scheduler's; outside
//! they are the real ones, so that the same types serve both. Names that are replaced are imported
//! one by one: two globs with the same name would silently let the real one win in other crates.
//!
//! ```
//! use quadrille_sim_std::{sync::{Arc, Mutex}, thread};
//! use quadrille_sim::{Config, explore, strategy::Uniform};
//!
//! let report = explore(Config::default(), Box::new(Uniform::new(1, 50)), Arc::new(|| {
//!     let counter = Arc::new(Mutex::new(0));
//!     let other = Arc::clone(&counter);
//!     let child = thread::spawn(move || *other.lock().unwrap() += 1);
//!     *counter.lock().unwrap() += 1;
//!     child.join().unwrap();
//!     assert_eq!(*counter.lock().unwrap(), 2);
//! }));
//! assert!(report.failure.is_none());
//! ```

pub use ::std::*;

#[cfg(feature = "cells")]
pub mod cell;
mod crash;
#[doc(hidden)]
pub mod harness;
pub mod hint;
mod identity;
pub mod oracle;
mod owned;
pub mod prelude;
mod statics;
pub mod sync;
pub mod thread;
pub mod time;
pub mod tracked;

#[doc(hidden)]
pub use harness::{
    ShouldPanic, StaticTestFn, StaticTestName, TestDesc, TestDescAndFn, TestType,
    assert_test_result, test_main_static,
};

#[cfg(feature = "oracle")]
#[global_allocator]
static MEMORY: oracle::Quarantine = oracle::Quarantine;

/// For the expansion of macros: the real standard library.
#[doc(hidden)]
pub mod real {
    pub use ::std::*;
}

/// Declares variables of which every simulated thread has its own; as in the real `std`. Imported by
/// name below: a macro that is only exported loses to the glob in crates that are built against this one.
#[doc(hidden)]
#[macro_export]
macro_rules! simulated_thread_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $init:block; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attribute])* $visibility static $name: $type = const $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $init:block) => {
        $crate::thread_local!(@one [$(#[$attribute])*] $visibility $name $type, $init);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attribute])* $visibility static $name: $type = $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr) => {
        $crate::thread_local!(@one [$(#[$attribute])*] $visibility $name $type, $init);
    };
    (@one [$($attributes:tt)*] $visibility:vis $name:ident $type:ty, $init:expr) => {
        $($attributes)*
        $visibility static $name: $crate::thread::LocalKey<$type> = {
            fn make() -> $type {
                $init
            }
            $crate::real::thread_local!(static NATIVE: $type = make());
            fn native(with: &mut dyn FnMut(&$type)) -> $crate::real::result::Result<(), $crate::real::thread::AccessError> {
                NATIVE.try_with(|value| with(value))
            }
            $crate::thread::LocalKey::declared(make, native)
        };
    };
}

pub use simulated_thread_local as thread_local;
