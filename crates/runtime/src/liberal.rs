//! The liberal form: a machine per role, no shared lock. Messages travel through queues; a message that is
//! passed in one step goes through the [`Meeting`] of its receiver. [`Own::attempt`] is the only place where
//! states and queues change; blocking calls, futures and explorations all call it.

mod give;
mod own;
mod quick;
mod roll;

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::ask::{self, Ask, Done};
use crate::error::{Cause, Error};
use crate::event::{Event, Look};
use crate::meeting::{Meeting, Parcel};
use crate::module::{Payload, Setting};
use crate::observe::Observe;
use crate::plan::{ActId, LabelId, LocalId, RoleId};
use crate::policy::Chooser;
use crate::queue::{self, Receiver, Sender};
use crate::sync::{AtomicBool, Mutex, Ordering};
use crate::table::{LocalTable, Quick, Table};

pub(crate) use self::quick::{Arrival, Opening};
use self::roll::Roll;

/// The machine of one role.
pub(crate) struct Seat<P> {
    pub(crate) shared: Arc<Shared<P>>,
    pub(crate) own: Own<P>,
}

/// What the machines of all roles have in common.
pub(crate) struct Shared<P> {
    pub(crate) table: Arc<Table>,
    /// By role.
    pub(crate) desks: Vec<Desk<P>>,
    /// By closing of the table: whether it happened for good.
    pub(crate) closed: Vec<AtomicBool>,
    roll: Roll,
    /// Whether everybody is there and nobody looks on.
    is_calm: AtomicBool,
    /// Whether some roles run elsewhere, where nobody knows what they do.
    is_networked: bool,
    observer: Option<Arc<dyn Observe>>,
    /// Held by whoever does something that is observed.
    order: Mutex<()>,
}

/// Where others reach a role.
pub(crate) struct Desk<P> {
    pub(crate) event: Event,
    pub(crate) meeting: Meeting<P>,
}

/// What a role alone knows and changes.
pub(crate) struct Own<P> {
    pub(crate) role: RoleId,
    pub(crate) state: LocalId,
    /// By state: what takes no thought.
    quick: Arc<[Quick]>,
    pub(crate) chooser: Chooser,
    pub(crate) inbound: Vec<Receiver<Parcel<P>>>,
    pub(crate) outbound: Vec<Sender<Parcel<P>>>,
    /// Whether it said that it waits to be met.
    is_offered: bool,
    /// Whether the observer knows that it waits.
    is_told: bool,
    /// Whether it is counted, and whether it ever was.
    is_counted: bool,
    was_counted: bool,
}

/// Machines for all roles, in their initial states.
pub(crate) fn seats<P: Payload>(setting: &Setting) -> Vec<Seat<P>> {
    let table = &setting.table;
    let mut halves = Halves::new(table);
    let shared = Arc::new(Shared {
        desks: (0..table.n_roles())
            .map(|_| Desk { event: setting.event(), meeting: Meeting::new() })
            .collect(),
        closed: table.closings.iter().map(|_| AtomicBool::new(false)).collect(),
        roll: Roll::new(table.n_roles()),
        is_calm: AtomicBool::new(setting.observer.is_none()),
        is_networked: setting.is_networked,
        observer: setting.observer.clone(),
        order: Mutex::new(()),
        table: Arc::clone(table),
    });
    let seat = |(role, local): (usize, &LocalTable)| Seat {
        shared: Arc::clone(&shared),
        own: Own {
            role: RoleId(role as u16),
            state: LocalId(0),
            quick: Arc::clone(&local.quick),
            chooser: Chooser::new(setting.policy, setting.seed, role as u16),
            inbound: local.inbound.iter().map(|it| halves.receiver(it.queue.index())).collect(),
            outbound: local.outbound.iter().map(|queue| halves.sender(queue.index())).collect(),
            is_offered: false,
            is_told: false,
            is_counted: false,
            was_counted: false,
        },
    };
    table.locals.iter().enumerate().map(seat).collect()
}

