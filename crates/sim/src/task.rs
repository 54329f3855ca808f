//! What code that runs under the scheduler can ask of it; everything a simulated `std` is made of.
//! Each function is a no-op or says so when no world is active on this thread.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::config::Panics;
use crate::coroutine::{self, Fiber};
use crate::failure::Fault;
use crate::operation::{
    Access, Action, CLOCK, Guard, Kind, ObjectId, Place, Request, TASKS, TaskId,
};
use crate::runner::{IS_SIMULATED, finish_task, guarded};
use crate::schedule::Schedule;
use crate::world::{ALARM, Environment, Next, Observer, Step, WORLD, World};
use quadrille_simulation::ModelTime;

pub mod atomics;

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
#[must_use]
pub fn is_simulated() -> bool {
    WORLD.with(|world| world.try_borrow().is_ok_and(|world| world.is_active))
}

/// Performs an operation that others may notice: the scheduler decides when. What the operation
/// does to the program's data, the caller does when this returns, before it asks for the next one.
///
/// # Panics
///
/// If no world is active.
pub fn visible(request: Request) -> Outcome {
    enum Turn {
        Mine(Outcome),
        Wait,
    }
    let turn = WORLD.with(|cell| {
        let mut world = cell.borrow_mut();
        assert!(world.is_active, "a simulated operation outside of a simulation");
        if world.is_observed {
            return Turn::Mine(Outcome::Done);
        }
        world.ask(request);
        let (me, unwinds) = (world.current, std::thread::panicking());
        if world.observer.is_some() && !unwinds {
            // The running task's part ends here, and the observer looks.
            drop(world);
            let_observe(me);
            world = cell.borrow_mut();
        }
        let world = &mut *world;
        if unwinds {
            // Unwinding is a property of the system's thread, so no other task may run now.
            let word = world.objects[request.gate.index()].word;
            if request.guard.admits(word) {
                world.commit(me);
                return Turn::Mine(Outcome::Done);
            }
            world.fault = Some(Fault::CleanUpBlocked(world.waiting(me)));
            world.next = Next::Stop;
            return Turn::Wait;
        }
        let next = world.decide();
        if next == Next::Run(me) {
            world.commit(me);
            return Turn::Mine(outcome(world.tasks[me.index()].timed_out));
        }
        world.next = next;
        Turn::Wait
    });
    if let Turn::Mine(outcome) = turn {
        return outcome;
    }
    coroutine::suspend();
    WORLD.with_borrow(|world| outcome(world.tasks[world.current.index()].timed_out))
}

/// A part of a task is over.
pub(crate) fn let_observe(task: TaskId) {
    call_observer(&Step::Run(task, now()));
}

/// Lets the observer look, if there is one.
pub(crate) fn call_observer(step: &Step) {
    let observer = WORLD.with_borrow_mut(|world| world.observer.take());
    let Some(mut observer) = observer else { return };
    look(|| observer.after_step(step));
    WORLD.with_borrow_mut(|world| world.observer = Some(observer));
}

/// Adds what looks at this execution after every step.
pub fn set_observer(observer: Box<dyn Observer>) {
    WORLD.with_borrow_mut(|world| world.observer = Some(observer));
}

/// Ends the execution before the next step; nothing is wrong with it.
pub fn stop() {
    WORLD.with_borrow_mut(|world| world.is_stopped = true);
}

/// Whether the caller is an event of the environment.
#[must_use]
pub fn is_environment() -> bool {
    WORLD.with_borrow(|world| world.event_time.is_some())
}

/// Steps of this execution by kind: events of the environment, wake-ups, runs of tasks.
#[must_use]
pub fn n_steps() -> [u64; 3] {
    WORLD.with_borrow(|world| world.n_steps)
}

/// How many locks are held.
#[must_use]
pub fn n_held() -> u32 {
    WORLD.with_borrow(|world| world.n_held)
}

/// A task between two steps.
#[derive(Clone, Debug)]
pub struct TaskView {
    /// Its name.
    pub name: String,
    /// Whether it has ended.
    pub is_finished: bool,
    /// Whether it can perform its next operation.
    pub is_ready: bool,
    /// Its next operation.
    pub action: Action,
    /// On what, if on something.
    pub object: Option<String>,
    /// Where in the source.
    pub place: Place,
    /// When its timed wait is over.
    pub deadline: Option<ModelTime>,
    /// The locks it holds.
    pub holds: Vec<String>,
}

