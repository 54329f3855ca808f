//! The world of one execution: tasks, the objects they share, the clock, what was done so far.
//! `decide.rs` says which step comes next, `runner.rs` takes the steps, `waits.rs` says what tasks
//! wait for.

mod decide;
mod waits;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::config::{Config, Cost, Ends, Memory};
use crate::coroutine::Fiber;
use crate::failure::Fault;
use crate::operation::{
    Access, Action, Kind, ObjectId, Operation, Place, Request, SEQUENTIAL, TaskId,
};
use crate::random::Random;
use crate::spin::Spin;
use crate::strategy::Strategy;
use crate::watchdog::Pulse;
use crate::weak::Weak;
use quadrille_simulation::ModelTime;

/// Something beside the program that lives on the same axis of time: a plant, a network, users.
///
/// Its events happen at their own times, between the parts of the program, and before wake-ups of
/// the same time; the clock that an event sees may lie before the program's, by at most the cost of
/// one part.
pub trait Environment {
    /// When its next event is due.
    fn next_event(&self) -> Option<ModelTime>;

    /// Lets that event happen. The environment may wake tasks through the objects they wait for.
    fn step(&mut self);
}

/// Looks at an execution after every step of a task or of the environment: invariants, coverage, snapshots.
///
/// What it does is not scheduled and costs no model time. It may look at everything, also through locks of
/// the program, call [`task::fail`](crate::task::fail) and [`task::stop`](crate::task::stop).
pub trait Observer {
    /// A step is over; [`task::now`](crate::task::now) says when.
    fn after_step(&mut self, step: &Step);
}

/// One step of the world, of one of three kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An event of the environment, at its own time.
    Classic(ModelTime),
    /// A task's timed wait is over; it can run, but has not yet.
    WakeUp(TaskId, ModelTime),
    /// A task performed an operation and ran up to its next one.
    Run(TaskId, ModelTime),
}

/// How an execution's tasks and objects are called.
#[derive(Clone, Copy)]
pub struct Names<'a>(pub(crate) &'a World);

impl Names<'_> {
    /// A task's name; `thread-3` if it was given none.
    #[must_use]
    pub fn task(&self, task: TaskId) -> String {
        self.0.task_name(task.index())
    }

    /// An object's name; its kind, number and place if it was given none.
    #[must_use]
    pub fn object(&self, object: ObjectId) -> String {
        self.0.object_name(object.index())
    }
}

pub(crate) struct Task {
    pub(crate) name: Option<String>,
    pub(crate) fiber: Option<Fiber>,
    pub(crate) is_finished: bool,
    /// When its timed wait gives up; `NEVER` if it does not.
    pub(crate) deadline: ModelTime,
    /// Its timed wait is over.
    is_due: bool,
    /// The outcome of the operation it performs.
    pub(crate) timed_out: bool,
    /// How many operations happened before it was let go on, see `Operation::after`.
    after: u32,
    pub(crate) spin: Spin,
    /// The object that its end is.
    pub(crate) end: ObjectId,
    /// The object that its park token is; made when first used.
    token: ObjectId,
    pub(crate) locals: Vec<(usize, Box<dyn Any>)>,
    /// Keys of locals that were dropped already.
    pub(crate) dropped_locals: Vec<usize>,
}

pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) word: i64,
    /// Counts changes, for those who poll.
    pub(crate) version: u32,
    pub(crate) holder: Option<TaskId>,
    /// The operation that set the word, counted from 1.
    pub(crate) cause: u32,
    pub(crate) place: Option<Place>,
    pub(crate) name: Option<String>,
}

/// Which step comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Run(TaskId),
    Environment(ModelTime),
    /// Everything is over, well or not.
    Stop,
}