/// The halves of all queues, until their roles take them.
struct Halves<P> {
    senders: Vec<Vec<Sender<Parcel<P>>>>,
    receivers: Vec<Option<Receiver<Parcel<P>>>>,
}

impl<P: Payload> Halves<P> {
    fn new(table: &Table) -> Self {
        let mut halves = Self { senders: Vec::new(), receivers: Vec::new() };
        for queue in table.plan.queues.iter() {
            let capacity = queue.capacity.max(1) as usize;
            let (senders, receiver) = if queue.from.is_some() {
                let (sender, receiver) = queue::channel(capacity);
                (vec![sender], receiver)
            } else {
                queue::inbox(capacity, table.n_roles())
            };
            halves.senders.push(senders);
            halves.receivers.push(Some(receiver));
        }
        halves
    }

    fn sender(&mut self, queue: usize) -> Sender<Parcel<P>> {
        self.senders[queue].pop().expect("a sender for each role that may send")
    }

    fn receiver(&mut self, queue: usize) -> Receiver<Parcel<P>> {
        self.receivers[queue].take().expect("one role receives")
    }
}

impl<P> Shared<P> {
    /// Says that a role will do nothing more, once, and wakes everybody.
    pub(crate) fn leave(&self, role: RoleId, cause: &Cause) {
        if !self.roll.leave(role, cause) {
            return;
        }
        self.is_calm.store(false, Ordering::Release);
        if let Some(observer) = &self.observer {
            let _order = self.order.lock();
            observer.left(&self.table.plan, role, cause);
        }
        self.wake_others(role);
    }

    /// Wakes everybody but one.
    fn wake_others(&self, role: RoleId) {
        for (other, desk) in self.desks.iter().enumerate() {
            if other != role.index() {
                desk.event.notify();
            }
        }
    }

    /// Whether everybody is there and nobody looks on.
    #[inline(always)]
    fn is_undisturbed(&self) -> bool {
        self.is_calm.load(Ordering::Acquire)
    }

    fn is_closed(&self, from: RoleId, to: RoleId) -> bool {
        let mut closings = self.table.closings.iter().zip(&self.closed);
        closings.any(|(pair, closed)| *pair == (from, to) && closed.load(Ordering::Acquire))
    }

    pub(crate) fn event(&self, role: RoleId) -> &Event {
        &self.desks[role.index()].event
    }

    fn meeting(&self, role: RoleId) -> &Meeting<P> {
        &self.desks[role.index()].meeting
    }

    /// What others are told of a role, if it has left.
    #[cfg(feature = "tcp")]
    pub(crate) fn left(&self, role: RoleId) -> Option<Cause> {
        self.roll.left(role)
    }

    /// Tells those who may wait for room in a queue that there is some.
    #[cfg(feature = "tcp")]
    pub(crate) fn wake_fillers(&self, to: RoleId, queue: u32) {
        let inbound = self.table.locals[to.index()].inbound.iter();
        for inbound in inbound.filter(|inbound| inbound.queue.0 == queue) {
            for &sender in &inbound.wakes {
                self.event(sender).notify();
            }
        }
    }

    /// Does something and tells the observer, if there is one, before anybody can answer. Whether it was
    /// done.
    #[inline]
    fn observed(&self, act: ActId, perform: impl FnOnce() -> bool) -> bool {
        let Some(observer) = &self.observer else { return perform() };
        let _order = self.order.lock();
        let is_done = perform();
        if is_done {
            observer.did(&self.table.plan, act);
        }
        is_done
    }
}

