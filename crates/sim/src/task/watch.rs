//! Looking at an execution from inside: who stands where, what is held, what an observer and the
//! environment of it do, and saying that something is wrong.

use crate::failure::Fault;
use crate::operation::{Action, Kind, ObjectId, Place, Request, TaskId};
use crate::schedule::Schedule;
use crate::world::{ALARM, Environment, Observer, Step, WORLD};
use quadrille_simulation::ModelTime;

/// A part of a task is over.
pub(crate) fn let_observe(task: TaskId) {
    call_observer(&Step::Run(task, super::now()));
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

/// Adds the environment of this execution.
pub fn set_environment(environment: Box<dyn Environment>) {
    WORLD.with_borrow_mut(|world| world.environment = Some(environment));
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
    WORLD.with_borrow(|world| [world.n_events, world.n_wakeups, world.trace.len() as u64])
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

impl TaskView {
    /// What it can do, in a word.
    #[must_use]
    pub const fn state(&self) -> &'static str {
        match (self.is_finished, self.is_ready, self.deadline) {
            (true, ..) => "ended",
            (_, true, _) => "runnable",
            (_, _, Some(_)) => "sleeping",
            _ => "blocked",
        }
    }

    /// Its next operation with its object, in words.
    #[must_use]
    pub fn next(&self) -> String {
        let word = self.action.word();
        self.object.as_ref().map_or_else(|| word.to_owned(), |object| format!("{word} {object}"))
    }
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
                let held = world.objects.iter().enumerate().filter(|(number, object)| {
                    is_lock(object.kind)
                        && object.holder.is_some()
                        && world.holders(ObjectId(*number as u32)).contains(&TaskId::new(index))
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

/// Looks at the program's data between two operations: whatever `look` does is not scheduled and
/// leaves no trace.
pub fn look<R>(look: impl FnOnce() -> R) -> R {
    let before = WORLD.with_borrow_mut(|world| std::mem::replace(&mut world.is_observed, true));
    let result = look();
    WORLD.with_borrow_mut(|world| world.is_observed = before);
    result
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
