//! Roles, as the threads and tasks of a program hold them: requests to a machine of either form, and waiting.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::error::{Cause, Error};
use crate::liberal::{LiberalMachine, ReadyMessage, SendSlot};
use crate::module::Payload;
use crate::plan::{LabelId, RoleId};
use crate::request::{self, Completed, Request};
use crate::strict::StrictMachine;

/// One role of a running module. It belongs to one thread or task at a time.
///
/// If a role is dropped before its end, or by a panic, the roles that need it get an error.
pub struct Role<P: Payload> {
    machine: RoleMachine<P>,
    has_left: bool,
    timeout: Option<Duration>,
    /// Whether the request of a future is pending.
    pub(crate) is_waiting: bool,
    /// Messages that arrived for cancelled calls.
    kept: VecDeque<Received<P>>,
}

enum RoleMachine<P> {
    Liberal(LiberalMachine<P>),
    Strict(StrictMachine<P>),
}

/// A message that was received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received<P> {
    /// The sender.
    pub from: RoleId,
    /// The message as the protocol distinguishes messages.
    pub label: LabelId,
    /// The message.
    pub payload: P,
}

/// Calls a method of either machine.
macro_rules! either {
    ($machine:expr, $each:ident => $call:expr) => {
        match $machine {
            RoleMachine::Liberal($each) => $call,
            RoleMachine::Strict($each) => $call,
        }
    };
}

impl<P: Payload> Role<P> {
    pub(crate) fn liberal(machine: LiberalMachine<P>) -> Self {
        Self::new(RoleMachine::Liberal(machine))
    }

    pub(crate) fn strict(machine: StrictMachine<P>) -> Self {
        Self::new(RoleMachine::Strict(machine))
    }

    fn new(machine: RoleMachine<P>) -> Self {
        Self { machine, has_left: false, timeout: None, is_waiting: false, kept: VecDeque::new() }
    }

    /// Which role it is.
    pub fn id(&self) -> RoleId {
        either!(&self.machine, machine => machine.role())
    }

    /// Its name: `worker[0]`.
    pub fn name(&self) -> &str {
        either!(&self.machine, machine => machine.table().role(machine.role()))
    }

    /// The number of its state, as errors show it: of its own automaton in the liberal form, of the protocol's in the
    /// strict form.
    pub fn state(&self) -> String {
        either!(&self.machine, machine => machine.state()).to_string()
    }

    /// Whether the protocol may end here, as far as this role can tell.
    pub fn may_end(&self) -> bool {
        either!(&self.machine, machine => machine.may_end())
    }

    /// Sets the time-out of blocking calls, after which they fail with [`Cause::TimedOut`]; `None`, the default: never.
    /// A call that timed out changed nothing, but a message that was to be sent is dropped.
    ///
    /// Futures have no time-out: drop them when a timer of the executor fires.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// Sends a message, through a queue or by rendezvous, as the protocol has it. Where several roles may receive it,
    /// `to` chooses one, or else the module's [`Policy`](crate::Policy).
    #[inline]
    pub fn send(&mut self, payload: P, to: Option<RoleId>) -> Result<(), Error> {
        let Some(label) = payload.label() else { return Err(self.unknown_content(to)) };
        if let Some(send_slot) = self.send_slot(label, to) {
            send_slot.fill(payload);
            return Ok(());
        }
        self.send_slow(Request::Send(label, to), payload)
    }

    /// Receives a message, from one role or from any.
    #[inline]
    pub fn recv(&mut self, from: Option<RoleId>) -> Result<Received<P>, Error> {
        if let Some(ready_message) = self.ready_message(from) {
            return Ok(ready_message.take());
        }
        self.recv_slow(from)
    }

    /// Closes the channel to a role.
    pub fn close(&mut self, to: RoleId) -> Result<(), Error> {
        self.request(Request::Close(to))
    }

    /// Performs a local step.
    pub fn local_step(&mut self, label: LabelId) -> Result<(), Error> {
        self.request(Request::Local(label))
    }

    /// Ends the role; an error if the protocol does not allow that here, and then its peers are told.
    pub fn finish(mut self) -> Result<(), Error> {
        let may_end = self.may_end();
        let result = if may_end { Ok(()) } else { Err(self.cannot_finish()) };
        self.leave(may_end);
        result
    }

    /// Slow path of `send`, out of line to keep callers small.
    #[inline(never)]
    fn send_slow(&mut self, request: Request, payload: P) -> Result<(), Error> {
        self.cancel_pending();
        let (mut payload, deadline) = (Some(payload), self.deadline());
        if let RoleMachine::Liberal(machine) = &mut self.machine {
            machine.stay_awake(request);
        }
        either!(&mut self.machine, machine => machine.block(request, &mut payload, deadline))?;
        Ok(())
    }

