//! Exhaustive exploration: how many executions it takes, and that it misses nothing.

use std::collections::BTreeSet;
use std::sync::{Arc as RealArc, Mutex as RealMutex};

use quadrille_sim::strategy::{Dpor, Execution, Naive, Point, Reduction};
use quadrille_sim::{
    Config, Fault, Monitor, Random, Report, Strategy, TaskId, Threads, explore, explore_with, task,
};
use quadrille_sim_std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use quadrille_sim_std::sync::mpsc::{Receiver, Sender, channel};
use quadrille_sim_std::sync::{Arc, Condvar, Mutex, RwLock};
use quadrille_sim_std::thread;

fn all(strategy: impl Strategy + 'static, body: impl Fn() + Send + Sync + 'static) -> Report {
    let config = Config { max_failures: u64::MAX, ..Config::default() };
    explore(config, Box::new(strategy), RealArc::new(body))
}

/// Threads that increment a counter under a mutex, `rounds` times each.
pub(crate) fn increments(
    threads: usize,
    rounds: usize,
) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let counter = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                let counter = Arc::clone(&counter);
                thread::spawn(move || {
                    for _ in 0..rounds {
                        *counter.lock().unwrap() += 1;
                    }
                })
            })
            .collect();
        let n = threads.len();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*counter.lock().unwrap(), n * rounds);
    }
}

#[test]
fn one_execution_per_order_of_critical_sections() {
    let known = [(2, 2, 6), (2, 3, 20), (2, 4, 70), (3, 2, 90), (3, 3, 1680)];
    for (threads, rounds, expected) in known {
        for reduction in [Reduction::Source, Reduction::Optimal] {
            let report = all(Dpor::new(reduction), increments(threads, rounds));
            assert!(report.failure.is_none(), "{}", report.failure.unwrap());
            assert!(report.is_exhausted);
            assert_eq!(report.executions, expected, "{threads} x {rounds} {reduction:?}");
        }
    }
}

/// One operation of a random program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    Load(usize),
    Store(usize, usize),
    Add(usize, usize),
    Exchange(usize, usize, usize),
    Lock(usize, usize),
    TryLock(usize),
    Nested(usize),
    Read,
    Write(usize),
    Send(usize),
    Receive,
    TryReceive,
    NotifyOne,
    NotifyAll,
    Await,
    Unpark(usize),
    Park,
    Yield,
    /// Unwinds, with operations in a destructor.
    Unwind(usize),
}

pub(crate) type Program = Vec<Vec<Act>>;

/// A small program, of few kinds of operations, so that they meet.
pub(crate) fn program(seed: u64) -> Program {
    let mut random = Random::of(seed, 77);
    let n_threads = 2 + random.below(2) as usize;
    let longest = if n_threads == 2 { 3 } else { 2 };
    let kinds: Vec<u64> = (0..3).map(|_| random.below(18)).collect();
    let mut act = || {
        let kind = kinds[random.below(3) as usize];
        let mut number = |bound| random.below(bound) as usize;
        let (a, b, c) = (number(2), number(2), number(3));
        match kind {
            0 => Act::Load(a),
            1 => Act::Store(a, c),
            2 => Act::Add(a, c),
            3 => Act::Exchange(a, b, c),
            4 => Act::Lock(a, c),
            5 => Act::TryLock(a),
            6 => Act::Nested(a),
            7 => Act::Read,
            8 => Act::Write(c),
            9 => Act::Send(c),
            10 => Act::Receive,
            11 => Act::TryReceive,
            12 => Act::NotifyOne,
            13 => Act::NotifyAll,
            14 => Act::Await,
            15 => Act::Unpark(c),
            16 => Act::Park,
            _ => Act::Yield,
        }
    };
    let mut lengths = Random::of(seed, 78);
    (0..n_threads).map(|_| (0..=lengths.below(longest)).map(|_| act()).collect()).collect()
}

/// Calls something at its end.
struct Last<F: Fn()>(F);

impl<F: Fn()> Drop for Last<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

struct Shared {
    atomics: [AtomicUsize; 2],
    locks: [Mutex<usize>; 2],
    shared: RwLock<usize>,
    sender: Sender<usize>,
    condvar: (Mutex<usize>, Condvar),
    threads: Mutex<Vec<thread::Thread>>,
}

