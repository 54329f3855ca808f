//! What a simulation and its processes share: the clock, the calendar, the table of processes. Who may change
//! which state of a process is decided here and nowhere else.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use crate::inspect::Registry;
use crate::port::Doorbell;
use crate::{Calendar, ModelTime, Process, Stream};

/// Bytes of a process's stack, beside its guard page. Pages that are not touched take no memory.
const STACK_BYTES: usize = 128 * 1024;

/// Which process: a name that stays good after the process has ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcessId {
    index: u32,
    /// Places in the table are used again; ids are not.
    generation: u32,
}

/// What a process is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Created, never activated.
    New,
    /// Without an entry in the calendar: another process must activate it.
    Passive,
    /// Has an entry in the calendar.
    Scheduled,
    /// The one that runs now.
    Active,
    /// Waits for a permit of a semaphore.
    BlockedOnSemaphore,
    /// Has sent a message and waits until it is received.
    BlockedOnSend,
    /// Waits for a message.
    BlockedOnReceive,
    /// Has ended.
    Terminated,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::New => "new",
            Self::Passive => "passive",
            Self::Scheduled => "scheduled",
            Self::Active => "active",
            Self::BlockedOnSemaphore => "blocked on a semaphore",
            Self::BlockedOnSend => "blocked on sending",
            Self::BlockedOnReceive => "blocked on receiving",
            Self::Terminated => "terminated",
        })
    }
}

/// Why a process was not activated or cancelled.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScheduleError {
    /// Only new and passive processes can be activated.
    NotIdle {
        /// Its name.
        process: String,
        /// What it is doing.
        state: State,
    },
    /// Only scheduled processes can be cancelled.
    NotScheduled {
        /// Its name.
        process: String,
        /// What it is doing.
        state: State,
    },
    /// Model time does not go back.
    Past {
        /// Its name.
        process: String,
        /// When it should have run.
        time: ModelTime,
        /// What the time is.
        now: ModelTime,
    },
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotIdle { process, state } => {
                write!(
                    f,
                    "process `{process}` is {state}: only a new or passive process can be activated"
                )
            }
            Self::NotScheduled { process, state } => {
                write!(
                    f,
                    "process `{process}` is {state}: only a scheduled process can be cancelled"
                )
            }
            Self::Past { process, time, now } => {
                write!(f, "process `{process}` cannot be activated for {time}: it is {now} already")
            }
        }
    }
}

impl std::error::Error for ScheduleError {}

/// What the simulation and all its processes share. A [`Simulation`](crate::Simulation) and a [`Process`] give their methods to be called on
/// themselves; queues, semaphores and message boxes are made with one.
#[derive(Clone)]
pub struct Context {
    kernel: Rc<Kernel>,
}

struct Kernel {
    seed: u64,
    now: Cell<ModelTime>,
    running: Cell<Option<ProcessId>>,
    table: RefCell<Table>,
    registry: Registry,
    doorbell: Doorbell,
}

#[derive(Default)]
struct Table {
    calendar: Calendar,
    slots: Vec<Slot>,
    /// Places of processes that have ended.
    free: Vec<u32>,
    /// Stacks of processes that have ended: mapping memory is dearer than everything else a process costs.
    stacks: Vec<DefaultStack>,
}

type Body = Coroutine<(), (), (), DefaultStack>;

struct Slot {
    generation: u32,
    state: State,
    name: Cow<'static, str>,
    body: Option<Body>,
}

impl Context {
    pub(crate) fn new(seed: u64) -> Self {
        let kernel = Kernel {
            seed,
            now: Cell::new(ModelTime::ZERO),
            running: Cell::new(None),
            table: RefCell::default(),
            registry: Registry::default(),
            doorbell: Doorbell::default(),
        };
        Self { kernel: Rc::new(kernel) }
    }

    /// The model time of the step that is under way, or of the last one.
    #[must_use]
    pub fn now(&self) -> ModelTime {
        self.kernel.now.get()
    }

    /// The process that runs, if one does.
    #[must_use]
    pub fn running(&self) -> Option<ProcessId> {
        self.kernel.running.get()
    }

