//! The world of one execution: tasks, the objects they share, the clock, what was done so far.
//! `here.rs` finds it, `step.rs` performs operations, `decide.rs` says which step comes next, `runner.rs`
//! takes the steps, `waits.rs` says what tasks wait for.

mod decide;
mod gate;
mod here;
mod step;
mod waits;

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::config::{Config, Cost, Memory, Threads};
use crate::coroutine::Fiber;
use crate::coverage::{Coverage, Positions};
use crate::failure::Fault;
use crate::future::Polled;
use crate::operation::{Access, Action, Guard, Kind, ObjectId, Operation, Place, Request, TaskId};
use crate::spin::Spin;
use crate::strategy::Strategy;
use crate::watchdog::Pulse;
use crate::weak::Weak;
use quadrille_simulation::{ModelTime, Random};

pub(crate) use gate::{Gate, Ready};
pub(crate) use here::{Inherited, WORLD, enter};
pub use here::{inherit, inherited};

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

/// The visited states.
#[derive(Default)]
pub(crate) struct Covered {
    pub(crate) coverage: Coverage,
    positions: Positions,
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
    pub(crate) is_finished: bool,
    /// When its timed wait gives up; `NEVER` if it does not.
    pub(crate) deadline: ModelTime,
    /// How many operations happened before it was let go on, see `Operation::after`.
    after: u32,
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
    /// The bits of tasks that wait for its word; some may have stopped waiting.
    pub(crate) waiters: u64,
    pub(crate) place: Option<Place>,
}

/// An atomic that was used a moment ago, so that its number need not be looked for.
#[derive(Clone, Copy)]
struct Recent {
    address: usize,
    epoch: u32,
    id: ObjectId,
}

/// How many of them are kept; a power of two.
const N_RECENT: usize = 64;

impl Recent {
    const fn slot(address: usize) -> usize {
        (address >> 2) % N_RECENT
    }
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
    /// What all executions visited, if that is counted.
    pub(crate) covered: Option<Box<Covered>>,
    pub(crate) environment: Option<Box<dyn Environment>>,
    pub(crate) observer: Option<Box<dyn Observer>>,
    /// An observer wants the execution to end here.
    pub(crate) is_stopped: bool,
    /// Events of the environment and wake-ups.
    pub(crate) n_events: u64,
    pub(crate) n_wakeups: u64,
    /// How many locks are held.
    pub(crate) n_held: u32,
    pub(crate) tasks: Vec<Task>,
    /// What each task wants to do next; beside `tasks` so that strategies can see all.
    pub(crate) pending: Vec<Request>,
    /// The same as far as it decides who can go on.
    pub(crate) gates: Vec<Gate>,
    /// Which of them are open.
    pub(crate) ready: Vec<Ready>,
    /// By task, what it polls; those of earlier executions stay, to be used again.
    pub(crate) spins: Vec<Spin>,
    /// Of tasks that were made since the runner looked, in order.
    pub(crate) spawned: Vec<Fiber>,
    pub(crate) objects: Vec<Object>,
    /// Futures that the executor polls.
    pub(crate) polled: Vec<Polled>,
    /// Those that were given one.
    pub(crate) object_names: Vec<(ObjectId, String)>,
    /// Those at addresses that are not among the recent ones.
    addresses: FxHashMap<usize, ObjectId>,
    recent: [Recent; N_RECENT],
    pub(crate) trace: Vec<Operation>,
    pub(crate) draws: Vec<u32>,
    /// What atomics hold, unless the memory model is sequential consistency.
    pub(crate) weak: Weak,
    pub(crate) steps: Vec<Step>,
    /// Room for the tasks that can run, as long as `tasks`.
    enabled: Vec<TaskId>,
    pub(crate) current: TaskId,
    /// Whether the operation that was performed last was given up.
    pub(crate) timed_out: bool,
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
    /// Parts cost something, and it is paid after them.
    charges_after: bool,
    /// Parts cost something, and it is paid before them.
    pays_first: bool,
    /// More is to be noted of an operation than its line of the trace.
    notes_more: bool,
    /// The task that was chosen, if its part has an effect at its end and the time until then passes.
    reserved: Option<TaskId>,
    next_deadline: ModelTime,
    /// A task has polled.
    may_poll: bool,
    /// A task performed operations while it unwound, and no other one could come between.
    pub(crate) has_forced: bool,
    /// A cell was accessed that is watched for data races.
    pub(crate) has_tracked: bool,
    /// How often in a row polling tasks were let go on although nothing had changed.
    idle_rounds: u32,
    pub(crate) fault: Option<Fault>,
    pub(crate) met_limit: bool,
    pub(crate) spurious_left: u32,
    /// Tasks that poll wait until what they poll changes; else they may go on while others can run.
    pub(crate) holds_polls: bool,
    pub(crate) last_panic: Option<String>,
    /// Of threads whose panics are for who joins them.
    pub(crate) panics: Vec<(TaskId, String)>,
    /// The execution came back to where it was after so many operations, and ended.
    pub(crate) cycle: Option<usize>,
    pub(crate) pulse: Arc<Pulse>,
    /// Other threads may execute the same body now.
    pub(crate) has_helpers: bool,
    /// Something that outlives executions, such as a static, was used: where.
    pub(crate) outlives: Option<Place>,
    /// A lock that protects what an execution before left: where it was used.
    pub(crate) leftover: Option<Place>,
}