impl Shared {
    /// Performs an operation; what it saw, if it sees anything.
    fn perform(&self, act: Act, receiver: Option<&Receiver<usize>>) -> Option<usize> {
        match act {
            Act::Load(a) => Some(self.atomics[a].load(SeqCst)),
            Act::Store(a, value) => {
                self.atomics[a].store(value, SeqCst);
                None
            }
            Act::Add(a, value) => Some(self.atomics[a].fetch_add(value, SeqCst)),
            Act::Exchange(a, old, new) => {
                let result = self.atomics[a].compare_exchange(old, new, SeqCst, SeqCst);
                Some(result.unwrap_or_else(|value| value + 10))
            }
            Act::Lock(a, value) => {
                let mut guard = self.locks[a].lock().unwrap();
                let seen = *guard;
                *guard = seen * 3 + value + 1;
                Some(seen)
            }
            Act::TryLock(a) => match self.locks[a].try_lock() {
                Ok(mut guard) => {
                    *guard += 1;
                    Some(*guard)
                }
                Err(_) => Some(99),
            },
            Act::Nested(a) => {
                let first = self.locks[a].lock().unwrap();
                let second = self.locks[1 - a].lock().unwrap();
                Some(*first + *second)
            }
            Act::Read => Some(*self.shared.read().unwrap()),
            Act::Write(value) => {
                let mut guard = self.shared.write().unwrap();
                *guard = *guard * 2 + value;
                None
            }
            Act::Send(value) => self.sender.send(value).err().map(|_| 66),
            Act::Receive => receiver.map(|receiver| receiver.recv().unwrap_or(77)),
            Act::TryReceive => receiver.map(|receiver| receiver.try_recv().unwrap_or(88)),
            Act::NotifyOne => {
                *self.condvar.0.lock().unwrap() += 1;
                self.condvar.1.notify_one();
                None
            }
            Act::NotifyAll => {
                self.condvar.1.notify_all();
                None
            }
            Act::Await => {
                let guard = self.condvar.0.lock().unwrap();
                Some(*self.condvar.1.wait(guard).unwrap())
            }
            Act::Unpark(thread) => {
                let thread = self.threads.lock().unwrap().get(thread).cloned();
                thread.iter().for_each(thread::Thread::unpark);
                None
            }
            Act::Park => {
                thread::park();
                None
            }
            Act::Yield => {
                thread::yield_now();
                None
            }
            Act::Unwind(a) => {
                let seen = std::cell::Cell::new(0);
                let unwinds = std::panic::AssertUnwindSafe(|| {
                    let _last = Last(|| {
                        seen.set(self.atomics[a].fetch_add(1, SeqCst));
                        seen.set(seen.get() * 10 + self.atomics[1 - a].load(SeqCst));
                    });
                    self.atomics[a].load(SeqCst);
                    std::panic::resume_unwind(Box::new(()));
                });
                assert!(std::panic::catch_unwind(unwinds).is_err());
                Some(seen.get())
            }
        }
    }
}

pub(crate) type Logs = RealArc<RealMutex<Vec<Vec<usize>>>>;
/// What a program can end in: what its threads saw and left, or which of them are stuck.
type Outcomes = BTreeSet<(Vec<Vec<usize>>, Vec<usize>)>;

fn outcomes(program: &Program, strategy: impl Strategy + 'static) -> (Outcomes, Report) {
    outcomes_on(Threads::Coroutines, program, strategy)
}

fn outcomes_on(
    threads: Threads,
    program: &Program,
    strategy: impl Strategy + 'static,
) -> (Outcomes, Report) {
    let found: RealArc<RealMutex<Outcomes>> = RealArc::default();
    let logs = Logs::default();
    let monitor = Watcher { logs: RealArc::clone(&logs), found: RealArc::clone(&found) };
    let config = Config { max_failures: u64::MAX, threads, ..Config::default() };
    let (into, program) = (RealArc::clone(&found), program.clone());
    let body = move || {
        let finals = execute(&program, &logs);
        into.lock().unwrap().insert((logs.lock().unwrap().clone(), finals));
    };
    let body = RealArc::new(body);
    let report = explore_with(config, Box::new(strategy), Box::new(monitor), body);
    let found = found.lock().unwrap().clone();
    (found, report)
}

pub(crate) fn execute(program: &Program, logs: &Logs) -> Vec<usize> {
    *logs.lock().unwrap() = vec![Vec::new(); program.len()];
    let (sender, receiver) = channel();
    let shared = Arc::new(Shared {
        atomics: Default::default(),
        locks: Default::default(),
        shared: RwLock::new(0),
        sender,
        condvar: Default::default(),
        threads: Mutex::default(),
    });
    let run = |index: usize, acts: Vec<Act>, receiver: Option<Receiver<usize>>| {
        let (shared, logs) = (Arc::clone(&shared), RealArc::clone(logs));
        move || {
            for act in acts {
                let seen = shared.perform(act, receiver.as_ref());
                logs.lock().unwrap()[index].extend(seen);
            }
        }
    };
    let mut threads = Vec::new();
    for (index, acts) in program.iter().enumerate().skip(1) {
        threads.push(thread::spawn(run(index, acts.clone(), None)));
    }
    if program.iter().flatten().any(|act| matches!(act, Act::Unpark(_))) {
        let mut known = shared.threads.lock().unwrap();
        known.push(thread::current());
        known.extend(threads.iter().map(|thread| thread.thread().clone()));
    }
    run(0, program[0].clone(), Some(receiver))();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    task::look(|| {
        let mut finals: Vec<usize> = shared.atomics.iter().map(|a| a.load(SeqCst)).collect();
        finals.extend(shared.locks.iter().map(|lock| *lock.lock().unwrap()));
        finals.push(*shared.shared.read().unwrap());
        finals
    })
}

