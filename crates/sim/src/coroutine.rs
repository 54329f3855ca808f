//! Tasks as stackful coroutines, or as threads of the system (`coroutine/thread.rs`): the one place
//! that switches stacks. Knows nothing of scheduling.
//!
//! The unsafe code here: a dereference of the running coroutine's `Yielder`, found through a
//! thread-local so that the program need not pass it around; and the end of fibers that will never
//! go on.

use std::cell::{Cell, RefCell};
use std::io;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use thread::SystemThread;

pub(crate) mod thread;

type Switch = Yielder<(), ()>;

thread_local! {
    static RUNNING: Cell<Option<NonNull<Switch>>> = const { Cell::new(None) };
    static STACKS: RefCell<Stacks> = const { RefCell::new(Stacks { size: 0, free: Vec::new() }) };
}

/// Stacks that are free, all of one size.
struct Stacks {
    size: usize,
    free: Vec<DefaultStack>,
}

/// A function that can stop in the middle, on a stack of its own.
pub struct Fiber(Kind);

enum Kind {
    Coroutine(Coroutine<(), (), (), DefaultStack>),
    Thread(SystemThread),
}

/// Whether a fiber goes on later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It called [`suspend`].
    Suspended,
    /// It returned.
    Finished,
}

impl Fiber {
    /// A fiber that will call `body` on a stack of `stack_size` bytes (with a guard page below).
    ///
    /// # Errors
    ///
    /// If the system has no memory for the stack.
    pub fn new(stack_size: usize, body: impl FnOnce() + 'static) -> io::Result<Fiber> {
        let stack = STACKS.with_borrow_mut(|stacks| {
            if stacks.size != stack_size {
                stacks.free.clear();
                stacks.size = stack_size;
            }
            stacks.free.pop()
        });
        let stack = stack.map_or_else(|| DefaultStack::new(stack_size), Ok)?;
        // What a body owns that is never called is leaked, see `recycle`.
        let body = ManuallyDrop::new(body);
        Ok(Fiber(Kind::Coroutine(Coroutine::with_stack(stack, move |switch: &Switch, ()| {
            RUNNING.set(Some(NonNull::from(switch)));
            ManuallyDrop::into_inner(body)();
        }))))
    }

    /// A fiber that calls `body` on a thread of the system, which has a stack of `stack_size` bytes.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread.
    pub fn on_thread(stack_size: usize, body: impl FnOnce() + 'static) -> io::Result<Fiber> {
        Ok(Fiber(Kind::Thread(SystemThread::new(stack_size, body)?)))
    }

    /// Runs it until it suspends itself or returns.
    pub fn resume(&mut self) -> Progress {
        let coroutine = match &mut self.0 {
            Kind::Coroutine(coroutine) => coroutine,
            Kind::Thread(thread) => return thread.resume(),
        };
        let outer = RUNNING.get();
        let result = coroutine.resume(());
        RUNNING.set(outer);
        match result {
            CoroutineResult::Yield(()) => Progress::Suspended,
            CoroutineResult::Return(()) => Progress::Finished,
        }
    }

    /// Gives its stack to the next fiber. If it did not finish, nothing of it is unwound or dropped:
    /// its destructors would meet a world that is no more.
    pub fn recycle(self) {
        let mut coroutine = match self.0 {
            Kind::Coroutine(coroutine) => coroutine,
            Kind::Thread(thread) => return thread.recycle(),
        };
        if !coroutine.done() {
            // SAFETY: the end of an execution recycles all its fibers at once and resumes none of
            // them, so that nothing runs any more that could use what lay on this stack. What the
            // fiber owned, or its body before it began, is leaked, not freed.
            unsafe { coroutine.force_reset() };
        }
        STACKS.with_borrow_mut(|stacks| stacks.free.push(coroutine.into_stack()));
    }
}

/// Stops the running fiber; returns when it is resumed.
///
/// # Panics
///
/// If no fiber is running.
#[inline(always)]
#[allow(clippy::inline_always, reason = "no return after a switch of stacks is predicted")]
pub fn suspend() {
    let Some(switch) = RUNNING.get() else {
        return thread::suspend();
    };
    // SAFETY: `RUNNING` is set by the fiber that runs, to the yielder that its own first frame
    // borrows, and reset by `resume` when that fiber stops running; so the frame is alive.
    unsafe { switch.as_ref() }.suspend(());
    RUNNING.set(Some(switch));
}