impl<P: Payload> Seat<P> {
    /// Where a message can be sent, if that takes no thought.
    #[inline(always)]
    pub(crate) fn opening(&mut self, label: LabelId, to: Option<RoleId>) -> Option<Opening<'_, P>> {
        self.own.opening(&self.shared, label, to)
    }

    /// A message that can be received, if that takes no thought.
    #[inline(always)]
    pub(crate) fn arrival(&mut self, from: Option<RoleId>) -> Option<Arrival<'_, P>> {
        self.own.arrival(&self.shared, from)
    }

    /// Waits a while without sleeping, if only one queue matters; whether it changed.
    #[inline(always)]
    pub(crate) fn stay_awake(&mut self, ask: Ask) -> bool {
        let Self { shared, own } = self;
        let Some(watched) = own.watched(shared, ask) else { return false };
        let event = shared.event(own.role);
        let mut look = || (!own.sees_nothing(shared, watched)).then_some(());
        let early = if watched.is_stream { event.linger(&mut look) } else { None };
        early.or_else(|| event.stay_awake(look)).is_some()
    }

    /// Asks until it happens, or cannot happen, or the time is over.
    pub(crate) fn block(
        &mut self,
        ask: Ask,
        payload: &mut Option<P>,
        deadline: Option<Instant>,
    ) -> Result<Done<P>, Error> {
        let Self { shared, own } = self;
        // Who goes on by itself after some time is never counted among those who wait.
        let counts = deadline.is_none();
        let event = shared.event(own.role);
        // Then it has looked a while already.
        let is_quick = own.watched(shared, ask).is_some() && shared.is_undisturbed();
        let mut look = |look: Look| {
            ask::settled(own.attempt(shared, ask, payload, counts && look == Look::Last))
        };
        let mut early = look(Look::Awake);
        if early.is_none() && !is_quick {
            early = event.stay_awake(|| look(Look::Awake));
        }
        match early.or_else(|| event.sleep(look, deadline)) {
            Some(result) => result.map_err(|cause| self.error(ask, *cause)),
            None => match own.give_up(shared) {
                Some(done) => Ok(done),
                None => Err(self.error(ask, Cause::TimedOut)),
            },
        }
    }

    /// Asks once, after what takes no thought was tried; if it has to wait, the task is woken when asking again
    /// is worth it.
    pub(crate) fn poll(
        &mut self,
        ask: Ask,
        payload: &mut Option<P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Done<P>, Error>> {
        let Self { shared, own } = self;
        let event = shared.event(own.role);
        let result = match own.watched(shared, ask) {
            // It has just been looked at.
            Some(watched) => event.poll_again(context, || {
                // Where channels are closed, the queue alone does not tell.
                if shared.closed.is_empty() && own.sees_nothing(shared, watched) {
                    return None;
                }
                ask::settled(own.attempt(shared, ask, payload, true))
            }),
            None => event.poll(context, || ask::settled(own.attempt(shared, ask, payload, true))),
        };
        let result = std::task::ready!(result);
        Poll::Ready(result.map_err(|cause| self.error(ask, *cause)))
    }

    /// The call that asked is given up; what had happened for it before.
    pub(crate) fn cancel(&mut self) -> Option<Done<P>> {
        self.shared.event(self.own.role).withdraw();
        self.own.uncount(&self.shared);
        self.own.give_up(&self.shared)
    }

    pub(crate) fn role(&self) -> RoleId {
        self.own.role
    }

    pub(crate) fn table(&self) -> &Table {
        &self.shared.table
    }

    pub(crate) fn state(&self) -> u32 {
        self.own.state.0
    }

    pub(crate) fn may_end(&self) -> bool {
        self.own.table(&self.shared).row(self.own.state).may_end
    }

    pub(crate) fn leave(&mut self, cause: &Cause) {
        self.shared.leave(self.own.role, cause);
    }

    #[cold]
    pub(crate) fn error(&self, ask: Ask, cause: Cause) -> Error {
        let awaited = ask.awaited(&self.shared.table, &self.own.wanted(&self.shared, ask));
        ask::error(&self.shared.table, self.own.role, self.own.state.0, awaited, cause)
    }

    /// What the role may do where it stands.
    pub(crate) fn allowed(&self) -> Vec<String> {
        self.own.allowed(&self.shared)
    }
}
