//! Futures under the scheduler. Every future that is spawned is a task of its own, as on a runtime
//! with a thread for each: polls interleave at every visible operation. Calling a waker is a visible
//! operation, and so is the decision to poll again; a future that no one wakes waits for ever, which
//! is reported like any other waiting.
//!
//! ```
//! use quadrille_sim::{future, sim};
//! use std::time::Duration;
//!
//! let report = sim(|| {
//!     future::block_on(async {
//!         let worker = future::spawn(async {
//!             future::sleep(Duration::from_secs(3600)).await; // model time: nothing waits
//!             42
//!         });
//!         assert_eq!(worker.await.unwrap(), 42);
//!     });
//! })
//! .exhaustive()
//! .assert();
//! assert!(report.is_exhausted);
//! ```
//!
//! Other executors work, too, if they wait by what the simulated `std` controls: `thread::park`,
//! locks, condition variables. The timers here belong to the executor here.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::operation::{Access, Action, Guard, Kind, ObjectId, Place, Request, TaskId};
use crate::task::{self, Outcome};
use crate::world::WORLD;
use quadrille_simulation::ModelTime;
use time::Timer;

mod time;

pub use time::{Elapsed, Interval, Sleep, Timeout, interval, sleep, timeout};

/// The word of a future's object says why it is to be polled again: whether its own task called the
/// waker, and how often others did.
const BY_ITSELF: i64 = 1;
const BY_OTHERS: i64 = 2;

/// Adds a call of a waker to the word of a future.
fn call(object: ObjectId, by: i64) {
    WORLD.with_borrow_mut(|world| {
        // If it is the only one, the future could not be polled before it. If there are more, each of
        // them may as well come after the poll.
        let is_first = by == BY_OTHERS
            && world.objects[object.index()].word == 0
            && world.event_time.is_none();
        let cause = if is_first { world.cause() } else { 0 };
        let called = &mut world.objects[object.index()];
        let word = if by == BY_ITSELF { called.word | by } else { called.word + by };
        called.cause = cause;
        world.set_word(object, word);
    });
}

/// What a waker of the executor calls: the object that the future's task waits for.
#[derive(Debug)]
pub(crate) struct Alarm {
    pub(crate) object: ObjectId,
    task: TaskId,
    epoch: u32,
    /// Where the future was spawned, or blocked on.
    place: Place,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !task::is_simulated() || task::epoch() != self.epoch {
            return;
        }
        let object = self.object;
        if task::is_environment() {
            return call(object, BY_OTHERS);
        }
        let by = if task::current() == self.task {
            // No other task can notice: only this one waits for the word, and calls of the waker
            // commute. A task that wakes itself before it waits lets others go first.
            task::polls();
            BY_ITSELF
        } else {
            task::visible(Request::new(Action::CallWaker, object, Access::Signal, self.place));
            BY_OTHERS
        };
        call(object, by);
    }
}

/// A future that is being polled by the executor, as far as the world knows it.
#[derive(Debug)]
pub(crate) struct Polled {
    pub(crate) alarm: Arc<Alarm>,
    /// How many references the executor itself has; all others are wakers that something keeps.
    own_references: usize,
    timers: Vec<Timer>,
    /// What it waits for, as far as futures of this module say, and where.
    pub(crate) awaits: Vec<(ObjectId, Place)>,
}

impl Polled {
    /// How many wakers of it are kept.
    pub(crate) fn n_wakers(&self) -> usize {
        Arc::strong_count(&self.alarm).saturating_sub(self.own_references)
    }
}

/// A future that is being polled; innermost last, if it blocks on another one.
struct Drive {
    alarm: Arc<Alarm>,
    waker: Waker,
}

impl Drive {
    fn new(object: ObjectId, place: Place) -> Drive {
        let (task, epoch) = (task::current(), task::epoch());
        let alarm = Arc::new(Alarm { object, task, epoch, place });
        let waker = Waker::from(Arc::clone(&alarm));
        let kept = Arc::clone(&alarm);
        let own_references = Arc::strong_count(&alarm);
        let (timers, awaits) = (Vec::new(), Vec::new());
        let polled = Polled { alarm: kept, own_references, timers, awaits };
        WORLD.with_borrow_mut(|world| world.polled.push(polled));
        Drive { alarm, waker }
    }

    /// Polls until the future is ready, or `is_aborted` says that it need not be.
    fn run<F: Future>(
        &self,
        mut future: Pin<&mut F>,
        is_aborted: impl Fn() -> bool,
    ) -> Option<F::Output> {
        let mut context = Context::from_waker(&self.waker);
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return Some(value);
            }
            self.wait();
            if is_aborted() {
                return None;
            }
        }
    }

    /// Waits until the waker is called or the first timer is over.
    fn wait(&self) {
        let Alarm { object, place, .. } = *self.alarm;
        loop {
            let deadline = self.with(|polled| time::next(&polled.timers));
            let timeout = deadline.map_or(Duration::MAX, |deadline| deadline.since(task::now()));
            let request = Request::new(Action::Poll, object, Access::Write, place);
            if task::visible(request.when(Guard::NonZero).within(timeout)) == Outcome::Done {
                let word = task::word(object);
                task::set_word(object, 0);
                task::observe(word as u64, word >= BY_OTHERS);
                break;
            }
            let now = task::now();
            let due = self.with(|polled| time::take_due(&mut polled.timers, now));
            let (own, others): (Vec<_>, Vec<_>) =
                due.into_iter().partition(|waker| waker.will_wake(&self.waker));
            if others.is_empty() {
                task::set_word(object, 0);
                break;
            }
            others.into_iter().chain(own).for_each(Waker::wake);
        }
        self.with(|polled| polled.awaits.clear());
    }

    fn with<R>(&self, f: impl FnOnce(&mut Polled) -> R) -> R {
        with_polled(|polled| polled.alarm.object == self.alarm.object, f)
            .expect("it is there until this is dropped")
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        let removed = WORLD.with(|world| {
            let mut world = world.try_borrow_mut().ok()?;
            let is_mine = |polled: &Polled| polled.alarm.object == self.alarm.object;
            let index = world.polled.iter().position(is_mine)?;
            Some(world.polled.remove(index))
        });
        drop(removed);
    }
}