    /// Slow path of `recv`, out of line to keep callers small.
    #[inline(never)]
    fn recv_slow(&mut self, from: Option<RoleId>) -> Result<Received<P>, Error> {
        self.cancel_pending();
        if let Some(received) = self.take_kept(from) {
            return Ok(received);
        }
        let deadline = self.deadline();
        if let RoleMachine::Liberal(machine) = &mut self.machine
            && machine.stay_awake(Request::Receive(from))
            && let Some(ready_message) = machine.ready_message(from)
        {
            return Ok(ready_message.take());
        }
        let Completed { received, .. } = either!(&mut self.machine, machine => machine.block(Request::Receive(from), &mut None, deadline))?;
        Ok(received.expect("a receive returns a message"))
    }

    /// Where a message can be put, if the fast path applies.
    #[inline(always)]
    pub(crate) fn send_slot(
        &mut self,
        label: LabelId,
        to: Option<RoleId>,
    ) -> Option<SendSlot<'_, P>> {
        match &mut self.machine {
            RoleMachine::Liberal(machine) => machine.send_slot(label, to),
            RoleMachine::Strict(_) => None,
        }
    }

    /// A message that can be taken, if the fast path applies.
    #[inline(always)]
    pub(crate) fn ready_message(&mut self, from: Option<RoleId>) -> Option<ReadyMessage<'_, P>> {
        match &mut self.machine {
            RoleMachine::Liberal(machine) if self.kept.is_empty() => machine.ready_message(from),
            RoleMachine::Liberal(_) | RoleMachine::Strict(_) => None,
        }
    }

    /// A message that arrived for a cancelled call.
    #[inline(always)]
    pub(crate) fn take_kept(&mut self, from: Option<RoleId>) -> Option<Received<P>> {
        if self.kept.is_empty() { None } else { self.find_kept(from) }
    }

    #[cold]
    fn find_kept(&mut self, from: Option<RoleId>) -> Option<Received<P>> {
        let fits = |kept: &Received<P>| from.is_none_or(|from| kept.from == from);
        let position = self.kept.iter().position(fits)?;
        self.kept.remove(position)
    }

    fn request(&mut self, request: Request) -> Result<(), Error> {
        self.cancel_pending();
        let deadline = self.deadline();
        either!(&mut self.machine, machine => machine.block(request, &mut None, deadline))?;
        Ok(())
    }

    /// The deadline of a call that begins now.
    #[inline]
    fn deadline(&self) -> Option<Instant> {
        self.timeout.and_then(deadline)
    }

    pub(crate) fn poll(
        &mut self,
        request: Request,
        payload: &mut Option<P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Completed<P>, Error>> {
        either!(&mut self.machine, machine => machine.poll(request, payload, context))
    }

    /// Cancels the pending request of a future that was dropped or leaked. A message that arrived for it is kept.
    #[inline(always)]
    pub(crate) fn cancel_pending(&mut self) {
        if self.is_waiting {
            self.cancel();
        }
    }

    #[cold]
    fn cancel(&mut self) {
        self.is_waiting = false;
        let done = either!(&mut self.machine, machine => machine.cancel());
        self.kept.extend(done.and_then(|done| done.received));
    }

    #[cold]
    pub(crate) fn unknown_content(&self, to: Option<RoleId>) -> Error {
        either!(&self.machine, machine => {
            let cause = Cause::UnknownContent { allowed: machine.allowed() };
            machine.error(Request::Send(LabelId(u32::MAX), to), cause)
        })
    }

    #[cold]
    fn cannot_finish(&self) -> Error {
        either!(&self.machine, machine => {
            let cause = Cause::NotAllowed { message: "finishing here".to_owned(), allowed: machine.allowed() };
            request::error(machine.table(), machine.role(), machine.state(), "finishing".to_owned(), cause)
        })
    }

    fn leave(&mut self, may_end: bool) {
        self.has_left = true;
        let (role, state) = (self.name().to_owned(), self.state());
        let cause = if std::thread::panicking() {
            Cause::Panicked { role, state }
        } else if may_end {
            Cause::Finished { role }
        } else {
            Cause::Dropped { role, state }
        };
        either!(&mut self.machine, machine => machine.leave(&cause));
    }
}

impl<P: Payload> Drop for Role<P> {
    fn drop(&mut self) {
        if !self.has_left {
            self.leave(self.may_end());
        }
    }
}

/// The end of a time that begins now; none if the clock cannot represent it.
#[cold]
#[expect(clippy::disallowed_methods, reason = "a time-out is what the caller asked for")]
fn deadline(timeout: Duration) -> Option<Instant> {
    Instant::now().checked_add(timeout)
}
