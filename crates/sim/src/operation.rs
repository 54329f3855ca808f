//! Visible operations: what a task does that another task could notice, and which two of them
//! commute. Knows nothing of scheduling.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::time::Duration;

use quadrille_simulation::ModelTime;

/// A task of the execution, numbered in the order of spawning; the body of the test is task 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub(crate) u16);

impl TaskId {
    /// The task that runs the body of the test.
    pub const MAIN: TaskId = TaskId(0);

    /// The number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn new(index: usize) -> TaskId {
        TaskId(u16::try_from(index).expect("the world refuses more tasks than this"))
    }
}

/// An object that tasks share, numbered in the order of first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub(crate) u32);

impl ObjectId {
    /// Stands for no object at all: operations on it commute with everything.
    pub const NONE: ObjectId = ObjectId(0);

    /// The number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number as bits, to be kept by what the object stands for.
    #[must_use]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The object of such bits, in the same execution.
    #[must_use]
    pub const fn from_bits(bits: u32) -> ObjectId {
        ObjectId(bits)
    }
}

/// Where in the source an operation was asked for.
pub type Place = &'static Location<'static>;

/// What kind of thing an object is; said in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// No object.
    Nothing,
    /// The set of tasks: spawning numbers them, so two spawns do not commute.
    Tasks,
    /// The end of a task, waited for by `join`.
    End,
    /// The token of a task's `park`.
    Token,
    /// The clock.
    Clock,
    /// The order of sequentially consistent operations.
    Sequential,
    /// A mutex.
    Mutex,
    /// A reader-writer lock.
    RwLock,
    /// A condition variable.
    Condvar,
    /// One thread that waits for a condition variable.
    Waiter,
    /// A future, waited for by the task that polls it.
    Future,
    /// A barrier.
    Barrier,
    /// A `Once`, `OnceLock` or `LazyLock`.
    Once,
    /// A channel.
    Channel,
    /// An atomic.
    Atomic,
    /// A cell whose accesses are watched for data races.
    Cell,
    /// What a user declared.
    User,
}

impl Kind {
    /// The word for it in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::Tasks => "tasks",
            Kind::End => "thread",
            Kind::Token => "park token",
            Kind::Clock => "clock",
            Kind::Sequential => "sequential order",
            Kind::Mutex => "mutex",
            Kind::RwLock => "rwlock",
            Kind::Condvar => "condvar",
            Kind::Waiter => "waiter",
            Kind::Future => "future",
            Kind::Barrier => "barrier",
            Kind::Once => "once",
            Kind::Channel => "channel",
            Kind::Atomic => "atomic",
            Kind::Cell => "cell",
            Kind::User => "object",
        }
    }
}

/// How an operation touches its object, as far as commuting goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Not at all.
    None,
    /// Looks; commutes with other looks.
    Read,
    /// Changes, or may change, depending on what it finds; commutes with nothing.
    Write,
    /// Takes a lock for itself, once it is free.
    Acquire,
    /// Gives back a lock that was taken alone.
    Release,
    /// Takes a lock together with other readers.
    Share,
    /// Gives back a shared lock.
    Unshare,
    /// Appends to an unbounded queue.
    Push,
    /// Takes from a queue once there is something; the k-th taken is the k-th appended.
    Pop,
    /// Gives what another task waits for and takes nothing away; commutes with others that do.
    Signal,
    /// Leaves a group for good, such as the senders of a channel.
    Leave,
    /// Looks, as one of the sequentially consistent operations of a weak memory.
    SeqRead,
    /// Changes, as one of the sequentially consistent operations of a weak memory.
    SeqWrite,
    /// Goes on after what it waited for: comes after its cause and commutes with everything else.
    Resume,
}

impl Access {
    /// Whether the order of two such accesses to one object can matter and either may come first.
    /// What merely enables the other (`Release` before `Acquire`) is no race: see
    /// [`Access::enables`].
    #[must_use]
    pub const fn races(self, other: Access) -> bool {
        use Access::{Acquire, None, Pop, Push, Read, Resume, SeqRead, SeqWrite, Share, Write};
        match (self, other) {
            (None | Resume, _) | (_, None | Resume) | (Read | SeqRead, Read | SeqRead) => false,
            (Write | Read | SeqWrite | SeqRead, _)
            | (_, Write | Read | SeqWrite | SeqRead)
            | (Acquire, Acquire | Share)
            | (Share, Acquire)
            | (Push, Push)
            | (Pop, Pop) => true,
            _ => false,
        }
    }

