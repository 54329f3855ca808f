//! The liberal form: a machine per role, no shared lock. Messages travel through queues, or through the [`Rendezvous`] of
//! their receiver. States and queues change in [`LocalPart::attempt`] only; blocking calls, futures and explorations all
//! call it.

mod fast_path;
mod local_part;
mod send;
mod termination;

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::error::{Cause, Error};
use crate::event::{Event, Look};
use crate::module::{ModuleConfig, Payload};
use crate::observe::Observe;
use crate::plan::{ActId, LabelId, LocalId, RoleId};
use crate::policy::Chooser;
use crate::queue::{self, Receiver, Sender};
use crate::rendezvous::{Envelope, Rendezvous};
use crate::request::{self, Completed, Request};
use crate::sync::{AtomicBool, Mutex, Ordering};
use crate::table::{FastPath, LocalTable, Table};

pub(crate) use self::fast_path::{ReadyMessage, SendSlot};
use self::termination::TerminationDetector;

/// The machine of one role.
pub(crate) struct LiberalMachine<P> {
    pub(crate) shared: Arc<SharedPart<P>>,
    pub(crate) part: LocalPart<P>,
}

/// The part of the machines that all roles share.
pub(crate) struct SharedPart<P> {
    pub(crate) table: Arc<Table>,
    /// By role.
    pub(crate) mailboxes: Vec<Mailbox<P>>,
    /// By closing of the table: whether the channel is closed for good.
    pub(crate) closed: Vec<AtomicBool>,
    termination: TerminationDetector,
    /// True while no role has left and no observer is installed.
    is_calm: AtomicBool,
    /// Whether some roles run in other processes.
    is_networked: bool,
    observer: Option<Arc<dyn Observe>>,
    /// Serialises observed steps.
    order: Mutex<()>,
}

/// Where other roles reach a role.
pub(crate) struct Mailbox<P> {
    pub(crate) event: Event,
    pub(crate) rendezvous: Rendezvous<P>,
}

/// The part of a machine that only its role accesses.
pub(crate) struct LocalPart<P> {
    pub(crate) role: RoleId,
    /// The state; the row of no steps while parallel parts are under way.
    pub(crate) state: LocalId,
    /// The configuration and the states in it; empty unless parallel parts are under way.
    pub(crate) slots: Vec<u32>,
    under_way: Vec<LocalId>,
    /// By state.
    fast_paths: Arc<[FastPath]>,
    pub(crate) chooser: Chooser,
    pub(crate) inbound: Vec<Receiver<Envelope<P>>>,
    pub(crate) outbound: Vec<Sender<Envelope<P>>>,
    /// Whether it offers a rendezvous.
    is_offered: bool,
    /// Whether the observer was told that it waits.
    is_told: bool,
    /// Whether it is reported as idle, and whether it ever was.
    is_counted: bool,
    was_counted: bool,
}

/// The machines of all roles, in their initial states.
pub(crate) fn machines<P: Payload>(config: &ModuleConfig) -> Vec<LiberalMachine<P>> {
    let table = &config.table;
    let mut halves = Halves::new(table);
    let shared = Arc::new(SharedPart {
        mailboxes: (0..table.n_roles())
            .map(|_| Mailbox { event: config.event(), rendezvous: Rendezvous::new() })
            .collect(),
        closed: table.closings.iter().map(|_| AtomicBool::new(false)).collect(),
        termination: TerminationDetector::new(table.n_roles()),
        is_calm: AtomicBool::new(config.observer.is_none()),
        is_networked: config.is_networked,
        observer: config.observer.clone(),
        order: Mutex::new(()),
        table: Arc::clone(table),
    });
    let machine = |(role, local): (usize, &LocalTable)| LiberalMachine {
        shared: Arc::clone(&shared),
        part: LocalPart {
            role: RoleId(role as u16),
            state: LocalId(0),
            slots: Vec::new(),
            under_way: Vec::new(),
            fast_paths: Arc::clone(&local.fast_paths),
            chooser: Chooser::new(config.policy, config.seed, role as u16),
            inbound: local.inbound.iter().map(|it| halves.receiver(it.queue.index())).collect(),
            outbound: local.outbound.iter().map(|queue| halves.sender(queue.index())).collect(),
            is_offered: false,
            is_told: false,
            is_counted: false,
            was_counted: false,
        },
    };
    table.locals.iter().enumerate().map(machine).collect()
}

/// The halves of all queues, until they are given to their roles.
struct Halves<P> {
    senders: Vec<Vec<Sender<Envelope<P>>>>,
    receivers: Vec<Option<Receiver<Envelope<P>>>>,
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

    fn sender(&mut self, queue: usize) -> Sender<Envelope<P>> {
        self.senders[queue].pop().expect("a sender for each role that may send")
    }

    fn receiver(&mut self, queue: usize) -> Receiver<Envelope<P>> {
        self.receivers[queue].take().expect("one role receives")
    }
}

impl<P> SharedPart<P> {
    /// Records that a role has left, and wakes all others.
    pub(crate) fn leave(&self, role: RoleId, cause: &Cause) {
        if !self.termination.leave(role, cause) {
            return;
        }
        self.is_calm.store(false, Ordering::Release);
        if let Some(observer) = &self.observer {
            let _order = self.order.lock();
            observer.left(&self.table.plan, role, cause);
        }
        self.wake_others(role);
    }

    /// Wakes all roles but one.
    fn wake_others(&self, role: RoleId) {
        for (other, mailbox) in self.mailboxes.iter().enumerate() {
            if other != role.index() {
                mailbox.event.notify();
            }
        }
    }