/// All tasks, in the order in which they were made.
#[must_use]
pub fn views() -> Vec<TaskView> {
    WORLD.with_borrow(|world| {
        let is_lock = |kind| matches!(kind, Kind::Mutex | Kind::RwLock | Kind::Once);
        let tasks = world.tasks.iter().enumerate();
        tasks
            .map(|(index, task)| {
                let Request { action, object, place, .. } = world.pending[index];
                let held = world.objects.iter().enumerate().filter(|(_, object)| {
                    is_lock(object.kind) && object.holder == Some(TaskId::new(index))
                });
                TaskView {
                    name: world.task_name(index),
                    is_finished: task.is_finished,
                    is_ready: world.is_ready(index),
                    action,
                    object: (object != ObjectId::NONE).then(|| world.object_name(object.index())),
                    place,
                    deadline: (task.deadline != ModelTime::NEVER).then_some(task.deadline),
                    holds: held.map(|(object, _)| world.object_name(object)).collect(),
                }
            })
            .collect()
    })
}

/// The next operation of every task and where it is; nothing for those that have ended.
pub fn positions(into: &mut Vec<Option<(Action, Place)>>) {
    WORLD.with_borrow(|world| {
        let tasks = world.tasks.iter().zip(&world.pending);
        into.extend(
            tasks.map(|(task, request)| {
                (!task.is_finished).then_some((request.action, request.place))
            }),
        );
    });
}

const fn outcome(timed_out: bool) -> Outcome {
    if timed_out { Outcome::TimedOut } else { Outcome::Done }
}

/// Makes an object with a word.
pub fn object(kind: Kind, word: i64, place: Place) -> ObjectId {
    WORLD.with_borrow_mut(|world| world.add_object(kind, word, Some(place)))
}

/// The object that stands for an address of the program's memory.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Which one.
    pub object: ObjectId,
    /// Whether it is used for the first time in this execution.
    pub is_new: bool,
    /// Whether [`atomics`] decide what is read.
    pub is_weak: bool,
}

/// Finds the object that stands for an address of the program's memory, or makes it.
#[must_use]
pub fn object_at(address: usize, kind: Kind, place: Place) -> Found {
    WORLD.with_borrow_mut(|world| {
        let (object, is_new) = world.object_at(address, kind, place);
        Found { object, is_new, is_weak: world.is_weak() && !world.is_observed }
    })
}

/// Names an object in reports.
pub fn name_object(object: ObjectId, name: &str) {
    WORLD.with_borrow_mut(|world| world.objects[object.index()].name = Some(name.to_owned()));
}

/// The word of an object.
#[must_use]
pub fn word(object: ObjectId) -> i64 {
    WORLD.with_borrow(|world| world.objects[object.index()].word)
}

/// Changes the word of an object; a part of the operation that was performed last.
pub fn set_word(object: ObjectId, word: i64) {
    WORLD.with_borrow_mut(|world| world.objects[object.index()].word = word);
}

/// Changes the word of an object that tasks wait for; the operation that was performed last is the
/// cause of whatever they do next.
pub fn signal(object: ObjectId, word: i64) {
    WORLD.with_borrow_mut(|world| {
        let cause = world.cause();
        let object = &mut world.objects[object.index()];
        (object.word, object.cause) = (word, cause);
    });
}

/// From now on another task's pending operation does not commute with others of its object: there
/// is less of what it waits for than there are tasks that wait.
pub fn contend(task: TaskId) {
    WORLD.with_borrow_mut(|world| world.pending[task.index()].access = Access::Write);
}

/// Changes the word of a lock and says whether the running task holds it now.
pub fn set_held(object: ObjectId, word: i64, is_held: bool) {
    WORLD.with_borrow_mut(|world| {
        let current = world.current;
        let object = &mut world.objects[object.index()];
        object.word = word;
        let was_held = object.holder.is_some();
        object.holder = is_held.then_some(current);
        world.n_held = world.n_held + u32::from(is_held) - u32::from(was_held);
    });
}

/// Says what the operation that was performed last found and whether it changed anything. Tasks
/// that find the same again and again are known to poll.
pub fn observe(value: u64, has_changed: bool) {
    WORLD.with_borrow_mut(|world| {
        if !world.is_observed {
            world.observe(value, has_changed);
        }
    });
}

/// The running task.
#[must_use]
pub fn current() -> TaskId {
    WORLD.with_borrow(|world| world.current)
}