/// Calls `f` on the youngest future that is as asked for.
fn with_polled<R>(is: impl Fn(&Polled) -> bool, f: impl FnOnce(&mut Polled) -> R) -> Option<R> {
    WORLD.with_borrow_mut(|world| world.polled.iter_mut().rev().find(|polled| is(polled)).map(f))
}

/// Calls `f` on the future that the running task polls, if the executor here polls it.
fn with_current<R>(f: impl FnOnce(&mut Polled) -> R) -> Option<R> {
    let current = task::current();
    with_polled(|polled| polled.alarm.task == current, f)
}

/// Waits on this task until a future is ready.
///
/// # Panics
///
/// Outside of a simulation.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let place = Location::caller();
    assert!(task::is_simulated(), "`block_on` of a simulation is called outside of one at {place}");
    let drive = Drive::new(task::object(Kind::Future, 0, place), place);
    drive.run(pin!(future), || false).expect("nothing aborts it")
}

/// Why a spawned future has no result.
#[derive(Debug)]
pub enum JoinError {
    /// It panicked, with this payload.
    Panicked(Box<dyn std::any::Any + Send>),
    /// It was aborted.
    Aborted,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JoinError::Panicked(_) => "the future panicked",
            JoinError::Aborted => "the future was aborted",
        })
    }
}

impl std::error::Error for JoinError {}

/// What a spawned future leaves for who awaits it.
struct Slot<T> {
    result: Option<Result<T, JoinError>>,
    waker: Option<Waker>,
    is_aborted: bool,
}

/// The right to await a spawned future; dropping it lets the future go on.
pub struct JoinHandle<T> {
    slot: Arc<Mutex<Slot<T>>>,
    /// The end of the future, and what it waits for.
    end: ObjectId,
    object: ObjectId,
    place: Place,
}

fn locked<T>(slot: &Mutex<Slot<T>>) -> MutexGuard<'_, Slot<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a task that polls a future until it is ready.
///
/// # Panics
///
/// Outside of a simulation.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let place = Location::caller();
    assert!(task::is_simulated(), "`spawn` of a simulation is called outside of one at {place}");
    let object = task::object(Kind::Future, 0, place);
    let end = task::object(Kind::End, 0, place);
    let slot = Arc::new(Mutex::new(Slot { result: None, waker: None, is_aborted: false }));
    let left = Arc::clone(&slot);
    let task = task::spawn(None, None, move || {
        let drive = Drive::new(object, place);
        let polls = || drive.run(pin!(future), || locked(&left).is_aborted);
        let result = match catch_unwind(AssertUnwindSafe(polls)) {
            Ok(value) => value.ok_or(JoinError::Aborted),
            Err(payload) => {
                task::panicked("a payload that is no text");
                Err(JoinError::Panicked(payload))
            }
        };
        drop(drive);
        task::visible(Request::new(Action::Other("complete"), end, Access::Write, place));
        task::set_word(end, 1);
        let waker = {
            let mut slot = locked(&left);
            slot.result = Some(result);
            slot.waker.take()
        };
        drop(left);
        if let Some(waker) = waker {
            waker.wake();
        }
    });
    WORLD.with_borrow_mut(|world| {
        let name = format!("{}-{}", name::<F>(), task.index());
        world.tasks[task.index()].name = Some(name);
        world.objects[end.index()].holder = Some(task);
    });
    JoinHandle { slot, end, object, place }
}

/// The last name in the path of a future's type: of an `async fn`, its own; of a block, that of the
/// function around it.
fn name<F>() -> &'static str {
    let path = std::any::type_name::<F>();
    let path = path.split('<').next().unwrap_or(path);
    let mut names = path.rsplit("::").filter(|name| !name.starts_with('{'));
    names.next().unwrap_or("future")
}

impl<T> JoinHandle<T> {
    /// Whether the future is ready or aborted.
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        task::visible(Request::new(Action::Join, self.end, Access::Read, Location::caller()));
        let is_finished = task::word(self.end) != 0;
        task::observe(u64::from(is_finished), false);
        is_finished
    }

    /// Ends the future where it waits, now or later; does nothing if it is ready.
    #[track_caller]
    pub fn abort(&self) {
        let place = Location::caller();
        task::visible(Request::new(Action::Other("abort"), self.object, Access::Signal, place));
        locked(&self.slot).is_aborted = true;
        call(self.object, BY_OTHERS);
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        task::visible(Request::new(Action::Join, self.end, Access::Read, self.place));
        let mut slot = locked(&self.slot);
        if let Some(result) = slot.result.take() {
            return Poll::Ready(result);
        }
        slot.waker = Some(context.waker().clone());
        task::observe(0, false);
        with_current(|polled| polled.awaits.push((self.end, self.place)));
        Poll::Pending
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Lets others go first, once.
pub fn yield_now() -> impl Future<Output = ()> + Send {
    let mut has_yielded = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

/// The model time at which a wait that begins now and lasts `length` is over.
fn after(length: Duration) -> ModelTime {
    task::now() + length
}