    /// The random stream of this purpose. Asked for twice, it begins anew.
    #[must_use]
    pub fn stream(&self, purpose: &str) -> Stream {
        Stream::named(self.kernel.seed, purpose)
    }

    /// Creates a process that does nothing until it is activated.
    ///
    /// # Panics
    /// If the system has no memory for another stack. Linux allows some 30,000 at once.
    pub fn process(
        &self,
        name: impl Into<Cow<'static, str>>,
        life: impl FnOnce(&Process<'_>) + 'static,
    ) -> ProcessId {
        let mut table = self.kernel.table.borrow_mut();
        let stack = table.stacks.pop().unwrap_or_else(|| match DefaultStack::new(STACK_BYTES) {
            Ok(stack) => stack,
            Err(error) => panic!(
                "no stack for another process beside {}: {error}",
                table.slots.len() - table.free.len()
            ),
        });
        let index = table.free.pop().unwrap_or_else(|| {
            let index =
                u32::try_from(table.slots.len()).expect("fewer than 2^32 processes at once");
            table.slots.push(Slot {
                generation: 0,
                state: State::Terminated,
                name: Cow::Borrowed(""),
                body: None,
            });
            index
        });
        let slot = &mut table.slots[index as usize];
        slot.generation = slot.generation.wrapping_add(1);
        let id = ProcessId { index, generation: slot.generation };
        let context = self.clone();
        slot.name = name.into();
        slot.state = State::New;
        slot.body = Some(Coroutine::with_stack(stack, move |yielder, ()| {
            life(&Process::new(&context, id, yielder));
        }));
        id
    }

    /// Creates a process that runs as soon as all others of this time have.
    pub fn start(
        &self,
        name: impl Into<Cow<'static, str>>,
        life: impl FnOnce(&Process<'_>) + 'static,
    ) -> ProcessId {
        let id = self.process(name, life);
        self.schedule(id, self.now());
        id
    }

    /// Lets an idle process run at this time, after all that are scheduled for it already.
    ///
    /// # Errors
    /// If the process is not idle: it runs, waits, has an entry in the calendar, or has ended.
    pub fn activate(&self, process: ProcessId) -> Result<(), ScheduleError> {
        self.activate_at(process, self.now())
    }

    /// Lets an idle process run at `time`, after all that are scheduled for it already.
    ///
    /// # Errors
    /// If the process is not idle, or `time` has passed.
    pub fn activate_at(&self, process: ProcessId, time: ModelTime) -> Result<(), ScheduleError> {
        let state = self.state(process);
        if !matches!(state, State::New | State::Passive) {
            return Err(ScheduleError::NotIdle { process: self.name(process), state });
        }
        if time < self.now() {
            return Err(ScheduleError::Past { process: self.name(process), time, now: self.now() });
        }
        self.schedule(process, time);
        Ok(())
    }

    /// Takes another process out of the calendar; it is passive then. Says when it would have run.
    ///
    /// # Errors
    /// If the process has no entry in the calendar.
    pub fn cancel(&self, process: ProcessId) -> Result<ModelTime, ScheduleError> {
        let state = self.state(process);
        let mut table = self.kernel.table.borrow_mut();
        if state == State::Scheduled
            && let Some(time) = table.calendar.remove(process.index)
        {
            table.slots[process.index as usize].state = State::Passive;
            return Ok(time);
        }
        drop(table);
        Err(ScheduleError::NotScheduled { process: self.name(process), state })
    }

    /// What a process is doing.
    #[must_use]
    pub fn state(&self, process: ProcessId) -> State {
        match self.kernel.table.borrow().slots.get(process.index as usize) {
            Some(slot) if slot.generation == process.generation => slot.state,
            _ => State::Terminated,
        }
    }

    /// Whether a process is new or passive.
    #[must_use]
    pub fn is_idle(&self, process: ProcessId) -> bool {
        matches!(self.state(process), State::New | State::Passive)
    }

    /// When a process is scheduled for.
    #[must_use]
    pub fn scheduled_for(&self, process: ProcessId) -> Option<ModelTime> {
        let table = self.kernel.table.borrow();
        let slot = table.slots.get(process.index as usize)?;
        (slot.generation == process.generation).then(|| table.calendar.time_of(process.index))?
    }

    /// The name of a process; of one whose place was taken by a later one, that it has ended.
    #[must_use]
    pub fn name(&self, process: ProcessId) -> String {
        match self.kernel.table.borrow().slots.get(process.index as usize) {
            Some(slot) if slot.generation == process.generation => slot.name.to_string(),
            _ => "(ended)".to_owned(),
        }
    }

    /// How many processes there are that have not ended.
    #[must_use]
    pub fn n_processes(&self) -> usize {
        let table = self.kernel.table.borrow();
        table.slots.len() - table.free.len()
    }

    /// All processes that have not ended, in the order of their places in the table.
    #[must_use]
    pub fn processes(&self) -> Vec<ProcessId> {
        let table = self.kernel.table.borrow();
        let living =
            table.slots.iter().zip(0_u32..).filter(|(slot, _)| slot.state != State::Terminated);
        living.map(|(slot, index)| ProcessId { index, generation: slot.generation }).collect()
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.kernel, &other.kernel)
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.kernel.registry
    }

    pub(crate) fn doorbell(&self) -> &Doorbell {
        &self.kernel.doorbell
    }

    /// When the head of the calendar is.
    pub(crate) fn next_time(&self) -> Option<ModelTime> {
        self.kernel.table.borrow().calendar.first().map(|(time, _)| time)
    }

    /// Enters a process that may be scheduled.
    pub(crate) fn schedule(&self, process: ProcessId, time: ModelTime) {
        let mut table = self.kernel.table.borrow_mut();
        table.calendar.insert(time, process.index);
        table.slots[process.index as usize].state = State::Scheduled;
    }

    /// Lets time pass without a step.
    pub(crate) fn advance(&self, time: ModelTime) {
        self.kernel.now.set(self.now().max(time));
    }

    /// Says what the running process is about to wait for.
    pub(crate) fn stop(&self, process: ProcessId, state: State) {
        self.kernel.table.borrow_mut().slots[process.index as usize].state = state;
    }

    /// Runs the process at the head of the calendar until it waits or ends.
    pub(crate) fn step(&self) -> Option<ProcessId> {
        let mut table = self.kernel.table.borrow_mut();
        let (time, index) = table.calendar.pop()?;
        let slot = &mut table.slots[index as usize];
        slot.state = State::Active;
        let id = ProcessId { index, generation: slot.generation };
        let mut body = slot.body.take().expect("a process without a body is not scheduled");
        drop(table);
        self.kernel.now.set(time);
        self.kernel.running.set(Some(id));
        let ended = Ended { kernel: &self.kernel, id };
        match body.resume(()) {
            CoroutineResult::Yield(()) => {
                std::mem::forget(ended);
                self.kernel.running.set(None);
                self.kernel.table.borrow_mut().slots[index as usize].body = Some(body);
            }
            CoroutineResult::Return(()) => {
                drop(ended);
                self.kernel.table.borrow_mut().stacks.push(body.into_stack());
            }
        }
        Some(id)
    }

    /// Ends all processes where they are: their stacks are unwound, what they own is dropped.
    pub(crate) fn shut_down(&self) {
        self.kernel.doorbell.close();
        loop {
            let body =
                self.kernel.table.borrow_mut().slots.iter_mut().find_map(|slot| slot.body.take());
            match body {
                Some(body) => drop(body),
                None => break,
            }
        }
    }
}

/// Marks a process as terminated when dropped: it returned, or its panic unwinds through the step.
struct Ended<'a> {
    kernel: &'a Kernel,
    id: ProcessId,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.kernel.running.set(None);
        let mut table = self.kernel.table.borrow_mut();
        table.slots[self.id.index as usize].state = State::Terminated;
        table.free.push(self.id.index);
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({}, {} processes)", self.now(), self.n_processes())
    }
}