    /// Whether the first can be what the second waits for, without racing with it.
    #[must_use]
    pub const fn enables(self, later: Access) -> bool {
        use Access::{Acquire, Leave, Pop, Push, Release, Share, Unshare};
        matches!(
            (self, later),
            (Release, Acquire | Share) | (Unshare, Acquire) | (Push | Leave, Pop)
        )
    }

    /// Whether it changes the object, so that one who polls it may find something new.
    #[must_use]
    pub const fn changes(self) -> bool {
        !matches!(self, Access::None | Access::Read | Access::SeqRead | Access::Resume)
    }

    /// Whether it changes whatever it finds: what came before it to the object came before it.
    pub(crate) const fn is_write(self) -> bool {
        matches!(self, Access::Write | Access::SeqWrite)
    }

    /// Whether it belongs to the order of sequentially consistent operations, which fences of that
    /// kind do not commute with.
    pub(crate) const fn is_ordered(self) -> bool {
        matches!(self, Access::SeqRead | Access::SeqWrite)
    }

    /// The same as a part of that order.
    pub(crate) const fn ordered(self) -> Access {
        match self {
            Access::Read => Access::SeqRead,
            Access::Write => Access::SeqWrite,
            other => other,
        }
    }
}

/// What an operation does; the vocabulary of reports and formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The first step of a task.
    Start,
    /// The last step of a task.
    Finish,
    /// Makes a task.
    Spawn,
    /// Waits for the end of a task.
    Join,
    /// Takes a lock alone.
    Lock,
    /// Takes a lock alone if it is free.
    TryLock,
    /// Gives it back.
    Unlock,
    /// Takes a lock with other readers.
    LockShared,
    /// Takes a lock with other readers if there is no writer.
    TryLockShared,
    /// Gives it back.
    UnlockShared,
    /// Enters the wait set of a condition variable.
    Wait,
    /// Leaves the wait set of a condition variable.
    Wake,
    /// Wakes one that waits.
    NotifyOne,
    /// Wakes all that wait.
    NotifyAll,
    /// Waits for the task's token.
    Park,
    /// Gives a task its token.
    Unpark,
    /// Lets model time pass.
    Sleep,
    /// Lets others go first.
    Yield,
    /// Waits until a waker is called, to poll a future again.
    Poll,
    /// Calls the waker of a future.
    CallWaker,
    /// Reads the clock.
    Now,
    /// Reads an atomic.
    Load(Ordering),
    /// Writes an atomic.
    Store(Ordering),
    /// Reads and writes an atomic in one step.
    Update(Ordering),
    /// A fence.
    Fence(Ordering),
    /// Appends to a channel.
    Send,
    /// Appends to a channel if there is room.
    TrySend,
    /// Takes from a channel.
    Receive,
    /// Takes from a channel if there is something.
    TryReceive,
    /// Gives up one end of a channel.
    Disconnect,
    /// Enters a `Once`.
    Call,
    /// Meets the others at a barrier.
    Meet,
    /// Reads a watched cell.
    ReadCell,
    /// Writes a watched cell.
    WriteCell,
    /// Takes the pointer out of a cell; what is done with it is not known.
    TouchCell,
    /// A named event of the user.
    Event(&'static str),
    /// Something else.
    Other(&'static str),
}

impl Action {
    /// The word for it in reports and formulas.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Action::Start => "start",
            Action::Finish => "finish",
            Action::Spawn => "spawn",
            Action::Join => "join",
            Action::Lock => "lock",
            Action::TryLock => "try_lock",
            Action::Unlock => "unlock",
            Action::LockShared => "read",
            Action::TryLockShared => "try_read",
            Action::UnlockShared => "unlock_read",
            Action::Wait => "wait",
            Action::Wake => "wake",
            Action::NotifyOne => "notify_one",
            Action::NotifyAll => "notify_all",
            Action::Park => "park",
            Action::Unpark => "unpark",
            Action::Sleep => "sleep",
            Action::Yield => "yield",
            Action::Poll => "poll",
            Action::CallWaker => "call_waker",
            Action::Now => "now",
            Action::Load(_) => "load",
            Action::Store(_) => "store",
            Action::Update(_) => "update",
            Action::Fence(_) => "fence",
            Action::Send => "send",
            Action::TrySend => "try_send",
            Action::Receive => "recv",
            Action::TryReceive => "try_recv",
            Action::Disconnect => "disconnect",
            Action::Call => "call_once",
            Action::Meet => "meet",
            Action::ReadCell => "read_cell",
            Action::WriteCell => "write_cell",
            Action::TouchCell => "get_cell",
            Action::Event(name) | Action::Other(name) => name,
        }
    }
}

