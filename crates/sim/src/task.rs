//! What code that runs under the scheduler can ask of it; everything a simulated `std` is made of.
//! Each function is a no-op or says so when no world is active on this thread.

use std::cell::RefMut;
use std::collections::BTreeSet;
use std::io;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::config::{Panics, Threads};
use crate::coroutine;
use crate::failure::Fault;
use crate::operation::{
    Access, Action, CLOCK, Guard, Kind, ObjectId, Place, Request, TASKS, TaskId,
};
use crate::runner::{IS_SIMULATED, finish_task, guarded};
use crate::world::{Next, WORLD, World};
use locals::drop_locals;
use quadrille_simulation::ModelTime;

pub mod atomics;
mod locals;
mod objects;
mod watch;

pub use crate::world::{inherit, inherited};
pub use locals::with_local;
pub use objects::{
    contend, keeps_value, name_object, object, observe, outlives_executions, set_held, set_word,
    signal, watches_cells, word,
};
pub use watch::{
    TaskView, alarm, crash_site, fail, is_environment, look, n_held, n_steps, positions,
    set_environment, set_observer, stop, views,
};
pub(crate) use watch::{call_observer, let_observe};

/// No task gets less stack than this, whatever it asks for.
const MIN_STACK: usize = 64 * 1024;

/// How a visible operation came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was performed.
    Done,
    /// Its time was over first.
    TimedOut,
}

/// Whether this thread runs a simulation, and the caller is part of it.
#[inline]
#[must_use]
pub fn is_simulated() -> bool {
    WORLD.is_some_and(|world| world.is_active)
}

/// The same, and it is this execution.
#[inline]
#[must_use]
pub fn is_in(epoch: u32) -> bool {
    WORLD.is_some_and(|world| world.is_active && world.epoch == epoch)
}

/// Performs an operation that others may notice: the scheduler decides when. What the operation
/// does to the program's data, the caller does when this returns, before it asks for the next one.
///
/// # Panics
///
/// If no world is active.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the request is mostly known where it is made")]
pub fn visible(request: Request) -> Outcome {
    // A closure would be compiled once for all callers, and know nothing of the request.
    // SAFETY: the reference is gone when `perform` lets another task run.
    let mut world = unsafe { WORLD.get() }.borrow_mut();
    if !world.is_active || world.is_observed {
        drop(world);
        return unscheduled();
    }
    world.ask(request);
    perform(world)
}

/// The same in the execution of this number; nothing elsewhere.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `visible`")]
pub fn visible_in(epoch: u32, request: Request) -> Option<Outcome> {
    // SAFETY: as above.
    let mut world = unsafe { WORLD.find() }?.try_borrow_mut().ok()?;
    if !world.is_active || world.epoch != epoch {
        return None;
    }
    if world.is_observed {
        return Some(Outcome::Done);
    }
    world.ask(request);
    Some(perform(world))
}

/// A visible operation on what stands at an address of the program's memory, mostly an atomic: nothing
/// outside of a simulation. At its first use in an execution `reset` is called before anything is decided.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `visible`")]
pub fn visible_at(
    address: usize,
    kind: Kind,
    (action, access): (Action, Access),
    place: Place,
    reset: impl FnOnce(),
) -> Option<Visited> {
    // SAFETY: as above.
    let mut world = unsafe { WORLD.find() }?.try_borrow_mut().ok()?;
    if !world.is_active {
        return None;
    }
    let (object, is_new) = world.object_at(address, kind, place);
    let is_weak = world.is_weak() && !world.is_observed;
    let request = Request::new(action, object, access, place);
    if is_new {
        drop(world);
        reset();
        visible(request);
    } else if world.is_observed {
        drop(world);
    } else {
        world.ask(request);
        perform(world);
    }
    Some(Visited { object, is_weak })
}

/// What stands at an address of the program's memory.
#[derive(Clone, Copy, Debug)]
pub struct Visited {
    /// Which object.
    pub object: ObjectId,
    /// Whether [`atomics`] decide what is read.
    pub is_weak: bool,
}

/// An operation of who only looks is performed at once.
#[cold]
fn unscheduled() -> Outcome {
    assert!(
        WORLD.with_borrow(|world| world.is_active),
        "a simulated operation outside of a simulation"
    );
    Outcome::Done
}