    /// True while no role has left and no observer is installed.
    #[inline(always)]
    fn is_undisturbed(&self) -> bool {
        self.is_calm.load(Ordering::Acquire)
    }

    fn is_closed(&self, from: RoleId, to: RoleId) -> bool {
        let mut closings = self.table.closings.iter().zip(&self.closed);
        closings.any(|(pair, closed)| *pair == (from, to) && closed.load(Ordering::Acquire))
    }

    pub(crate) fn event(&self, role: RoleId) -> &Event {
        &self.mailboxes[role.index()].event
    }

    fn rendezvous(&self, role: RoleId) -> &Rendezvous<P> {
        &self.mailboxes[role.index()].rendezvous
    }

    /// Why a role has left, if it has.
    #[cfg(feature = "tcp")]
    pub(crate) fn left(&self, role: RoleId) -> Option<Cause> {
        self.termination.left(role)
    }

    /// Wakes the roles that may wait for room in a queue.
    #[cfg(feature = "tcp")]
    pub(crate) fn wake_fillers(&self, to: RoleId, queue: u32) {
        let inbound = self.table.locals[to.index()].inbound.iter();
        for inbound in inbound.filter(|inbound| inbound.queue.0 == queue) {
            for &sender in &inbound.wakes {
                self.event(sender).notify();
            }
        }
    }

    /// Performs a step and notifies the observer, if there is one, before another role can react. Returns whether the step
    /// was performed.
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

impl<P: Payload> LiberalMachine<P> {
    /// Where a message can be put, if the fast path applies.
    #[inline(always)]
    pub(crate) fn send_slot(
        &mut self,
        label: LabelId,
        to: Option<RoleId>,
    ) -> Option<SendSlot<'_, P>> {
        self.part.send_slot(&self.shared, label, to)
    }

    /// A message that can be taken, if the fast path applies.
    #[inline(always)]
    pub(crate) fn ready_message(&mut self, from: Option<RoleId>) -> Option<ReadyMessage<'_, P>> {
        self.part.ready_message(&self.shared, from)
    }

    /// Spins on the only queue that matters, if there is one; whether it changed.
    #[inline(always)]
    pub(crate) fn stay_awake(&mut self, request: Request) -> bool {
        let Self { shared, part } = self;
        let Some(watched) = part.watched(shared, request) else { return false };
        let event = shared.event(part.role);
        let mut look = || (!part.sees_nothing(shared, watched)).then_some(());
        let early = if watched.is_stream { event.linger(&mut look) } else { None };
        early.or_else(|| event.stay_awake(look)).is_some()
    }

    /// Attempts a request until it is settled or the deadline passes.
    pub(crate) fn block(
        &mut self,
        request: Request,
        payload: &mut Option<P>,
        deadline: Option<Instant>,
    ) -> Result<Completed<P>, Error> {
        let Self { shared, part } = self;
        // A call with a deadline goes on by itself, so its role never counts as idle.
        let counts = deadline.is_none();
        let event = shared.event(part.role);
        // Then the caller has spun already.
        let has_spun = part.watched(shared, request).is_some() && shared.is_undisturbed();
        let mut look = |look: Look| {
            request::settled(part.attempt(shared, request, payload, counts && look == Look::Last))
        };
        let mut early = look(Look::Awake);
        if early.is_none() && !has_spun {
            early = event.stay_awake(|| look(Look::Awake));
        }
        match early.or_else(|| event.sleep(look, deadline)) {
            Some(result) => result.map_err(|cause| self.error(request, *cause)),
            None => match part.give_up(shared) {
                Some(done) => Ok(done),
                None => Err(self.error(request, Cause::TimedOut)),
            },
        }
    }

    /// Attempts a request once, after the fast path failed; a pending task is woken when a new attempt may succeed.
    pub(crate) fn poll(
        &mut self,
        request: Request,
        payload: &mut Option<P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Completed<P>, Error>> {
        let Self { shared, part } = self;
        let event = shared.event(part.role);
        let result = match part.watched(shared, request) {
            // The fast path has just checked it.
            Some(watched) => event.poll_again(context, || {
                // Where channels are closed, the queue alone does not decide.
                if shared.closed.is_empty() && part.sees_nothing(shared, watched) {
                    return None;
                }
                request::settled(part.attempt(shared, request, payload, true))
            }),
            None => event
                .poll(context, || request::settled(part.attempt(shared, request, payload, true))),
        };
        let result = std::task::ready!(result);
        Poll::Ready(result.map_err(|cause| self.error(request, *cause)))
    }

    /// Cancels the pending request; its outcome, if it was carried out before.
    pub(crate) fn cancel(&mut self) -> Option<Completed<P>> {
        self.shared.event(self.part.role).withdraw();
        self.part.withdraw_idle(&self.shared);
        self.part.give_up(&self.shared)
    }

    pub(crate) fn role(&self) -> RoleId {
        self.part.role
    }

    pub(crate) fn table(&self) -> &Table {
        &self.shared.table
    }

    pub(crate) fn state(&self) -> u32 {
        self.part.state.0
    }

    pub(crate) fn may_end(&self) -> bool {
        self.part.table(&self.shared).row(self.part.state).may_end
    }

    pub(crate) fn leave(&mut self, cause: &Cause) {
        self.shared.leave(self.part.role, cause);
    }

    #[cold]
    pub(crate) fn error(&self, request: Request, cause: Cause) -> Error {
        let awaited = request.awaited(&self.shared.table, &self.part.wanted(&self.shared, request));
        request::error(&self.shared.table, self.part.role, self.part.state.0, awaited, cause)
    }

    /// What the role may do in its state.
    pub(crate) fn allowed(&self) -> Vec<String> {
        self.part.allowed(&self.shared)
    }
}
