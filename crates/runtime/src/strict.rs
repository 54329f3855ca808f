//! The strict form: one machine for all roles, under a lock. The machine knows the pending requests: it carries them out on
//! behalf of parked threads, wakes exactly the roles that can go on or never will, and detects deadlocks. State changes
//! in [`Core::attempt`] only; blocking calls, futures and explorations all call it.

mod core;
mod reachability;
mod serve;

use std::sync::{Arc, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use crate::error::{Cause, Error};
use crate::event::Event;
use crate::module::{ModuleConfig, Payload};
use crate::plan::RoleId;
use crate::policy::Chooser;
use crate::request::{self, Attempt, Blocked, Completed, Request};
use crate::sync::{AtomicBool, Mutex, Ordering};
use crate::table::Table;

pub(crate) use self::core::{Caller, Core, PendingRequest};

/// The machine as one role sees it.
pub(crate) struct StrictMachine<P> {
    pub(crate) shared: Arc<SharedMachine<P>>,
    pub(crate) part: RolePart,
}

/// The part of a machine that only its role accesses.
pub(crate) struct RolePart {
    role: RoleId,
    pub(crate) chooser: Chooser,
    /// The roles to wake; only used during a call.
    calls: Vec<RoleId>,
    /// Whether its request is pending in the core, so that it need not try again before it is called.
    is_listed: bool,
}

/// The part of the machine that all roles share.
pub(crate) struct SharedMachine<P> {
    pub(crate) table: Arc<Table>,
    pub(crate) core: Mutex<Core<P>>,
    /// By role.
    wake_slots: Vec<WakeSlot>,
}

/// How a role is woken.
struct WakeSlot {
    event: Event,
    /// Whether a new attempt may succeed; read without the lock.
    is_called: AtomicBool,
}

/// The machine as seen by each role, in its initial state.
pub(crate) fn machines<P: Payload>(config: &ModuleConfig) -> Vec<StrictMachine<P>> {
    let table = &config.table;
    let wake_slot =
        |_| WakeSlot { event: config.event().exchanged(), is_called: AtomicBool::new(false) };
    let shared = Arc::new(SharedMachine {
        table: Arc::clone(table),
        core: Mutex::new(Core::new(Arc::clone(table), config.observer.clone())),
        wake_slots: (0..table.n_roles()).map(wake_slot).collect(),
    });
    let machine = |role: usize| StrictMachine {
        shared: Arc::clone(&shared),
        part: RolePart {
            role: RoleId(role as u16),
            chooser: Chooser::new(config.policy, config.seed, role as u16),
            calls: Vec::new(),
            is_listed: false,
        },
    };
    (0..table.n_roles()).map(machine).collect()
}

impl<P: Payload> SharedMachine<P> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Core<P>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn event(&self, role: RoleId) -> &Event {
        &self.wake_slots[role.index()].event
    }

    /// Wakes the roles that were called under the lock, the last one first: the role that was served last has just sent
    /// something and parks again soon, so it should get an idle processor rather than queue behind another woken thread.
    fn wake(&self, calls: &mut Vec<RoleId>) {
        for role in calls.drain(..).rev() {
            let wake_slot = &self.wake_slots[role.index()];
            wake_slot.is_called.store(true, Ordering::Release);
            wake_slot.event.notify();
        }
    }
}

impl RolePart {
    /// Attempts a request once, unless it is pending and the role was not called.
    pub(crate) fn attempt<P: Payload>(
        &mut self,
        shared: &SharedMachine<P>,
        pending: PendingRequest,
        payload: &mut Option<P>,
    ) -> Attempt<P> {
        if self.is_listed {
            let is_called = &shared.wake_slots[self.role.index()].is_called;
            if !is_called.load(Ordering::Relaxed) || !is_called.swap(false, Ordering::AcqRel) {
                return Err(Blocked::Wait);
            }
        }
        let Self { role, chooser, calls, .. } = self;
        let caller = Caller { role: *role, chooser, calls };
        let attempt = shared.lock().attempt(caller, pending, payload);
        self.is_listed = matches!(attempt, Err(Blocked::Wait));
        shared.wake(&mut self.calls);
        attempt
    }

    /// Forgets that a request is pending.
    #[cfg(feature = "explore")]
    pub(crate) fn forget(&mut self) {
        self.is_listed = false;
    }

    /// Withdraws the pending request; its outcome, if it was carried out before.
    fn give_up<P: Payload>(&mut self, shared: &SharedMachine<P>) -> Option<Completed<P>> {
        self.is_listed = false;
        let (done, deposit) = shared.lock().give_up(self.role);
        // Dropping a payload runs foreign code, so it happens outside the lock.
        drop(deposit);
        done
    }
}

impl<P: Payload> StrictMachine<P> {
    /// Attempts a request until it is settled or the deadline passes.
    pub(crate) fn block(
        &mut self,
        request: Request,
        payload: &mut Option<P>,
        deadline: Option<Instant>,
    ) -> Result<Completed<P>, Error> {
        let pending = PendingRequest::of_thread(request, deadline.is_some());
        // An immediate success must not influence the back-off of the event.
        match self.part.attempt(&self.shared, pending, payload) {
            Ok(done) => return Ok(done),
            Err(Blocked::Never(cause)) => return Err(self.error(request, *cause)),
            Err(Blocked::Wait) => {}
        }
        let Self { shared, part } = self;
        let event = shared.event(part.role);
        let look = || request::settled(part.attempt(shared, pending, payload));
        match event.wait(look, deadline) {
            Some(result) => result.map_err(|cause| self.error(request, *cause)),
            None => match part.give_up(shared) {
                Some(done) => Ok(done),
                None => Err(self.error(request, Cause::TimedOut)),
            },
        }
    }

    /// Attempts a request once; a pending task is woken when a new attempt may succeed.
    pub(crate) fn poll(
        &mut self,
        request: Request,
        payload: &mut Option<P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Completed<P>, Error>> {
        let Self { shared, part } = self;
        let event = shared.event(part.role);
        let look =
            || request::settled(part.attempt(shared, PendingRequest::of_task(request), payload));
        let result = std::task::ready!(event.poll(context, look));
        Poll::Ready(result.map_err(|cause| self.error(request, *cause)))
    }

    /// Cancels the pending request; its outcome, if it was carried out before.
    pub(crate) fn cancel(&mut self) -> Option<Completed<P>> {
        self.shared.event(self.part.role).withdraw();
        self.part.give_up(&self.shared)
    }

    pub(crate) fn role(&self) -> RoleId {
        self.part.role
    }

    pub(crate) fn table(&self) -> &Table {
        &self.shared.table
    }

    pub(crate) fn state(&self) -> u32 {
        self.shared.lock().state.0
    }

    pub(crate) fn may_end(&self) -> bool {
        self.shared.lock().may_finish(self.part.role)
    }

    pub(crate) fn leave(&mut self, cause: &Cause) {
        self.shared.lock().leave(self.part.role, cause, &mut self.part.calls);
        self.shared.wake(&mut self.part.calls);
    }

    pub(crate) fn error(&self, request: Request, cause: Cause) -> Error {
        let core = self.shared.lock();
        let awaited = core.awaited(self.part.role, request);
        request::error(&self.shared.table, self.part.role, core.state.0, awaited, cause)
    }

    /// What the role may do, now or after steps of other roles.
    pub(crate) fn allowed(&self) -> Vec<String> {
        self.shared.lock().allowed(self.part.role)
    }
}
