//! A task as a thread of the system: for programs that need variables of the system's threads, or that
//! wait while they unwind. Slower by three orders of magnitude. It runs and waits in turns with the
//! thread that resumes it, so that one of them runs at a time.
//!
//! The unsafe code here: what only one thread uses at a time is given to another one.

use std::cell::RefCell;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::Progress;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Resumer,
    Task,
    /// The task has returned.
    Finished,
    /// It will never go on.
    Abandoned,
}

struct Baton {
    turn: Mutex<Turn>,
    changed: Condvar,
}

impl Baton {
    fn pass(&self, to: Turn) {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = to;
        self.changed.notify_all();
    }

    /// Waits as long as it is the turn of `while_turn`; whose it is then.
    fn wait(&self, while_turn: Turn) -> Turn {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = self.changed.wait_while(turn, |turn| *turn == while_turn);
        *turn.unwrap_or_else(PoisonError::into_inner)
    }
}

thread_local! {
    /// Of a task's thread.
    static OWN: RefCell<Option<Arc<Baton>>> = const { RefCell::new(None) };
}

/// How many threads stay behind because their tasks never ended.
static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// How many threads of this process wait for ever, because executions ended before them.
pub(crate) fn abandoned() -> usize {
    ABANDONED.load(Relaxed)
}

/// The thread of a task.
pub(super) struct SystemThread {
    baton: Arc<Baton>,
    handle: JoinHandle<()>,
    has_started: bool,
}

/// What is given to another thread.
struct Given<F>(ManuallyDrop<F>);

// SAFETY: the threads of an execution run in turns, and each turn happens before the next one: the
// lock of the baton orders them. So whatever a task uses, one thread at a time does.
unsafe impl<F> Send for Given<F> {}

impl<F: FnOnce()> Given<F> {
    fn call(self) {
        ManuallyDrop::into_inner(self.0)();
    }
}

impl SystemThread {
    pub(super) fn new(stack_size: usize, body: impl FnOnce() + 'static) -> io::Result<Self> {
        let baton = Arc::new(Baton { turn: Mutex::new(Turn::Resumer), changed: Condvar::new() });
        let (own, body) = (Arc::clone(&baton), Given(ManuallyDrop::new(body)));
        let builder = std::thread::Builder::new().name("quadrille-task".to_owned());
        let run = move || {
            let body = body;
            // What it owns belongs to the execution, which is no more.
            if own.wait(Turn::Resumer) == Turn::Abandoned {
                return;
            }
            OWN.set(Some(Arc::clone(&own)));
            body.call();
            OWN.set(None);
            own.pass(Turn::Finished);
        };
        let run: Box<dyn FnOnce() + 'static> = Box::new(run);
        let run = Given(ManuallyDrop::new(run));
        let handle = builder.stack_size(stack_size).spawn(move || run.call())?;
        Ok(SystemThread { baton, handle, has_started: false })
    }

    pub(super) fn resume(&mut self) -> Progress {
        self.has_started = true;
        self.baton.pass(Turn::Task);
        match self.baton.wait(Turn::Task) {
            Turn::Finished => Progress::Finished,
            _ => Progress::Suspended,
        }
    }

    /// Waits for its end if it has one: also for the destructors of its variables.
    pub(super) fn recycle(self) {
        let is_finished = {
            let turn = self.baton.turn.lock().unwrap_or_else(PoisonError::into_inner);
            *turn == Turn::Finished
        };
        if is_finished {
            let _ = self.handle.join();
            return;
        }
        if self.has_started {
            ABANDONED.fetch_add(1, Relaxed);
        }
        self.baton.pass(Turn::Abandoned);
    }
}

/// Stops the task of the calling thread until it is resumed.
#[cold]
pub(super) fn suspend() {
    let baton = OWN.with_borrow(Clone::clone).expect("only a fiber can be suspended");
    baton.pass(Turn::Resumer);
    while baton.wait(Turn::Resumer) != Turn::Task {
        // Nothing of the execution is there any more; the process does not wait for this thread.
        std::thread::park();
    }
}