/// Performs the operation that the running task asked for when it is its turn. A part of its callers: after a
/// switch of stacks no return is predicted, so that there should be few of them.
#[inline(always)]
#[allow(clippy::inline_always, reason = "see above")]
fn perform(mut world: RefMut<'_, World>) -> Outcome {
    world.settle();
    let me = world.current;
    // Unwinding is a property of the system's thread: no other task may run on it now.
    if std::thread::panicking() && world.config.threads == Threads::Coroutines {
        if perform_unwinding(&mut world, me) {
            return Outcome::Done;
        }
    } else {
        if world.observer.is_some() {
            // The running task's part ends here, and the observer looks.
            drop(world);
            let_observe(me);
            // SAFETY: the reference ends before another task runs.
            world = unsafe { WORLD.get() }.borrow_mut();
        }
        let next = world.advance();
        if next == Next::Run(me) {
            return outcome(world.timed_out);
        }
        world.next = next;
    }
    let is_coroutine = world.config.threads == Threads::Coroutines;
    drop(world);
    coroutine::suspend();
    WORLD.with_borrow(|world| {
        if !is_coroutine {
            world.pulse.watch_this_thread();
        }
        outcome(world.timed_out)
    })
}

/// Performs the operation of a task that unwinds, if it need not wait; else the execution ends here.
#[cold]
fn perform_unwinding(world: &mut World, me: TaskId) -> bool {
    let gate = &world.gates[me.index()];
    let can = gate.admits(world.objects[gate.object.index()].word);
    if can && world.force() {
        return true;
    }
    if !can {
        world.fault = Some(Fault::CleanUpBlocked(world.waiting(me)));
    }
    world.next = Next::Stop;
    false
}

const fn outcome(timed_out: bool) -> Outcome {
    if timed_out { Outcome::TimedOut } else { Outcome::Done }
}

/// The running task.
#[inline]
#[must_use]
pub fn current() -> TaskId {
    WORLD.with_borrow(|world| world.current)
}

/// Changes something that belongs to the execution of this number, and the word of an object that follows
/// from it; nothing elsewhere. `change` performs no operation and asks nothing of the scheduler.
#[inline]
pub fn change_word<R>(
    epoch: u32,
    object: ObjectId,
    change: impl FnOnce() -> (R, i64),
) -> Option<R> {
    // SAFETY: the reference does not leave this function.
    let mut world = unsafe { WORLD.find() }?.try_borrow_mut().ok()?;
    if !world.is_active || world.epoch != epoch {
        return None;
    }
    let (result, word) = change();
    world.set_word(object, word);
    Some(result)
}

/// The number of this execution, if the caller is part of one.
#[inline]
#[must_use]
pub fn epoch_of_simulation() -> Option<u32> {
    // SAFETY: the reference does not leave this function.
    let world = unsafe { WORLD.find() }?.try_borrow().ok()?;
    world.is_active.then_some(world.epoch)
}

/// The number of this execution on this thread; objects made in another one are stale.
#[inline]
#[must_use]
pub fn epoch() -> u32 {
    WORLD.with_borrow(|world| world.epoch)
}

/// The name a task was given.
#[must_use]
pub fn name(task: TaskId) -> Option<String> {
    WORLD.with_borrow(|world| world.tasks[task.index()].name.clone())
}

/// The model time that the caller sees: its own if it is an event of the environment.
#[must_use]
pub fn now() -> ModelTime {
    WORLD.with_borrow(|world| world.event_time.unwrap_or(world.now))
}

/// Reads the clock as a visible operation.
#[track_caller]
#[must_use]
pub fn read_clock() -> ModelTime {
    visible(Request::new(Action::Now, CLOCK, Access::Read, Location::caller()));
    let now = now();
    observe(now.as_nanos(), false);
    now
}

/// A choice below `bound` that is not about tasks.
///
/// # Panics
///
/// If `bound` is zero or no world is active.
#[must_use]
pub fn draw(bound: u32) -> u32 {
    assert!(bound > 0, "nothing to choose from");
    WORLD.with_borrow_mut(|world| {
        let strategy = world.strategy.as_mut().expect("no world is active");
        let draw = strategy.draw(bound);
        world.draws.push(draw);
        draw
    })
}

/// Makes a task that calls `body`.
///
/// # Panics
///
/// If the system has no memory for its stack.
#[track_caller]
pub fn spawn(
    name: Option<String>,
    stack_size: Option<usize>,
    body: impl FnOnce() + 'static,
) -> TaskId {
    try_spawn(name, stack_size, body).expect("no memory for the stack of a simulated thread")
}

