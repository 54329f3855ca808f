//! One execution: from the first task to the last step.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Arc, Once};

use super::Body;
use crate::config::Panics;
use crate::coroutine::{Fiber, Progress};
use crate::failure::Fault;
use crate::operation::{Access, Action, ObjectId, Place, Request, TaskId};
use crate::task;
use crate::world::{Gate, Next, Step, WORLD, World};

/// The fibers of an execution's tasks, by number; nothing where one has finished.
pub(super) type Fibers = Vec<Option<Fiber>>;

/// Runs one execution to its end.
pub(super) fn execute(body: &Body, fibers: &mut Fibers) {
    IS_SIMULATED.set(true);
    let mut next = WORLD.with_borrow_mut(|world| {
        world.reset();
        world.is_active = true;
        let body = Arc::clone(body);
        let fiber = world.fiber(world.config.stack_size, move || task::run(move || body()));
        let fiber = fiber.expect("no memory for the stack of the first task");
        world.add_task(None, fiber, Location::caller());
        take_spawned(world, fibers);
        world.advance()
    });
    loop {
        next = match next {
            Next::Run(task) => run_task(task, fibers),
            Next::Environment(time) => happen(time),
            Next::Stop => break,
        };
    }
    // What they own must go while the world still answers, and not while it is borrowed.
    let outside = WORLD.with_borrow_mut(|world| (world.observer.take(), world.environment.take()));
    drop(outside);
    IS_SIMULATED.set(false);
    WORLD.with_borrow_mut(|world| {
        world.is_active = false;
        for task in &mut world.tasks {
            // Those of tasks that did not end: their destructors belong to the execution.
            std::mem::forget(std::mem::take(&mut task.locals));
        }
        std::mem::forget(std::mem::take(&mut world.polled));
    });
    fibers.drain(..).flatten().for_each(Fiber::recycle);
}

/// Takes over the fibers of tasks that were made.
fn take_spawned(world: &mut World, fibers: &mut Fibers) {
    if !world.spawned.is_empty() {
        fibers.extend(world.spawned.drain(..).map(Some));
    }
}

/// Lets a task go on that performs its operation.
fn run_task(task: TaskId, fibers: &mut Fibers) -> Next {
    let fiber = fibers[task.index()].as_mut();
    let progress = fiber.expect("only a task that has not finished is chosen").resume();
    let next = WORLD.with_borrow_mut(|world| {
        take_spawned(world, fibers);
        world.next
    });
    if progress == Progress::Suspended {
        return next;
    }
    task::let_observe(task);
    if let Some(fiber) = fibers[task.index()].take() {
        fiber.recycle();
    }
    WORLD.with_borrow_mut(|world| {
        if world.is_over() && world.fault.is_none() {
            world.cover();
            return Next::Stop;
        }
        world.advance()
    })
}

/// Lets an event of the environment happen.
fn happen(time: crate::ModelTime) -> Next {
    let environment = WORLD.with_borrow_mut(|world| {
        world.event_time = Some(time);
        if world.config.records_steps {
            world.steps.push(Step::Classic(time));
        }
        world.environment.take()
    });
    let mut environment = environment.expect("only an environment has events");
    environment.step();
    WORLD.with_borrow_mut(|world| {
        world.n_events += 1;
        world.environment = Some(environment);
    });
    task::call_observer(&Step::Classic(time));
    WORLD.with_borrow_mut(|world| {
        world.event_time = None;
        world.now = world.now.max(time);
        world.draw_line();
        world.advance()
    })
}

/// The last operation of a task, after its body returned or panicked.
pub(crate) fn finish_task(end: ObjectId, panic: Option<String>, place: Place) {
    let is_failure = WORLD.with_borrow_mut(|world| {
        let counts = world.config.panics == Panics::OfAnyTask || world.current == TaskId::MAIN;
        if let Some(message) = panic
            && counts
            && world.fault.is_none()
        {
            world.fault = Some(Fault::Panic { task: world.current, message });
        }
        world.fault.is_some()
    });
    if !is_failure {
        task::visible(Request::new(Action::Finish, end, Access::Write, place));
    }
    WORLD.with_borrow_mut(|world| {
        let current = world.current.index();
        world.tasks[current].is_finished = true;
        world.gates[current] = Gate::CLOSED;
        world.set_ready(current, false);
        world.objects[end.index()].cause = world.cause();
        world.set_word(end, 1);
    });
}

thread_local! {
    pub(crate) static IS_SIMULATED: Cell<bool> = const { Cell::new(false) };
}

/// Panics of simulated tasks are reported with their schedule, not printed when they happen.
pub(super) fn silence_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let outer = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !IS_SIMULATED.get() {
                return outer(info);
            }
            let text = info.payload_as_str().unwrap_or("(a payload that is no text)");
            let place = info.location().map_or(String::new(), |place| format!(" at {place}"));
            let message = format!("{text}{place}");
            WORLD.with(|world| {
                if let Ok(mut world) = world.try_borrow_mut() {
                    world.last_panic = Some(message);
                }
            });
        }));
    });
}

/// Calls `body`; says with which message it panicked, if it did.
pub(crate) fn guarded(body: impl FnOnce()) -> Option<String> {
    let result = catch_unwind(AssertUnwindSafe(body));
    result.err().map(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        WORLD.with_borrow_mut(|world| world.panic_message(&text))
    })
}