/// Enters executions that are stuck.
struct Watcher {
    logs: Logs,
    found: RealArc<RealMutex<Outcomes>>,
}

impl Monitor for Watcher {
    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        if !execution.blocked.is_empty() {
            let mut blocked: Vec<usize> = execution.blocked.iter().map(|t| t.index()).collect();
            blocked.insert(0, 1000);
            self.found.lock().unwrap().insert((self.logs.lock().unwrap().clone(), blocked));
        }
        None
    }
}

/// Gives up after so many executions.
pub(crate) struct Bounded {
    inner: Naive,
    left: u64,
}

impl Bounded {
    pub(crate) fn new(inner: Naive, executions: u64) -> Bounded {
        Bounded { inner, left: executions }
    }
}

impl Strategy for Bounded {
    fn begin(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0 && self.inner.begin()
    }
    fn choose(&mut self, point: &Point<'_>) -> Option<TaskId> {
        self.inner.choose(point)
    }
    fn draw(&mut self, bound: u32) -> u32 {
        self.inner.draw(bound)
    }
    fn yields(&self) -> bool {
        self.inner.yields()
    }
    fn is_exhaustive(&self) -> bool {
        self.left > 0
    }
}

/// Compares reductions with naive search; how many programs were small enough.
fn compare(seeds: std::ops::Range<u64>, max_executions: u64) -> u64 {
    let mut executions = [0; 3];
    let mut checked = 0;
    for seed in seeds {
        let program = program(seed);
        let naive = Bounded::new(Naive::new(), max_executions);
        let (expected, report) = outcomes(&program, naive);
        if let Some(failure) = report.failure.as_ref().filter(|failure| failure.fault.is_misuse()) {
            panic!("seed {seed}: {program:?} {failure}");
        }
        if !report.is_exhausted {
            continue;
        }
        checked += 1;
        executions[0] += report.executions;
        for (index, reduction) in [Reduction::Source, Reduction::Optimal].into_iter().enumerate() {
            let (found, report) = outcomes(&program, Dpor::new(reduction));
            let failure = report.failure.as_ref().filter(|failure| failure.fault.is_misuse());
            assert!(
                failure.is_none() && report.is_exhausted,
                "seed {seed}: {program:?} {failure:?}"
            );
            assert_eq!(found, expected, "seed {seed} {reduction:?}: {program:?}");
            executions[index + 1] += report.executions;
        }
    }
    #[allow(clippy::print_stdout)]
    {
        println!("{checked} programs; executions: naive, source, optimal {executions:?}");
    }
    checked
}

#[test]
fn reductions_lose_no_outcome() {
    // Set these for more: 10,000 programs take some minutes.
    #[allow(clippy::disallowed_methods)]
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (from, count) = (number("SEED").unwrap_or(0), number("COUNT").unwrap_or(60));
    let limit = number("LIMIT").unwrap_or(2_000);
    assert!(compare(from..from + count, limit) > 0);
}

#[test]
fn what_unwinds_is_explored_on_threads_of_the_system() {
    let mut checked = 0;
    for seed in 0..40 {
        let mut random = Random::of(seed, 79);
        let mut act = || match (random.below(4), random.below(2) as usize) {
            (0, a) => Act::Load(a),
            (1, a) => Act::Store(a, 1),
            (2, a) => Act::Add(a, 1),
            (_, a) => Act::Unwind(a),
        };
        let program: Program = vec![vec![act(), act()], vec![act()]];
        if !program.iter().flatten().any(|act| matches!(act, Act::Unwind(_))) {
            continue;
        }
        // On coroutines its destructors cannot be interrupted: not all orders.
        let (_, report) = outcomes(&program, Dpor::new(Reduction::Optimal));
        let failure = report.failure.unwrap();
        assert!(matches!(failure.fault, Fault::Unsuitable(_)), "seed {seed}: {failure}");
        let naive = Bounded::new(Naive::new(), 400);
        let (expected, report) = outcomes_on(Threads::System, &program, naive);
        if !report.is_exhausted {
            continue;
        }
        checked += 1;
        for reduction in [Reduction::Source, Reduction::Optimal] {
            let (found, report) = outcomes_on(Threads::System, &program, Dpor::new(reduction));
            assert!(report.is_exhausted, "seed {seed}: {:?}", report.failure);
            assert_eq!(found, expected, "seed {seed} {reduction:?}: {program:?}");
        }
    }
    assert!(checked > 5, "{checked} were small enough");
}
