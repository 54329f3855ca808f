//! Several threads explore one program: those that have nothing to do take parts of what others have
//! left. What counts is what one worker alone would do; see [`Strategy::lend`]. Knows nothing of what
//! a part is.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::config::Config;
use crate::operation::Place;
use crate::runner::{Body, Explored, Monitor, Report, explore_on};
use crate::strategy::{PartId, Strategy};

/// What makes a monitor for each worker.
pub type Monitors<'a> = dyn Fn() -> Box<dyn Monitor> + 'a;

/// The same as [`explore_with`](crate::explore_with) by so many threads. The report does not depend on
/// how many there are. Each has a monitor of its own, which sees the executions of its thread only.
///
/// # Panics
///
/// If the system refuses a thread.
pub fn explore_by(
    config: &Config,
    strategy: Box<dyn Strategy>,
    workers: usize,
    monitors: &Monitors<'_>,
    body: &Body,
) -> Report {
    let workers = if config.saturation.is_some() { 1 } else { workers.max(1) };
    let monitors = (0..workers).map(|_| monitors()).collect();
    explore_on(config, strategy, monitors, body)
}

/// An order to explore, as who gave it and who carries it out see it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job(Arc<AtomicBool>);

impl Job {
    /// Whether what it finds does not matter any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(SeqCst)
    }

    fn cancel(&self) {
        self.0.store(true, SeqCst);
    }
}

/// A part that was lent: to whom it goes back.
type Order = (Box<dyn Strategy>, Job, Sender<Explored>);

/// The threads of an exploration.
pub(crate) struct Pool {
    n_threads: usize,
    /// Threads with nothing to do, less the orders that wait for them.
    n_idle: AtomicUsize,
    state: Mutex<State>,
    wakes: Condvar,
    /// Something that outlives executions was used while several threads executed.
    objection: Mutex<Option<String>>,
    /// The program was executed once, and uses nothing that outlives executions.
    is_open: AtomicBool,
    has_executed: AtomicBool,
}

#[derive(Default)]
struct State {
    orders: VecDeque<Order>,
    is_closed: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub(crate) fn new(n_threads: usize) -> Pool {
        Pool {
            n_threads,
            n_idle: AtomicUsize::new(0),
            state: Mutex::default(),
            wakes: Condvar::new(),
            objection: Mutex::default(),
            is_open: AtomicBool::new(false),
            has_executed: AtomicBool::new(false),
        }
    }

    pub(crate) fn has_helpers(&self) -> bool {
        self.n_threads > 1
    }

    /// An execution is over that used something at `outlives` which outlives executions. If it is the
    /// first of all, one thread explores; later, others have used the same thing at the same time.
    pub(crate) fn hear(&self, outlives: Option<Place>) {
        if !self.has_helpers() {
            return;
        }
        if !self.has_executed.swap(true, SeqCst) {
            return self.is_open.store(outlives.is_none(), SeqCst);
        }
        if let Some(place) = outlives.filter(|_| self.is_open.load(SeqCst)) {
            locked(&self.objection).get_or_insert_with(|| {
                format!(
                    "what is used at {place} outlives executions, such as a static, so that \
                     several workers use it at the same time; explore with one worker"
                )
            });
        }
    }

    /// Why several threads cannot explore this program.
    pub(crate) fn objection(&self) -> Option<String> {
        if !self.has_helpers() {
            return None;
        }
        locked(&self.objection).clone()
    }

    /// No more orders; those under way do not matter any more.
    pub(crate) fn close(&self) {
        let mut state = locked(&self.state);
        state.is_closed = true;
        state.orders.clear();
        self.wakes.notify_all();
    }

    /// Carries out orders until there are no more.
    pub(crate) fn help(&self, explore: &mut dyn FnMut(Box<dyn Strategy>, &Job) -> Explored) {
        self.n_idle.fetch_add(1, SeqCst);
        while let Some((strategy, job, back)) = self.next() {
            let _ = back.send(explore(strategy, &job));
            self.n_idle.fetch_add(1, SeqCst);
        }
    }

    fn next(&self) -> Option<Order> {
        let mut state = locked(&self.state);
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(order) = state.orders.pop_front() {
                return Some(order);
            }
            state = self.wakes.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reserves a thread that has nothing to do.
    fn reserve(&self) -> bool {
        let less = |idle: usize| idle.checked_sub(1);
        self.is_open.load(SeqCst) && self.n_idle.fetch_update(SeqCst, SeqCst, less).is_ok()
    }
}

/// The parts that an exploration has lent.
pub(crate) struct Lent<'a> {
    pool: &'a Pool,
    parts: Vec<(PartId, Job, Receiver<Explored>)>,
}

impl<'a> Lent<'a> {
    pub(crate) fn new(pool: &'a Pool) -> Lent<'a> {
        Lent { pool, parts: Vec::new() }
    }

    /// Lends parts to all threads that have nothing to do.
    pub(crate) fn lend(&mut self, strategy: &mut dyn Strategy) {
        while self.pool.reserve() {
            let Some((id, part)) = strategy.lend() else {
                self.pool.n_idle.fetch_add(1, SeqCst);
                return;
            };
            let (back, explored) = channel();
            let job = Job::default();
            self.parts.push((id, job.clone(), explored));
            let mut state = locked(&self.pool.state);
            state.orders.push_back((part, job, back));
            self.pool.wakes.notify_all();
        }
    }

    /// Waits for a part; nothing if all is over.
    pub(crate) fn wait(&mut self, id: PartId, own: &Job) -> Option<Explored> {
        let index = self.parts.iter().position(|(known, ..)| *known == id)?;
        loop {
            match self.parts[index].2.recv_timeout(Duration::from_millis(10)) {
                Ok(explored) => {
                    self.parts.remove(index);
                    return Some(explored);
                }
                Err(RecvTimeoutError::Timeout) if !own.is_cancelled() => {}
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.parts.iter().for_each(|(_, job, _)| job.cancel());
    }
}