/// The state of an execution, and of the exploration it belongs to.
pub(crate) struct World {
    pub(crate) is_active: bool,
    /// An observer looks at the program's data: operations are performed, but not scheduled.
    pub(crate) is_observed: bool,
    /// Distinguishes executions, so that objects in statics begin anew.
    pub(crate) epoch: u32,
    pub(crate) config: Config,
    pub(crate) strategy: Option<Box<dyn Strategy>>,
    pub(crate) environment: Option<Box<dyn Environment>>,
    pub(crate) observer: Option<Box<dyn Observer>>,
    /// An observer wants the execution to end here.
    pub(crate) is_stopped: bool,
    /// Steps by kind: events, wake-ups, runs.
    pub(crate) n_steps: [u64; 3],
    /// How many locks are held.
    pub(crate) n_held: u32,
    pub(crate) tasks: Vec<Task>,
    /// What each task wants to do next; beside `tasks` so that strategies can see all.
    pub(crate) pending: Vec<Request>,
    pub(crate) objects: Vec<Object>,
    addresses: FxHashMap<usize, ObjectId>,
    pub(crate) trace: Vec<Operation>,
    pub(crate) draws: Vec<u32>,
    /// What atomics hold, unless the memory model is sequential consistency.
    pub(crate) weak: Weak,
    pub(crate) steps: Vec<Step>,
    enabled: Vec<TaskId>,
    pub(crate) current: TaskId,
    pub(crate) next: Next,
    pub(crate) now: ModelTime,
    /// What an event of the environment sees as now, while it happens.
    pub(crate) event_time: Option<ModelTime>,
    costs: Random,
    /// When the part that is under way began, if costs are measured.
    part_began: Option<Instant>,
    /// What parts cost, if costs are measured.
    pub(crate) measured: Vec<Duration>,
    owes_cost: bool,
    /// The task that was chosen, if its part has an effect at its end and the time until then passes.
    reserved: Option<TaskId>,
    next_deadline: ModelTime,
    /// How often in a row polling tasks were let go on although nothing had changed.
    idle_rounds: u32,
    pub(crate) fault: Option<Fault>,
    pub(crate) met_limit: bool,
    pub(crate) spurious_left: u32,
    /// Tasks that poll wait until what they poll changes; else they may go on while others can run.
    pub(crate) holds_polls: bool,
    pub(crate) last_panic: Option<String>,
    /// The execution came back to where it was after so many operations, and ended.
    pub(crate) cycle: Option<usize>,
    pub(crate) pulse: Arc<Pulse>,
}

/// After so many rounds in which nothing but polling happens, it is a livelock.
const MAX_IDLE_ROUNDS: u32 = 64;
/// How far the clock moves when all that is left is polling.
const POLLING_QUANTUM: Duration = Duration::from_millis(1);
const MAX_TASKS: usize = u16::MAX as usize - 1;

/// Numbers the executions of the process, so that worlds of several threads differ.
static EPOCHS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    pub(crate) static ALARM: Cell<Option<&'static str>> = const { Cell::new(None) };
    pub(crate) static WORLD: RefCell<World> = RefCell::new(World::new());
}

impl World {
    fn new() -> World {
        World {
            is_active: false,
            is_observed: false,
            epoch: 0,
            config: Config::default(),
            strategy: None,
            environment: None,
            observer: None,
            is_stopped: false,
            n_steps: [0; 3],
            n_held: 0,
            tasks: Vec::new(),
            pending: Vec::new(),
            objects: Vec::new(),
            addresses: FxHashMap::default(),
            trace: Vec::new(),
            draws: Vec::new(),
            weak: Weak::default(),
            steps: Vec::new(),
            enabled: Vec::new(),
            current: TaskId::MAIN,
            next: Next::Stop,
            now: ModelTime::ZERO,
            event_time: None,
            costs: Random::new(0),
            part_began: None,
            measured: Vec::new(),
            owes_cost: false,
            reserved: None,
            next_deadline: ModelTime::NEVER,
            idle_rounds: 0,
            fault: None,
            met_limit: false,
            spurious_left: 0,
            holds_polls: false,
            last_panic: None,
            cycle: None,
            pulse: Arc::default(),
        }
    }