/// The same.
///
/// # Errors
///
/// If the system has no memory for its stack.
#[track_caller]
pub fn try_spawn(
    name: Option<String>,
    stack_size: Option<usize>,
    body: impl FnOnce() + 'static,
) -> io::Result<TaskId> {
    let place = Location::caller();
    visible(Request::new(Action::Spawn, TASKS, Access::Write, place));
    WORLD.with_borrow_mut(|world| {
        let size = world.config.stack_size.max(stack_size.unwrap_or(MIN_STACK));
        let fiber = world.fiber(size, move || run(body))?;
        Ok(world.add_task(name, fiber, place))
    })
}

/// What every task does around its body.
pub(crate) fn run(body: impl FnOnce()) {
    let place = Location::caller();
    let panic = guarded(body).or_else(|| guarded(drop_locals));
    let end = WORLD.with_borrow(|world| world.tasks[world.current.index()].end);
    finish_task(end, panic, place);
}

/// Waits for the end of a task.
#[track_caller]
pub fn join(task: TaskId) {
    let end = WORLD.with_borrow(|world| world.tasks[task.index()].end);
    let request = Request::new(Action::Join, end, Access::Resume, Location::caller());
    visible(request.when(Guard::NonZero));
}

/// Whether a task has ended.
#[track_caller]
#[must_use]
pub fn is_finished(task: TaskId) -> bool {
    let end = WORLD.with_borrow(|world| world.tasks[task.index()].end);
    visible(Request::new(Action::Join, end, Access::Read, Location::caller()));
    let is_finished = word(end) != 0;
    observe(u64::from(is_finished), false);
    is_finished
}

/// Waits until the running task has its token, at most `timeout`, and takes it.
#[track_caller]
pub fn park(timeout: Duration) -> Outcome {
    let place = Location::caller();
    let token = WORLD.with_borrow_mut(|world| world.token(world.current, place));
    let request = Request::new(Action::Park, token, Access::Write, place);
    let outcome = if take_spurious_wakeup() {
        visible(request)
    } else {
        visible(request.when(Guard::NonZero).within(timeout))
    };
    if outcome == Outcome::Done {
        set_word(token, 0);
    }
    outcome
}

/// Gives a task its token.
#[track_caller]
pub fn unpark(task: TaskId) {
    let place = Location::caller();
    let token = WORLD.with_borrow_mut(|world| world.token(task, place));
    visible(Request::new(Action::Unpark, token, Access::Write, place));
    set_word(token, 1);
}

/// Lets model time pass.
#[track_caller]
pub fn sleep(length: Duration) {
    let request = Request::new(Action::Sleep, ObjectId::NONE, Access::None, Location::caller());
    visible(request.when(Guard::Never).within(length));
}

/// Lets others go first.
#[track_caller]
pub fn yield_now() {
    visible(Request::new(Action::Yield, ObjectId::NONE, Access::None, Location::caller()));
}

/// Says that the running task polls.
pub fn polls() {
    WORLD.with_borrow_mut(World::hint_polling);
}

/// A thread's body panicked, and who joins it will be told: a failure if the settings say so.
pub fn panicked(text: &str) {
    WORLD.with_borrow_mut(|world| {
        let message = world.panic_message(text);
        if world.config.panics == Panics::OfAnyTask && world.fault.is_none() {
            world.fault = Some(Fault::Panic { task: world.current, message });
        } else {
            world.panics.push((world.current, message));
        }
    });
}

/// A named event of the user, for formulas and reports. Two events do not commute.
#[track_caller]
pub fn event(name: &str) {
    if is_simulated() {
        let (name, place) = (interned(name), Location::caller());
        visible(Request::new(Action::Event(name), TASKS, Access::Write, place));
    }
}

/// The same text, for good: names of events are few, and traces are compared by them.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    name
}

/// Whether this thread is inside of an execution; may be asked anywhere, also by an allocator.
#[must_use]
pub fn is_running() -> bool {
    IS_SIMULATED.try_with(std::cell::Cell::get).unwrap_or(false)
}

/// Whether a wait that begins ends without a cause: a choice, as long as such wake-ups are left.
#[must_use]
pub fn take_spurious_wakeup() -> bool {
    let is_left = WORLD.with_borrow(|world| world.spurious_left > 0);
    let is_taken = is_left && draw(2) == 1;
    WORLD.with_borrow_mut(|world| world.spurious_left -= u32::from(is_taken));
    is_taken
}
