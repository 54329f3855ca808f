//! `Condvar`: a wait set. Which of several waiting threads a notification reaches is decided when
//! the first of them goes on, so that it is a decision about threads like all others.

use ::std::fmt;
use ::std::panic::Location;
use ::std::sync::{LockResult, Mutex as RealMutex, PoisonError};
use ::std::time::Duration;

use quadrille_sim::task::Outcome;
use quadrille_sim::{Access, Action, Guard, Kind, ObjectId, Place, Request, TaskId, task};

use crate::identity::Identity;
use crate::sync::MutexGuard;

/// A place to wait for a change.
pub struct Condvar {
    identity: Identity,
    state: RealMutex<State>,
    real: ::std::sync::Condvar,
}

/// Whether a wait was over because its time was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was over.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Waiter>,
    /// For each notification that has not reached a thread: how many tickets it covers.
    notifications: Vec<u64>,
    next_ticket: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    task: TaskId,
    /// Its word is not zero once the thread may go on.
    gate: ObjectId,
    /// In the order of arrival; a notification reaches only those who waited before it.
    ticket: u64,
}

impl State {
    fn covers(&self, waiter: Waiter) -> bool {
        self.notifications.iter().any(|&until| waiter.ticket < until)
    }

    /// A thread goes on: it takes a notification if there is one for it, and others may lose theirs.
    fn leave(&mut self, gate: ObjectId, takes: bool) {
        let Some(index) = self.waiting.iter().position(|waiter| waiter.gate == gate) else {
            return;
        };
        let waiter = self.waiting.remove(index);
        let taken = self.notifications.iter().position(|&until| waiter.ticket < until);
        if let Some(taken) = taken.filter(|_| takes) {
            self.notifications.remove(taken);
        }
        let first = self.waiting.iter().map(|waiter| waiter.ticket).min().unwrap_or(u64::MAX);
        self.notifications.retain(|&until| first < until);
        for &waiter in &self.waiting {
            if task::word(waiter.gate) != 0 && !self.covers(waiter) {
                task::set_word(waiter.gate, 0);
            }
        }
    }
}

impl Condvar {
    /// A condition variable that no thread waits for.
    #[must_use]
    pub const fn new() -> Condvar {
        let state = State { waiting: Vec::new(), notifications: Vec::new(), next_ticket: 0 };
        Condvar {
            identity: Identity::new(),
            state: RealMutex::new(state),
            real: ::std::sync::Condvar::new(),
        }
    }

    fn object(&self, place: Place) -> ObjectId {
        let (object, is_new) = self.identity.get(Kind::Condvar, place);
        if is_new {
            self.with(|state| *state = State::default());
        }
        object
    }

    fn with<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn wait_simulated<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
        place: Place,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let object = self.object(place);
        task::visible(Request::new(Action::Wait, object, Access::Write, place));
        let gate = task::object(Kind::Waiter, 0, place);
        let task = task::current();
        self.with(|state| {
            let ticket = state.next_ticket;
            state.next_ticket += 1;
            state.waiting.push(Waiter { task, gate, ticket });
        });
        let (mutex, _) = guard.dissolve();
        let is_spurious = task::take_spurious_wakeup();
        let request = Request::new(Action::Wake, object, Access::Resume, place);
        let outcome = if is_spurious {
            task::visible(request)
        } else {
            task::visible(request.when_at(gate, Guard::NonZero).within(timeout))
        };
        let timed_out = outcome == Outcome::TimedOut;
        self.with(|state| state.leave(gate, !timed_out));
        mutex.acquire(place);
        match mutex.take_real() {
            Ok(real) => Ok((mutex.guard(real, place), timed_out)),
            Err(poison) => {
                Err(PoisonError::new((mutex.guard(poison.into_inner(), place), timed_out)))
            }
        }
    }

    /// Gives the lock back and waits for a notification.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    ///
    /// # Panics
    ///
    /// Never in a simulation.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let place = Location::caller();
        if task::is_simulated() {
            return match self.wait_simulated(guard, Duration::MAX, place) {
                Ok((guard, _)) => Ok(guard),
                Err(poison) => Err(PoisonError::new(poison.into_inner().0)),
            };
        }
        let (mutex, real) = guard.into_real();
        match self.real.wait(real) {
            Ok(real) => Ok(mutex.guard(real, place)),
            Err(poison) => Err(PoisonError::new(mutex.guard(poison.into_inner(), place))),
        }
    }

    /// Waits while `condition` holds.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits for a notification, but not longer than `timeout`.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let place = Location::caller();
        if task::is_simulated() {
            return match self.wait_simulated(guard, timeout, place) {
                Ok((guard, timed_out)) => Ok((guard, WaitTimeoutResult(timed_out))),
                Err(poison) => {
                    let (guard, timed_out) = poison.into_inner();
                    Err(PoisonError::new((guard, WaitTimeoutResult(timed_out))))
                }
            };
        }
        let (mutex, real) = guard.into_real();
        match self.real.wait_timeout(real, timeout) {
            Ok((real, result)) => {
                Ok((mutex.guard(real, place), WaitTimeoutResult(result.timed_out())))
            }
            Err(poison) => {
                let (real, result) = poison.into_inner();
                let result = WaitTimeoutResult(result.timed_out());
                Err(PoisonError::new((mutex.guard(real, place), result)))
            }
        }
    }

    /// Waits for a notification, but not longer than the given milliseconds; false if they passed.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    #[track_caller]
    #[deprecated(note = "replaced by `wait_timeout`")]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        milliseconds: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(u64::from(milliseconds))) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(poison) => {
                let (guard, result) = poison.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
        }
    }

    /// Waits while `condition` holds, but not longer than `timeout`.
    ///
    /// # Errors
    ///
    /// If a thread panicked while it held the lock.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let start = crate::time::Instant::now();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let Some(left) = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
            else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            guard = self.wait_timeout(guard, left)?.0;
        }
    }

    /// Lets one waiting thread go on.
    #[track_caller]
    pub fn notify_one(&self) {
        if !task::is_simulated() {
            return self.real.notify_one();
        }
        let place = Location::caller();
        let object = self.object(place);
        task::visible(Request::new(Action::NotifyOne, object, Access::Write, place));
        self.with(|state| {
            let until = state.next_ticket;
            let reaches = state.waiting.len() > state.notifications.len();
            task::observe(u64::from(reaches), true);
            if !reaches {
                return;
            }
            state.notifications.push(until);
            let is_contended = state.waiting.len() > 1;
            for waiter in &state.waiting {
                task::signal(waiter.gate, 1);
                if is_contended {
                    task::contend(waiter.task);
                }
            }
        });
    }

    /// Lets all waiting threads go on.
    #[track_caller]
    pub fn notify_all(&self) {
        if !task::is_simulated() {
            return self.real.notify_all();
        }
        let place = Location::caller();
        let object = self.object(place);
        task::visible(Request::new(Action::NotifyAll, object, Access::Write, place));
        self.with(|state| {
            task::observe(state.waiting.len() as u64, true);
            state.notifications.clear();
            for waiter in state.waiting.drain(..) {
                task::signal(waiter.gate, 1);
            }
        });
    }
}

impl Default for Condvar {
    fn default() -> Condvar {
        Condvar::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