/// When a requested operation can be performed, said of the word that its object carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// At once.
    Always,
    /// While the word is zero: a free lock.
    Zero,
    /// While the word is not zero: a token, an end, a message.
    NonZero,
    /// While the word is not negative: a lock without writer.
    NotNegative,
    /// While the word is less: a queue with room.
    Below(i64),
    /// Never by itself: only the deadline ends it.
    Never,
}

impl Guard {
    /// Whether a word lets the operation go on.
    #[must_use]
    pub const fn admits(self, word: i64) -> bool {
        match self {
            Guard::Always => true,
            Guard::Zero => word == 0,
            Guard::NonZero => word != 0,
            Guard::NotNegative => word >= 0,
            Guard::Below(limit) => word < limit,
            Guard::Never => false,
        }
    }
}

/// An operation that a task wants to perform next.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What it does.
    pub action: Action,
    /// To what.
    pub object: ObjectId,
    /// How that commutes.
    pub access: Access,
    /// The object whose word decides when it can be done; mostly the same.
    pub gate: ObjectId,
    /// When it can be done.
    pub guard: Guard,
    /// How long it waits before it is given up; `Duration::MAX` for ever.
    pub timeout: Duration,
    /// Where it was asked for.
    pub place: Place,
}

impl Request {
    /// An operation that can be done at once.
    #[must_use]
    pub const fn new(action: Action, object: ObjectId, access: Access, place: Place) -> Request {
        let (guard, timeout) = (Guard::Always, Duration::MAX);
        Request { action, object, access, gate: object, guard, timeout, place }
    }

    /// The same once `guard` admits it.
    #[must_use]
    pub const fn when(self, guard: Guard) -> Request {
        Request { guard, ..self }
    }

    /// The same once `guard` admits the word of another object.
    #[must_use]
    pub const fn when_at(self, gate: ObjectId, guard: Guard) -> Request {
        Request { gate, guard, ..self }
    }

    /// The same, given up after `timeout` of model time.
    #[must_use]
    pub const fn within(self, timeout: Duration) -> Request {
        Request { timeout, ..self }
    }

    /// Whether the order of this and another task's operation can matter.
    #[must_use]
    pub fn depends_on(&self, other: &Request) -> bool {
        conflict((self.object, self.access), (other.object, other.access))
    }
}

/// Whether the order of two accesses by different tasks can matter and either may come first.
pub(crate) fn conflict(a: (ObjectId, Access), b: (ObjectId, Access)) -> bool {
    (a.0 == b.0 && a.1.races(b.1))
        || (a.0 == SEQUENTIAL && b.1.is_ordered())
        || (b.0 == SEQUENTIAL && a.1.is_ordered())
}

/// What stands in a trace for the value of an atomic pointer that is not null: addresses differ between
/// equal executions.
pub const POINTER: u64 = 0xA11D_0E55_0000_0001;

/// The set of tasks as an object.
pub(crate) const TASKS: ObjectId = ObjectId(1);
/// The clock as an object.
pub(crate) const CLOCK: ObjectId = ObjectId(2);
/// The order of sequentially consistent operations as an object, for fences of a weak memory; another
/// object without one, where no access is ordered.
pub(crate) const SEQUENTIAL: ObjectId = ObjectId(3);

/// An operation that was performed: one line of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// By whom.
    pub task: TaskId,
    /// What.
    pub action: Action,
    /// To what.
    pub object: ObjectId,
    /// How it touched the object.
    pub access: Access,
    /// Whether its deadline ended it.
    pub timed_out: bool,
    /// How many operations of the execution certainly came before, because this one was let go on
    /// only when nothing else could happen: model time jumped, or a polling task was let go on.
    pub after: u32,
    /// The operation that this one waited for, counted from 1; zero if it did not wait.
    pub cause: u32,
    /// What an atomic held before, or the like; for reports.
    pub value: u64,
    /// Whether a load of a weak memory read a store that is overwritten already.
    pub is_stale: bool,
    /// When, in model time.
    pub time: ModelTime,
    /// Where in the source.
    pub place: Place,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.action.word())?;
        if self.timed_out {
            f.write_str(" (timed out)")?;
        }
        write!(f, " at {}:{}", self.place.file(), self.place.line())
    }
}