/// The number of this execution on this thread; objects made in another one are stale.
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
#[track_caller]
pub fn spawn(
    name: Option<String>,
    stack_size: Option<usize>,
    body: impl FnOnce() + 'static,
) -> TaskId {
    let place = Location::caller();
    visible(Request::new(Action::Spawn, TASKS, Access::Write, place));
    WORLD.with_borrow_mut(|world| {
        let size = world.config.stack_size.max(stack_size.unwrap_or(MIN_STACK));
        let fiber = Fiber::new(size, move || run(body));
        world.add_task(name, fiber, place)
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
    let outcome = visible(request.when(Guard::NonZero).within(timeout));
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
        let message = world.last_panic.take().unwrap_or_else(|| text.to_owned());
        if world.config.panics == Panics::OfAnyTask && world.fault.is_none() {
            world.fault = Some(Fault::Panic { task: world.current, message });
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

/// Whether taking the pointer out of an `UnsafeCell` is a visible operation now.
#[must_use]
pub fn watches_cells() -> bool {
    is_running()
        && WORLD.with(|world| {
            let world = world.try_borrow();
            world.is_ok_and(|world| world.is_active && world.config.watches_cells)
        })
}

/// The last operations and the schedule of the execution under way, and which execution it is, for
/// who must tell of a crash.
#[must_use]
pub fn crash_site() -> Option<(String, String, u64)> {
    WORLD.with(|world| {
        let world = world.try_borrow().ok().filter(|world| world.is_active)?;
        let mut text = String::new();
        for operation in world.trace.iter().rev().take(3).rev() {
            let name = world.task_name(operation.task.index());
            text.push_str(&format!("\n  {name}: {operation}"));
        }
        let schedule = Schedule::of(&world.trace, &world.draws, world.config.memory).to_string();
        Some((text, schedule, world.pulse.executions()))
    })
}

/// Reports from anywhere, also from an allocator, that the execution is wrong: `what: message`.
pub fn alarm(message: &'static str) {
    let _ = ALARM.try_with(|alarm| alarm.set(Some(message)));
}

/// Reports that the execution is wrong; it ends with the next operation.
pub fn fail(name: &str, message: &str) {
    WORLD.with_borrow_mut(|world| {
        let (name, message) = (name.to_owned(), message.to_owned());
        world.fault.get_or_insert(Fault::Check { name, message });
    });
}

/// Looks at the program's data between two operations: whatever `look` does is not scheduled and
/// leaves no trace.
pub fn look<R>(look: impl FnOnce() -> R) -> R {
    let before = WORLD.with_borrow_mut(|world| std::mem::replace(&mut world.is_observed, true));
    let result = look();
    WORLD.with_borrow_mut(|world| world.is_observed = before);
    result
}

/// Adds the environment of this execution.
pub fn set_environment(environment: Box<dyn Environment>) {
    WORLD.with_borrow_mut(|world| world.environment = Some(environment));
}

/// How many more wake-ups without a cause there may be; takes one if asked to.
pub fn take_spurious_wakeup() -> bool {
    WORLD.with_borrow_mut(|world| {
        let is_left = world.spurious_left > 0;
        world.spurious_left -= u32::from(is_left);
        is_left
    })
}

/// Calls `with` on the running task's local of a key, which `make` makes first; nothing if that
/// local was dropped already, at the end of the task.
pub fn with_local<T: 'static, R>(
    key: usize,
    make: impl FnOnce() -> T,
    with: impl FnOnce(&T) -> R,
) -> Option<R> {
    let task = current();
    if WORLD.with_borrow(|world| world.tasks[task.index()].dropped_locals.contains(&key)) {
        return None;
    }
    let found = WORLD.with_borrow(|world| {
        let locals = &world.tasks[task.index()].locals;
        let found = locals.iter().find(|(known, _)| *known == key);
        found.and_then(|(_, value)| value.downcast_ref::<std::rc::Rc<T>>().cloned())
    });
    let value = found.unwrap_or_else(|| {
        let value = std::rc::Rc::new(make());
        let kept: Box<dyn Any> = Box::new(std::rc::Rc::clone(&value));
        WORLD.with_borrow_mut(|world| world.tasks[task.index()].locals.push((key, kept)));
        value
    });
    Some(with(&value))
}

/// Drops the running task's locals, the youngest first.
fn drop_locals() {
    while let Some(last) = WORLD.with_borrow_mut(|world| {
        let current = world.current.index();
        let task = &mut world.tasks[current];
        let last = task.locals.pop()?;
        task.dropped_locals.push(last.0);
        Some(last)
    }) {
        drop(last);
    }
}
