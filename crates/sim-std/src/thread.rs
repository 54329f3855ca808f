//! `std::thread` under the scheduler: threads are tasks of the simulation they are spawned in, and
//! real threads outside of one.

use ::std::any::Any;
use ::std::fmt;
use ::std::io;
use ::std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use ::std::sync::Arc;
use ::std::time::Duration;

use quadrille_sim::{TaskId, task};

use crate::owned::Owned;

pub use ::std::thread::{AccessError, Result, available_parallelism, panicking};

mod local;
mod scope;

pub use local::LocalKey;
pub use scope::{Scope, ScopedJoinHandle, scope};

/// What tells threads apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(IdKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum IdKind {
    Real(::std::thread::ThreadId),
    Simulated(u32, TaskId),
}

/// A handle of a thread.
#[derive(Clone)]
pub struct Thread(ThreadKind);

#[derive(Clone)]
enum ThreadKind {
    Real(::std::thread::Thread),
    Simulated { epoch: u32, task: TaskId, name: Option<Arc<str>> },
}

impl Thread {
    /// What tells it apart.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            ThreadKind::Real(thread) => IdKind::Real(thread.id()),
            ThreadKind::Simulated { epoch, task, .. } => IdKind::Simulated(*epoch, *task),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            ThreadKind::Real(thread) => thread.name(),
            ThreadKind::Simulated { name, .. } => name.as_deref(),
        }
    }

    /// Gives it its token.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            ThreadKind::Real(thread) => thread.unpark(),
            ThreadKind::Simulated { epoch, task, .. } => {
                if task::is_simulated() && task::epoch() == *epoch {
                    task::unpark(*task);
                }
            }
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish()
    }
}

fn handle_of(task: TaskId) -> Thread {
    let name = match task::name(task) {
        None if task == TaskId::MAIN => Some("main".into()),
        name => name.map(Into::into),
    };
    Thread(ThreadKind::Simulated { epoch: task::epoch(), task, name })
}

/// The running thread.
#[must_use]
pub fn current() -> Thread {
    if task::is_simulated() {
        return handle_of(task::current());
    }
    Thread(ThreadKind::Real(::std::thread::current()))
}

/// What a thread leaves for who joins it.
type Packet<T> = Arc<Owned<Option<Result<T>>>>;

fn take<T>(packet: &Packet<T>) -> Result<T> {
    let result = packet.with(Option::take).flatten();
    result.unwrap_or_else(|| Err(Box::new("the thread left no result")))
}

/// A task that calls `body` and leaves what comes out.
#[track_caller]
fn start<T: 'static>(
    name: Option<String>,
    stack_size: Option<usize>,
    body: impl FnOnce() -> T + 'static,
) -> io::Result<(TaskId, Packet<T>)> {
    let packet = Arc::new(Owned::new(None));
    let left = Arc::clone(&packet);
    let task = task::try_spawn(name, stack_size, move || {
        let result = catch_unwind(AssertUnwindSafe(body));
        let panic = result.as_ref().err().map(text_of);
        left.with(|left| *left = Some(result));
        drop(left);
        if let Some(text) = panic {
            task::panicked(&text);
        }
    })?;
    Ok((task, packet))
}

fn text_of(payload: &Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The right to wait for a thread.
pub struct JoinHandle<T>(JoinKind<T>);

enum JoinKind<T> {
    Real(::std::thread::JoinHandle<T>, Thread),
    Simulated { task: TaskId, packet: Packet<T>, thread: Thread },
}

impl<T> JoinHandle<T> {
    /// Waits for the thread to end.
    ///
    /// # Errors
    ///
    /// With its payload, if it panicked.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            JoinKind::Real(handle, _) => handle.join(),
            JoinKind::Simulated { task, packet, .. } => {
                task::join(task);
                take(&packet)
            }
        }
    }

    /// The thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            JoinKind::Real(_, thread) | JoinKind::Simulated { thread, .. } => thread,
        }
    }

    /// Whether it has ended.
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            JoinKind::Real(handle, _) => handle.is_finished(),
            JoinKind::Simulated { task, .. } => task::is_finished(*task),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

#[cfg(unix)]
mod unix {
    use ::std::os::unix::thread::{JoinHandleExt, RawPthread};

    use super::{JoinHandle, JoinKind};

    impl<T> JoinHandleExt for JoinHandle<T> {
        fn as_pthread_t(&self) -> RawPthread {
            match &self.0 {
                JoinKind::Real(handle, _) => handle.as_pthread_t(),
                JoinKind::Simulated { .. } => own(),
            }
        }

        fn into_pthread_t(self) -> RawPthread {
            match self.0 {
                JoinKind::Real(handle, _) => handle.into_pthread_t(),
                JoinKind::Simulated { .. } => own(),
            }
        }
    }

    /// Simulated threads are all on one of the system's.
    fn own() -> RawPthread {
        // SAFETY: no more than a question.
        unsafe { libc::pthread_self() as RawPthread }
    }
}

/// Makes threads with names.
#[derive(Debug, Default)]
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A thread without name.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Names the thread.
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Gives it a stack of at least this size.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    fn real(self) -> ::std::thread::Builder {
        let builder = ::std::thread::Builder::new();
        let builder = self.name.into_iter().fold(builder, ::std::thread::Builder::name);
        self.stack_size.into_iter().fold(builder, ::std::thread::Builder::stack_size)
    }

    /// Makes the thread.
    ///
    /// # Errors
    ///
    /// If the system refuses; in a simulation, if it has no memory for such a stack.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        if !task::is_simulated() {
            let handle = self.real().spawn(f)?;
            let thread = Thread(ThreadKind::Real(handle.thread().clone()));
            return Ok(JoinHandle(JoinKind::Real(handle, thread)));
        }
        let (task, packet) = start(self.name, self.stack_size, f)?;
        Ok(JoinHandle(JoinKind::Simulated { task, packet, thread: handle_of(task) }))
    }
}

/// Makes a thread.
///
/// # Panics
///
/// If the system refuses; never in a simulation.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

/// Lets time pass: model time in a simulation.
#[track_caller]
pub fn sleep(length: Duration) {
    if task::is_simulated() { task::sleep(length) } else { ::std::thread::sleep(length) }
}

/// Lets time pass, given in milliseconds.
#[track_caller]
#[deprecated(note = "replaced by `sleep`")]
pub fn sleep_ms(milliseconds: u32) {
    sleep(Duration::from_millis(u64::from(milliseconds)));
}

/// Lets others go first.
#[track_caller]
pub fn yield_now() {
    if task::is_simulated() { task::yield_now() } else { ::std::thread::yield_now() }
}

/// Waits for the thread's token.
#[track_caller]
pub fn park() {
    if task::is_simulated() {
        task::park(Duration::MAX);
    } else {
        ::std::thread::park();
    }
}

/// Waits for the thread's token, but not longer than `length`.
#[track_caller]
pub fn park_timeout(length: Duration) {
    if task::is_simulated() {
        task::park(length);
    } else {
        ::std::thread::park_timeout(length);
    }
}

/// Waits for the thread's token, but not longer than the given milliseconds.
#[track_caller]
#[deprecated(note = "replaced by `park_timeout`")]
pub fn park_timeout_ms(milliseconds: u32) {
    park_timeout(Duration::from_millis(u64::from(milliseconds)));
}

/// Goes on with a panic that a scope or a join found.
fn propagate<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|payload| resume_unwind(payload))
}