    /// Makes everything ready for an execution.
    pub(crate) fn reset(&mut self) {
        self.epoch = EPOCHS.fetch_add(1, Ordering::Relaxed);
        self.tasks.clear();
        self.pending.clear();
        self.objects.clear();
        self.addresses.clear();
        self.trace.clear();
        self.draws.clear();
        if self.is_weak() {
            self.weak = Weak::default();
        }
        self.steps.clear();
        (self.environment, self.observer) = (None, None);
        (self.is_stopped, self.n_steps, self.n_held) = (false, [0; 3], 0);
        self.current = TaskId::MAIN;
        self.now = ModelTime::ZERO;
        self.event_time = None;
        self.costs = match self.config.cost {
            Cost::Uniform { seed, .. } => Random::of(seed, 3),
            _ => Random::new(0),
        };
        self.measured.clear();
        self.owes_cost = false;
        self.reserved = None;
        self.next_deadline = ModelTime::NEVER;
        self.idle_rounds = 0;
        self.fault = None;
        self.met_limit = false;
        self.spurious_left = self.config.spurious_wakeups;
        self.last_panic = None;
        self.cycle = None;
        for kind in [Kind::Nothing, Kind::Tasks, Kind::Clock] {
            self.add_object(kind, 0, None);
        }
        if self.is_weak() {
            self.add_object(Kind::Sequential, 0, None);
        }
    }

    pub(crate) fn add_object(&mut self, kind: Kind, word: i64, place: Option<Place>) -> ObjectId {
        let id = ObjectId(u32::try_from(self.objects.len()).expect("fewer than 2^32 objects"));
        self.objects.push(Object {
            kind,
            word,
            version: 0,
            holder: None,
            cause: 0,
            place,
            name: None,
        });
        id
    }

    /// The object at an address of the program's memory.
    pub(crate) fn object_at(
        &mut self,
        address: usize,
        kind: Kind,
        place: Place,
    ) -> (ObjectId, bool) {
        if let Some(&id) = self.addresses.get(&address) {
            return (id, false);
        }
        let id = self.add_object(kind, 0, Some(place));
        self.addresses.insert(address, id);
        (id, true)
    }

    /// Adds a task that will start with its first step.
    pub(crate) fn add_task(&mut self, name: Option<String>, fiber: Fiber, place: Place) -> TaskId {
        assert!(self.tasks.len() < MAX_TASKS, "more than {MAX_TASKS} threads in one execution");
        let task = TaskId::new(self.tasks.len());
        let end = self.add_object(Kind::End, 0, Some(place));
        self.objects[end.index()].holder = Some(task);
        self.tasks.push(Task {
            name,
            fiber: Some(fiber),
            is_finished: false,
            deadline: ModelTime::NEVER,
            is_due: false,
            timed_out: false,
            after: 0,
            spin: Spin::default(),
            end,
            token: ObjectId::NONE,
            locals: Vec::new(),
            dropped_locals: Vec::new(),
        });
        self.objects[end.index()].cause = self.cause();
        self.pending.push(Request::new(Action::Start, end, Access::Resume, place));
        task
    }

    pub(crate) fn token(&mut self, task: TaskId, place: Place) -> ObjectId {
        if self.tasks[task.index()].token == ObjectId::NONE {
            self.tasks[task.index()].token = self.add_object(Kind::Token, 0, Some(place));
        }
        self.tasks[task.index()].token
    }

    pub(crate) fn is_weak(&self) -> bool {
        self.config.memory != Memory::Sc
    }

    /// The operation that was performed last, counted from 1, as the cause of others.
    pub(crate) fn cause(&mut self) -> u32 {
        let operation = self.trace.len() as u32;
        if self.is_weak() {
            self.weak.common.note_cause(operation, self.current.index());
        }
        operation
    }

    /// The running task has come to its next operation: its part is over, and costs.
    pub(crate) fn ask(&mut self, mut request: Request) {
        if self.is_weak() {
            request = sequential(request);
        }
        self.settle_cost();
        let task = &mut self.tasks[self.current.index()];
        self.pending[self.current.index()] = request;
        if request.timeout != Duration::MAX {
            task.deadline = self.now + request.timeout;
            self.next_deadline = self.next_deadline.min(task.deadline);
        }
    }

