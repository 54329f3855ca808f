//! The strict form: one machine for everybody, under a lock. What roles wait for is known to the machine: it
//! does it for those who sleep, wakes exactly those who can go on or never will, and reports a deadlock.
//! [`Core::attempt`] is the only place where anything happens; blocking calls, futures and explorations
//! all call it.

mod core;
mod hope;
mod serve;

use std::sync::{Arc, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use crate::ask::{self, Ask, Attempt, Done, Obstacle};
use crate::error::{Cause, Error};
use crate::event::Event;
use crate::module::{Payload, Setting};
use crate::plan::RoleId;
use crate::policy::Chooser;
use crate::sync::{AtomicBool, Mutex, Ordering};
use crate::table::Table;

pub(crate) use self::core::{Caller, Core, Request};

/// The machine as one role sees it.
pub(crate) struct Seat<P> {
    pub(crate) shared: Arc<Shared<P>>,
    pub(crate) own: Own,
}

/// What belongs to a role alone.
pub(crate) struct Own {
    role: RoleId,
    pub(crate) chooser: Chooser,
    /// Whom to wake; only used during a call.
    calls: Vec<RoleId>,
    /// Whether it asked already and need not ask again before it is called.
    is_listed: bool,
}

/// The machine.
pub(crate) struct Shared<P> {
    pub(crate) table: Arc<Table>,
    pub(crate) core: Mutex<Core<P>>,
    /// By role.
    desks: Vec<Desk>,
}

/// Where a role is woken.
struct Desk {
    event: Event,
    /// Whether asking again is worth it: who waits need not disturb the machine to know.
    is_called: AtomicBool,
}

/// The machine as all roles see it, in its initial state.
pub(crate) fn seats<P: Payload>(setting: &Setting) -> Vec<Seat<P>> {
    let table = &setting.table;
    let desk = |_| Desk { event: setting.event().exchanged(), is_called: AtomicBool::new(false) };
    let shared = Arc::new(Shared {
        table: Arc::clone(table),
        core: Mutex::new(Core::new(Arc::clone(table), setting.observer.clone())),
        desks: (0..table.n_roles()).map(desk).collect(),
    });
    let seat = |role: usize| Seat {
        shared: Arc::clone(&shared),
        own: Own {
            role: RoleId(role as u16),
            chooser: Chooser::new(setting.policy, setting.seed, role as u16),
            calls: Vec::new(),
            is_listed: false,
        },
    };
    (0..table.n_roles()).map(seat).collect()
}

impl<P: Payload> Shared<P> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Core<P>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn event(&self, role: RoleId) -> &Event {
        &self.desks[role.index()].event
    }

    /// Wakes those who were called while the machine was locked, the last one first: whoever was served last has
    /// just given something and goes to sleep again soon, so it should get an idle processor and be done, rather than
    /// move to that of another sleeper, behind whom it would work from then on.
    fn wake(&self, calls: &mut Vec<RoleId>) {
        for role in calls.drain(..).rev() {
            let desk = &self.desks[role.index()];
            desk.is_called.store(true, Ordering::Release);
            desk.event.notify();
        }
    }
}

impl Own {
    /// Asks once, unless it is known that nothing has changed.
    pub(crate) fn attempt<P: Payload>(
        &mut self,
        shared: &Shared<P>,
        request: Request,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        if self.is_listed {
            let is_called = &shared.desks[self.role.index()].is_called;
            if !is_called.load(Ordering::Relaxed) || !is_called.swap(false, Ordering::AcqRel) {
                return Err(Obstacle::Wait);
            }
        }
        let Self { role, chooser, calls, .. } = self;
        let caller = Caller { role: *role, chooser, calls };
        let attempt = shared.lock().attempt(caller, request, payload);
        self.is_listed = matches!(attempt, Err(Obstacle::Wait));
        shared.wake(&mut self.calls);
        attempt
    }

    /// Asks anew, as if it had never waited: for explorations.
    pub(crate) fn forget(&mut self) {
        self.is_listed = false;
    }

    /// Gives up what was asked for, unless it has happened before.
    fn give_up<P: Payload>(&mut self, shared: &Shared<P>) -> Option<Done<P>> {
        self.is_listed = false;
        let (done, deposit) = shared.lock().give_up(self.role);
        // What is dropped may do anything: the machine is not locked any more.
        drop(deposit);
        done
    }
}

impl<P: Payload> Seat<P> {
    /// Asks until it happens, or cannot happen, or the time is over.
    pub(crate) fn block(
        &mut self,
        ask: Ask,
        payload: &mut Option<P>,
        deadline: Option<Instant>,
    ) -> Result<Done<P>, Error> {
        let request = Request::of_thread(ask, deadline.is_some());
        // What is there at once teaches the event nothing about how long waiting takes.
        match self.own.attempt(&self.shared, request, payload) {
            Ok(done) => return Ok(done),
            Err(Obstacle::Never(cause)) => return Err(self.error(ask, *cause)),
            Err(Obstacle::Wait) => {}
        }
        let Self { shared, own } = self;
        let event = shared.event(own.role);
        let look = || ask::settled(own.attempt(shared, request, payload));
        match event.wait(look, deadline) {
            Some(result) => result.map_err(|cause| self.error(ask, *cause)),
            None => match own.give_up(shared) {
                Some(done) => Ok(done),
                None => Err(self.error(ask, Cause::TimedOut)),
            },
        }
    }

    /// Asks once; if it has to wait, the task is woken when asking again is worth it.
    pub(crate) fn poll(
        &mut self,
        ask: Ask,
        payload: &mut Option<P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Done<P>, Error>> {
        let Self { shared, own } = self;
        let event = shared.event(own.role);
        let look = || ask::settled(own.attempt(shared, Request::of_task(ask), payload));
        let result = std::task::ready!(event.poll(context, look));
        Poll::Ready(result.map_err(|cause| self.error(ask, *cause)))
    }

    /// The call that asked is given up; what had happened for it before.
    pub(crate) fn cancel(&mut self) -> Option<Done<P>> {
        self.shared.event(self.own.role).withdraw();
        self.own.give_up(&self.shared)
    }

    pub(crate) fn role(&self) -> RoleId {
        self.own.role
    }

    pub(crate) fn table(&self) -> &Table {
        &self.shared.table
    }

    pub(crate) fn state(&self) -> u32 {
        self.shared.lock().state.0
    }

    pub(crate) fn may_end(&self) -> bool {
        self.shared.lock().may_finish(self.own.role)
    }

    pub(crate) fn leave(&mut self, cause: &Cause) {
        self.shared.lock().leave(self.own.role, cause, &mut self.own.calls);
        self.shared.wake(&mut self.own.calls);
    }

    pub(crate) fn error(&self, ask: Ask, cause: Cause) -> Error {
        let core = self.shared.lock();
        let awaited = core.awaited(self.own.role, ask);
        ask::error(&self.shared.table, self.own.role, core.state.0, awaited, cause)
    }

    /// What the role may do, now or after others did something.
    pub(crate) fn allowed(&self) -> Vec<String> {
        self.shared.lock().allowed(self.own.role)
    }
}
