//! A producer and a consumer that never end, around a buffer with a lock and a condition variable; every choice of the scheduler is tried.
//!
//! The example of J. Kačer's thesis (University of West Bohemia, 2005). A thread has five consistent positions: born, at the entry of a method of the buffer,
//! waiting inside, at its exit, dead. A node is the pair of positions.
#![forbid(unsafe_code)]

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_joint::coverage::Coverage;
use quadrille_joint::strategy::{Closure, Covering, Stop};
use quadrille_sim::{Action, Config, Ends, Fault, explore};
use quadrille_sim_std::sync::{Arc, Condvar, Mutex, PoisonError};
use quadrille_sim_std::thread;

/// A buffer for so many numbers.
pub struct Buffer {
    size: usize,
    numbers: Mutex<VecDeque<u64>>,
    changed: Condvar,
    /// How many numbers are in, for the exploration: it recognises states by it and must not take the lock.
    count: Arc<Count>,
}

/// How many numbers are in a buffer, readable without its lock.
#[derive(Default)]
pub struct Count(AtomicU64);

impl Buffer {
    /// An empty buffer.
    #[must_use]
    pub fn new(size: usize, count: Arc<Count>) -> Self {
        count.0.store(0, Ordering::Relaxed);
        Self { size, numbers: Mutex::default(), changed: Condvar::new(), count }
    }

    /// Adds a number; waits while the buffer is full.
    pub fn write(&self, number: u64) {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        while numbers.len() == self.size {
            numbers = self.changed.wait(numbers).unwrap_or_else(PoisonError::into_inner);
        }
        numbers.push_back(number);
        self.count.0.store(numbers.len() as u64, Ordering::Relaxed);
        if numbers.len() == 1 {
            self.changed.notify_one();
        }
    }

    /// Takes the oldest number; waits while the buffer is empty.
    pub fn read(&self) -> u64 {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some(number) = numbers.pop_front() else {
                numbers = self.changed.wait(numbers).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            self.count.0.store(numbers.len() as u64, Ordering::Relaxed);
            if numbers.len() == self.size - 1 {
                self.changed.notify_one();
            }
            return number;
        }
    }
}

/// The program: starts a producer and a consumer, which never end.
///
/// # Panics
/// If the consumer gets other numbers than the producer wrote.
pub fn program(size: usize, count: &Arc<Count>) {
    let buffer = Arc::new(Buffer::new(size, Arc::clone(count)));
    let shared = Arc::clone(&buffer);
    let producer = thread::spawn(move || {
        for number in 0.. {
            shared.write(number);
            // The exit of a method is a position of its own.
            thread::yield_now();
        }
    });
    thread::spawn(move || {
        for number in 0.. {
            assert_eq!(buffer.read(), number);
            thread::yield_now();
        }
    });
    producer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// A pair of positions: the producer's, the consumer's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32, pub u32);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{}{}", self.0, self.1)
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What exploring all choices shows.
pub struct Explored {
    /// Nodes and transitions.
    pub coverage: Coverage,
    /// The nodes that the program can come back to again and again.
    pub recurrent: Vec<Node>,
    /// States and choices of the whole program, of which nodes are projections.
    pub n_states_and_choices: (usize, usize),
    /// How many executions ended in a deadlock.
    pub n_deadlocks: u64,
}

impl Explored {
    /// All nodes, in order.
    #[must_use]
    pub fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.coverage.states().map(node).collect();
        nodes.sort_unstable();
        nodes
    }
}

fn node(state: &[u32]) -> Node {
    Node(state[0], state[1])
}

/// The position of a thread: 1 born, 2 entry, 3 waiting, 4 exit, 5 dead. The main thread does not count.
fn position(stop: Stop<'_>) -> Option<u32> {
    if stop.thread == 0 {
        return None;
    }
    let last = stop.last.map(|last| last.action);
    Some(match (stop.next.action, last) {
        (_, Some(Action::Finish)) => 5,
        (Action::Start, _) => 1,
        (Action::Wake, _) | (Action::Lock, Some(Action::Wake)) => 3,
        (Action::Lock, _) => 2,
        _ => 4,
    })
}

/// Tries every choice of the scheduler in every state that the program can reach.
///
/// # Panics
/// If the exploration does not end: states are not recognised again.
#[must_use]
pub fn explore_all(size: usize) -> Explored {
    let count = Arc::new(Count::default());
    let probed = Arc::clone(&count);
    let covering = Covering::new(move || probed.0.load(Ordering::Relaxed), position);
    let closure: Closure = covering.closure();
    let config =
        Config { ends: Ends::WithBody, max_steps: 5_000, max_failures: 1, ..Config::default() };
    let report = explore(config, Box::new(covering), Arc::new(move || program(size, &count)));
    let n_deadlocks = match report.failure.map(|failure| failure.fault) {
        Some(Fault::Deadlock { .. }) => report.failures,
        Some(fault) => panic!("{fault:?}"),
        None => 0,
    };
    assert!(closure.is_closed() || n_deadlocks > 0, "unfaithful: {}", closure.is_unfaithful());
    let coverage = closure.coverage();
    let mut recurrent: Vec<Node> =
        closure.recurrent().into_iter().map(|id| node(coverage.state(id))).collect();
    recurrent.sort_unstable();
    Explored {
        coverage,
        recurrent,
        n_states_and_choices: closure.n_states_and_choices(),
        n_deadlocks,
    }
}