/// After so many rounds in which nothing but polling happens, it is a livelock.
const MAX_IDLE_ROUNDS: u32 = 64;
/// After so many of them the clock jumps to what is due next, if there is something.
const ROUNDS_BEFORE_JUMP: u32 = 16;
/// How far the clock moves when all that is left is polling.
const POLLING_QUANTUM: Duration = Duration::from_millis(1);
const MAX_TASKS: usize = u16::MAX as usize - 1;

/// Numbers the executions of the process, so that worlds of several threads differ.
static EPOCHS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    pub(crate) static ALARM: Cell<Option<&'static str>> = const { Cell::new(None) };
}

impl World {
    pub(crate) fn new() -> World {
        World {
            is_active: false,
            is_observed: false,
            epoch: 0,
            config: Config::default(),
            strategy: None,
            covered: None,
            environment: None,
            observer: None,
            is_stopped: false,
            n_events: 0,
            n_wakeups: 0,
            n_held: 0,
            tasks: Vec::new(),
            pending: Vec::new(),
            gates: Vec::new(),
            ready: Vec::new(),
            spins: Vec::new(),
            spawned: Vec::new(),
            objects: Vec::new(),
            polled: Vec::new(),
            object_names: Vec::new(),
            addresses: FxHashMap::default(),
            recent: [Recent { address: 0, epoch: 0, id: ObjectId::NONE }; N_RECENT],
            trace: Vec::new(),
            draws: Vec::new(),
            weak: Weak::default(),
            steps: Vec::new(),
            enabled: Vec::new(),
            current: TaskId::MAIN,
            timed_out: false,
            next: Next::Stop,
            now: ModelTime::ZERO,
            event_time: None,
            costs: Random::new(0),
            part_began: None,
            measured: Vec::new(),
            owes_cost: false,
            charges_after: false,
            pays_first: false,
            notes_more: false,
            reserved: None,
            next_deadline: ModelTime::NEVER,
            may_poll: false,
            has_forced: false,
            has_tracked: false,
            idle_rounds: 0,
            fault: None,
            met_limit: false,
            spurious_left: 0,
            holds_polls: false,
            last_panic: None,
            panics: Vec::new(),
            cycle: None,
            pulse: Arc::default(),
            has_helpers: false,
            outlives: None,
            leftover: None,
        }
    }

    /// Makes everything ready for an execution.
    pub(crate) fn reset(&mut self) {
        self.epoch = EPOCHS.fetch_add(1, Ordering::Relaxed);
        self.tasks.clear();
        self.pending.clear();
        self.gates.clear();
        self.ready.clear();
        self.enabled.clear();
        self.spawned.clear();
        self.objects.clear();
        self.object_names.clear();
        self.addresses.clear();
        self.trace.clear();
        self.draws.clear();
        if self.is_weak() {
            self.weak = Weak::default();
        }
        self.steps.clear();
        (self.environment, self.observer) = (None, None);
        (self.is_stopped, self.n_events, self.n_wakeups, self.n_held) = (false, 0, 0, 0);
        self.current = TaskId::MAIN;
        self.now = ModelTime::ZERO;
        self.event_time = None;
        self.costs = match self.config.cost {
            Cost::Uniform { seed, .. } => Random::of(seed, 3),
            _ => Random::new(0),
        };
        self.measured.clear();
        self.owes_cost = false;
        let is_free = matches!(self.config.cost, Cost::Constant(cost) if cost.is_zero());
        self.pays_first = self.pays_before();
        self.charges_after = !is_free && !self.pays_first;
        let is_measured = matches!(self.config.cost, Cost::Measured(_));
        self.notes_more = self.is_weak() || self.config.records_steps || is_measured;
        self.reserved = None;
        self.next_deadline = ModelTime::NEVER;
        (self.may_poll, self.has_forced, self.has_tracked) = (false, false, false);
        self.idle_rounds = 0;
        self.fault = None;
        self.met_limit = false;
        self.spurious_left = self.config.spurious_wakeups;
        self.last_panic = None;
        self.panics.clear();
        self.cycle = None;
        if let Some(covered) = &mut self.covered {
            covered.coverage.begin();
        }
        for kind in [Kind::Nothing, Kind::Tasks, Kind::Clock] {
            self.add_object(kind, 0, None);
        }
        if self.is_weak() {
            self.add_object(Kind::Sequential, 0, None);
        }
    }

