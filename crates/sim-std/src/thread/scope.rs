//! Threads that borrow from the one that waits for them.

use ::std::fmt;
use ::std::io;
use ::std::marker::PhantomData;
use ::std::panic::{AssertUnwindSafe, catch_unwind};
use ::std::sync::atomic::{AtomicUsize, Ordering};
use ::std::sync::{Arc, Mutex, PoisonError};

use quadrille_sim::{TaskId, task};

use crate::owned::Owned;

use super::{Builder, Packet, Result, Thread, ThreadKind, handle_of, propagate, start, take};

/// Where threads can be spawned that borrow what lives longer than it.
pub struct Scope<'scope, 'env: 'scope> {
    kind: ScopeKind<'scope, 'env>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

enum ScopeKind<'scope, 'env: 'scope> {
    Real(&'scope ::std::thread::Scope<'scope, 'env>),
    Simulated { tasks: Mutex<Vec<TaskId>>, has_panicked: Arc<AtomicUsize> },
}

/// The right to wait for a thread of a scope.
pub struct ScopedJoinHandle<'scope, T>(HandleKind<'scope, T>);

enum HandleKind<'scope, T> {
    Real(::std::thread::ScopedJoinHandle<'scope, T>, Thread),
    Simulated { task: TaskId, packet: Packet<T>, thread: Thread, has_panicked: Arc<AtomicUsize> },
}

/// Calls `f` with a scope and waits for all threads that it spawned there.
///
/// # Panics
///
/// If a thread of the scope panicked that was not joined.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    if !task::is_simulated() {
        return ::std::thread::scope(|real| {
            let scope = Scope { kind: ScopeKind::Real(real), scope: PhantomData, env: PhantomData };
            let scope: &Scope<'_, 'env> = &scope;
            // SAFETY: the reference is used only while `f` runs, inside of the real scope; it is
            // given out under the lifetime of that scope, which is what the signature asks for.
            f(unsafe { &*::std::ptr::from_ref(scope) })
        });
    }
    let has_panicked = Arc::new(AtomicUsize::new(0));
    let kind =
        ScopeKind::Simulated { tasks: Mutex::default(), has_panicked: Arc::clone(&has_panicked) };
    let scope = Scope { kind, scope: PhantomData, env: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    scope.wait();
    let value = propagate(result);
    assert!(has_panicked.load(Ordering::Relaxed) == 0, "a scoped thread panicked");
    value
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Waits for all tasks of the scope, also for those that are spawned meanwhile.
    #[track_caller]
    fn wait(&self) {
        let ScopeKind::Simulated { tasks, .. } = &self.kind else { return };
        while let Some(task) = tasks.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            task::join(task);
        }
    }

    /// Spawns a thread that may borrow.
    ///
    /// # Panics
    ///
    /// If the system refuses; never in a simulation.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new().spawn_scoped(self, f).expect("failed to spawn thread")
    }
}

impl Builder {
    /// Spawns a thread of a scope.
    ///
    /// # Errors
    ///
    /// If the system refuses; never in a simulation.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let (tasks, has_panicked) = match &scope.kind {
            ScopeKind::Real(real) => {
                let handle = self.real().spawn_scoped(real, f)?;
                let thread = Thread(ThreadKind::Real(handle.thread().clone()));
                return Ok(ScopedJoinHandle(HandleKind::Real(handle, thread)));
            }
            ScopeKind::Simulated { tasks, has_panicked } => (tasks, has_panicked),
        };
        let packet: Packet<T> = Arc::new(Owned::new(None));
        let left = Arc::clone(&packet);
        let noted = Arc::clone(has_panicked);
        let body = move || {
            let result = catch_unwind(AssertUnwindSafe(f));
            let panic = result.as_ref().err().map(super::text_of);
            noted.fetch_add(usize::from(panic.is_some()), Ordering::Relaxed);
            left.with(|left| *left = Some(result));
            drop(left);
            panic.into_iter().for_each(|text| task::panicked(&text));
        };
        let body: Box<dyn FnOnce() + 'scope> = Box::new(body);
        // SAFETY: `scope` joins the task before it returns, on every path, so that the task is over
        // while all that it borrows is alive. An execution that fails never resumes the task.
        let body: Box<dyn FnOnce() + 'static> = unsafe { ::std::mem::transmute(body) };
        let (task, _) = start(self.name, self.stack_size, body)?;
        tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
        let (thread, has_panicked) = (handle_of(task), Arc::clone(has_panicked));
        Ok(ScopedJoinHandle(HandleKind::Simulated { task, packet, thread, has_panicked }))
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread to end.
    ///
    /// # Errors
    ///
    /// With its payload, if it panicked.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            HandleKind::Real(handle, _) => handle.join(),
            HandleKind::Simulated { task, packet, has_panicked, .. } => {
                task::join(task);
                let result = take(&packet);
                if result.is_err() {
                    has_panicked.fetch_sub(1, Ordering::Relaxed);
                }
                result
            }
        }
    }

    /// The thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            HandleKind::Real(_, thread) | HandleKind::Simulated { thread, .. } => thread,
        }
    }

    /// Whether it has ended.
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            HandleKind::Real(handle, _) => handle.is_finished(),
            HandleKind::Simulated { task, .. } => task::is_finished(*task),
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