    /// The chosen task performs its operation.
    pub(crate) fn commit(&mut self, task: TaskId) {
        let request = self.pending[task.index()];
        let gate = &self.objects[request.gate.index()];
        let cause = if request.access == Access::Resume || request.gate != request.object {
            gate.cause
        } else {
            0
        };
        let state = &mut self.tasks[task.index()];
        let timed_out = state.is_due || !request.guard.admits(gate.word);
        let access = if timed_out { Access::Read } else { request.access };
        if state.deadline != ModelTime::NEVER {
            state.deadline = ModelTime::NEVER;
            self.next_deadline =
                self.tasks.iter().map(|task| task.deadline).min().unwrap_or(ModelTime::NEVER);
        }
        let state = &mut self.tasks[task.index()];
        (state.is_due, state.timed_out) = (false, timed_out);
        let after = std::mem::take(&mut state.after);
        if access.changes() {
            self.objects[request.object.index()].version += 1;
            if !may_fail(request.action) {
                self.idle_rounds = 0;
                state.spin.reset();
            }
        } else if request.action == Action::Yield {
            state.spin.hint();
        }
        self.trace.push(Operation {
            task,
            action: request.action,
            object: request.object,
            access,
            timed_out,
            after,
            cause: if timed_out { 0 } else { cause },
            value: 0,
            is_stale: false,
            time: self.now,
            place: request.place,
        });
        if self.is_weak() {
            let (index, kind) = (self.trace.len() - 1, self.objects[request.object.index()].kind);
            self.weak.step(index, &self.trace[index], kind);
        }
        self.n_steps[2] += 1;
        self.pulse.beat(task, request.place);
        if self.config.records_steps {
            self.steps.push(Step::Run(task, self.now));
        }
        self.current = task;
        self.owes_cost = !self.pays_before();
        if let Cost::Measured(_) = self.config.cost {
            #[allow(clippy::disallowed_methods, reason = "measuring was asked for")]
            let now = Instant::now();
            self.part_began = Some(now);
        }
    }

    /// What the operation that was performed last found, and whether it changed anything: failed
    /// updates and attempts are but reads, as far as polling goes.
    pub(crate) fn observe(&mut self, value: u64, has_changed: bool) {
        let Some(last) = self.trace.last_mut() else { return };
        last.value = value;
        let spin = &mut self.tasks[last.task.index()].spin;
        if has_changed {
            self.idle_rounds = 0;
            return spin.reset();
        }
        let object = &mut self.objects[last.object.index()];
        object.version -= u32::from(last.access.changes());
        // Who read what is overwritten will find something new without any further change.
        let version = object.version.wrapping_sub(u32::from(last.is_stale));
        spin.observe(last.place, last.object, value, version);
    }

    pub(crate) fn hint_polling(&mut self) {
        self.tasks[self.current.index()].spin.hint();
    }

    /// Everything that happened so far comes before whatever any task does next.
    pub(crate) fn draw_line(&mut self) {
        let after = self.trace.len() as u32;
        for task in &mut self.tasks {
            task.after = after;
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        match self.config.ends {
            Ends::WithAllTasks => self.tasks.iter().all(|task| task.is_finished),
            Ends::WithBody => self.tasks.first().is_none_or(|task| task.is_finished),
        }
    }
}

/// Whether only [`World::observe`] tells if an operation changed anything.
const fn may_fail(action: Action) -> bool {
    matches!(
        action,
        Action::Update(_)
            | Action::TryLock
            | Action::TryLockShared
            | Action::TrySend
            | Action::TryReceive
    )
}

/// An operation of a weak memory, as a part of the order of sequentially consistent ones if it asks to
/// be.
fn sequential(request: Request) -> Request {
    use Ordering::SeqCst;
    match request.action {
        Action::Fence(SeqCst) => {
            Request { object: SEQUENTIAL, gate: SEQUENTIAL, access: Access::Write, ..request }
        }
        Action::Load(SeqCst) | Action::Store(SeqCst) | Action::Update(SeqCst) => {
            Request { access: request.access.ordered(), ..request }
        }
        _ => request,
    }
}