    /// A fiber of the kind that was asked for.
    pub(crate) fn fiber(
        &self,
        stack_size: usize,
        body: impl FnOnce() + 'static,
    ) -> std::io::Result<Fiber> {
        match self.config.threads {
            Threads::Coroutines => Fiber::new(stack_size, body),
            Threads::System => {
                let (inherited, pulse) = (Inherited::of_this_thread(), Arc::clone(&self.pulse));
                Fiber::on_thread(stack_size, move || inherited.adopt(&pulse, body))
            }
        }
    }

    /// What to tell of a panic with this text: with its place, unless it is one that was caught before
    /// and goes on.
    pub(crate) fn panic_message(&mut self, text: &str) -> String {
        let last = self.last_panic.take().filter(|last| last.starts_with(text));
        last.unwrap_or_else(|| text.to_owned())
    }

    /// Counts the state, unless a task is in the middle of changing what others see.
    #[cold]
    pub(crate) fn cover(&mut self) {
        let Some(covered) = self.covered.as_mut().filter(|_| self.n_held == 0) else { return };
        let Covered { coverage, positions } = &mut **covered;
        let tasks = self.tasks.iter().zip(&self.pending);
        coverage.visit(positions.state(
            tasks.map(|(task, next)| (!task.is_finished).then_some((next.action, next.place))),
        ));
    }

    pub(crate) fn add_object(&mut self, kind: Kind, word: i64, place: Option<Place>) -> ObjectId {
        let id = ObjectId(u32::try_from(self.objects.len()).expect("fewer than 2^32 objects"));
        self.objects.push(Object {
            kind,
            word,
            version: 0,
            holder: None,
            cause: 0,
            waiters: 0,
            place,
        });
        id
    }

    /// The object at an address of the program's memory.
    #[inline]
    pub(crate) fn object_at(
        &mut self,
        address: usize,
        kind: Kind,
        place: Place,
    ) -> (ObjectId, bool) {
        let recent = self.recent[Recent::slot(address)];
        if recent.address == address && recent.epoch == self.epoch {
            return (recent.id, false);
        }
        self.object_elsewhere(address, kind, place)
    }

    /// The same if it was not used a moment ago. Most objects never leave their slot, so that only what
    /// makes room there is entered among the addresses.
    fn object_elsewhere(&mut self, address: usize, kind: Kind, place: Place) -> (ObjectId, bool) {
        let slot = Recent::slot(address);
        let leaves = self.recent[slot];
        if leaves.epoch == self.epoch {
            self.addresses.insert(leaves.address, leaves.id);
        }
        let known =
            if self.addresses.is_empty() { None } else { self.addresses.get(&address).copied() };
        let id = known.unwrap_or_else(|| self.add_object(kind, 0, Some(place)));
        self.recent[slot] = Recent { address, epoch: self.epoch, id };
        (id, known.is_none())
    }

    /// Adds a task that will start with its first step.
    pub(crate) fn add_task(&mut self, name: Option<String>, fiber: Fiber, place: Place) -> TaskId {
        self.spawned.push(fiber);
        assert!(self.tasks.len() < MAX_TASKS, "more than {MAX_TASKS} threads in one execution");
        let task = TaskId::new(self.tasks.len());
        let end = self.add_object(Kind::End, 0, Some(place));
        self.objects[end.index()].holder = Some(task);
        self.tasks.push(Task {
            name,
            is_finished: false,
            deadline: ModelTime::NEVER,
            after: 0,
            end,
            token: ObjectId::NONE,
            locals: Vec::new(),
            dropped_locals: Vec::new(),
        });
        self.objects[end.index()].cause = self.cause();
        self.pending.push(Request::new(Action::Start, end, Access::Resume, place));
        self.gates.push(Gate::new(Guard::Always, end));
        if self.ready.len() * 64 < self.gates.len() {
            self.ready.push(Ready::default());
        }
        self.ready[task.index() / 64].set(task.index(), true);
        self.enabled.push(task);
        match self.spins.get_mut(task.index()) {
            Some(spin) => spin.clear(),
            None => self.spins.push(Spin::default()),
        }
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
}
