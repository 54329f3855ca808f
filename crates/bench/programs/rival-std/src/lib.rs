//! The standard library with threads, locks and atomics of Shuttle, as far as crossbeam needs them: so
//! that Shuttle explores the same crate, byte for byte, as we do.

pub use ::std::*;

use ::std::sync::Arc as RealArc;
use shuttle::scheduler::{PctScheduler, RandomScheduler};

pub use shuttle::thread_local;

/// Explores `body` so many times and prints executions per processor second.
pub fn explore(is_pct: bool, executions: usize, body: fn()) {
    let run = |executions: usize| {
        let config = shuttle::Config::new();
        let body = RealArc::new(body);
        if is_pct {
            let scheduler = PctScheduler::new_from_seed(1, 3, executions);
            shuttle::Runner::new(scheduler, config).run(move || body());
        } else {
            let scheduler = RandomScheduler::new_from_seed(1, executions);
            shuttle::Runner::new(scheduler, config).run(move || body());
        }
    };
    run(1_000); // warm
    let begin = processor_seconds();
    run(executions);
    println!("{:.0}", executions as f64 / (processor_seconds() - begin));
}

/// In ticks of a hundredth of a second: to be asked after many executions.
fn processor_seconds() -> f64 {
    let text = ::std::fs::read_to_string("/proc/self/stat").expect("processor time is in /proc");
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or("").split_ascii_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<f64>().expect("a number of ticks");
    (ticks(11) + ticks(12)) / 100.0
}

/// Locks and the like; `RwLock`, which Shuttle has in part and the channels do not use, is the real one.
pub mod sync {
    pub use ::std::sync::*;
    pub use shuttle::sync::{
        Barrier, BarrierWaitResult, Condvar, Mutex, MutexGuard, Once, OnceState, WaitTimeoutResult,
        mpsc,
    };

    /// Atomics.
    pub mod atomic {
        pub use ::std::sync::atomic::*;
        pub use shuttle::sync::atomic::{
            AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr,
            AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, fence,
        };
    }
}

/// Threads.
pub mod thread {
    use ::std::io;
    use ::std::os::unix::thread::{JoinHandleExt, RawPthread};
    pub use ::std::thread::*;
    pub use shuttle::thread::{
        AccessError, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId, current, park,
        park_timeout, scope, sleep, yield_now,
    };

    /// The right to wait for a thread; a type of its own for the traits of the platform.
    pub struct JoinHandle<T>(shuttle::thread::JoinHandle<T>);

    impl<T> JoinHandle<T> {
        /// Waits.
        pub fn join(self) -> Result<T> {
            self.0.join()
        }

        /// The thread.
        pub fn thread(&self) -> &Thread {
            self.0.thread()
        }
    }

    impl<T> JoinHandleExt for JoinHandle<T> {
        fn as_pthread_t(&self) -> RawPthread {
            unimplemented!("Shuttle's threads are not the system's")
        }
        fn into_pthread_t(self) -> RawPthread {
            unimplemented!("Shuttle's threads are not the system's")
        }
    }

    /// Makes threads with names.
    pub struct Builder(shuttle::thread::Builder);

    impl ::std::fmt::Debug for Builder {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Builder")
        }
    }

    impl Builder {
        /// A thread without name.
        pub fn new() -> Builder {
            Builder(shuttle::thread::Builder::new())
        }

        /// Names it.
        pub fn name(self, name: String) -> Builder {
            Builder(self.0.name(name))
        }

        /// Gives it a stack.
        pub fn stack_size(self, size: usize) -> Builder {
            Builder(self.0.stack_size(size))
        }

        /// Makes it.
        pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
        where
            F: FnOnce() -> T + Send + 'static,
            T: Send + 'static,
        {
            self.0.spawn(f).map(JoinHandle)
        }
    }

    /// Makes a thread.
    pub fn spawn<F, T>(f: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        JoinHandle(shuttle::thread::spawn(f))
    }
}
