//! Roles: what the threads and tasks of a program hold. A role asks its machine and waits, whatever the form.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::ask::{self, Ask, Done};
use crate::error::{Cause, Error};
use crate::module::Payload;
use crate::plan::{LabelId, RoleId};
use crate::{liberal, strict};

/// One role of a running module. It belongs to one thread or task at a time.
///
/// A role that is dropped where it may not stop, or by a panic, is reported to everybody who needs it.
pub struct Role<P: Payload> {
    seat: Seat<P>,
    has_left: bool,
}

enum Seat<P> {
    Liberal(liberal::Seat<P>),
    Strict(strict::Seat<P>),
}

/// A message that was received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received<P> {
    /// The sender.
    pub from: RoleId,
    /// The message as the protocol tells messages apart.
    pub label: LabelId,
    /// The message.
    pub payload: P,
}

/// Calls the machine that is there.
macro_rules! either {
    ($seat:expr, $each:ident => $call:expr) => {
        match $seat {
            Seat::Liberal($each) => $call,
            Seat::Strict($each) => $call,
        }
    };
}

impl<P: Payload> Role<P> {
    pub(crate) fn liberal(seat: liberal::Seat<P>) -> Self {
        Self { seat: Seat::Liberal(seat), has_left: false }
    }

    pub(crate) fn strict(seat: strict::Seat<P>) -> Self {
        Self { seat: Seat::Strict(seat), has_left: false }
    }

    /// Which role it is.
    pub fn id(&self) -> RoleId {
        either!(&self.seat, seat => seat.role())
    }

    /// Its name: `worker[0]`.
    pub fn name(&self) -> &str {
        either!(&self.seat, seat => seat.table().role(seat.role()))
    }

    /// Where it stands, as errors show it: the number of a state, of its own automaton in the liberal form, of
    /// everybody's in the strict form.
    pub fn state(&self) -> String {
        either!(&self.seat, seat => seat.state()).to_string()
    }

    /// Whether the protocol may be over, as far as this role is concerned.
    pub fn may_end(&self) -> bool {
        either!(&self.seat, seat => seat.may_end())
    }

    /// Sends a message, or passes it in one step, as the protocol has it. Where the protocol leaves open who
    /// receives it, `to` decides or else the module's [`Policy`](crate::Policy).
    pub fn send(&mut self, payload: P, to: Option<RoleId>) -> Result<(), Error> {
        self.give(payload, to, None)
    }

    /// As [`Role::send`], but gives up after some time. The message is lost then.
    pub fn send_timeout(
        &mut self,
        payload: P,
        to: Option<RoleId>,
        timeout: Duration,
    ) -> Result<(), Error> {
        self.give(payload, to, deadline(timeout))
    }

    /// Receives a message, from anybody or from one role.
    pub fn recv(&mut self, from: Option<RoleId>) -> Result<Received<P>, Error> {
        self.take(from, None)
    }

    /// As [`Role::recv`], but gives up after some time.
    pub fn recv_timeout(
        &mut self,
        from: Option<RoleId>,
        timeout: Duration,
    ) -> Result<Received<P>, Error> {
        self.take(from, deadline(timeout))
    }

    /// Closes the channel to a role.
    pub fn close(&mut self, to: RoleId) -> Result<(), Error> {
        self.ask(Ask::Close(to), None)
    }

    /// As [`Role::close`], but gives up after some time.
    pub fn close_timeout(&mut self, to: RoleId, timeout: Duration) -> Result<(), Error> {
        self.ask(Ask::Close(to), deadline(timeout))
    }

    /// Does something alone.
    pub fn act(&mut self, label: LabelId) -> Result<(), Error> {
        self.ask(Ask::Act(label), None)
    }

    /// As [`Role::act`], but gives up after some time.
    pub fn act_timeout(&mut self, label: LabelId, timeout: Duration) -> Result<(), Error> {
        self.ask(Ask::Act(label), deadline(timeout))
    }

    /// Ends the role; an error if it may not stop here, which others are told too.
    pub fn finish(mut self) -> Result<(), Error> {
        let result = if self.may_end() { Ok(()) } else { Err(self.cannot_finish()) };
        self.leave();
        result
    }

    #[inline]
    fn give(
        &mut self,
        payload: P,
        to: Option<RoleId>,
        deadline: Option<Instant>,
    ) -> Result<(), Error> {
        let Some(label) = payload.label() else { return Err(self.unknown_content(to)) };
        let payload = match self.give_at_once(label, to, payload) {
            Ok(()) => return Ok(()),
            Err(payload) => payload,
        };
        let mut payload = Some(payload);
        either!(&mut self.seat, seat => seat.block(Ask::Give(label, to), &mut payload, deadline))?;
        Ok(())
    }

    #[inline]
    fn take(
        &mut self,
        from: Option<RoleId>,
        deadline: Option<Instant>,
    ) -> Result<Received<P>, Error> {
        if let Some(received) = self.take_at_once(from) {
            return Ok(received);
        }
        let Done { received, .. } =
            either!(&mut self.seat, seat => seat.block(Ask::Take(from), &mut None, deadline))?;
        Ok(received.expect("what was asked for is a message"))
    }

    /// Sends a message, if that takes no thought; gives it back otherwise.
    #[inline(always)]
    pub(crate) fn give_at_once(
        &mut self,
        label: LabelId,
        to: Option<RoleId>,
        payload: P,
    ) -> Result<(), P> {
        match &mut self.seat {
            Seat::Liberal(seat) => seat.give_at_once(label, to, payload),
            Seat::Strict(_) => Err(payload),
        }
    }

    /// Receives a message, if that takes no thought.
    #[inline(always)]
    pub(crate) fn take_at_once(&mut self, from: Option<RoleId>) -> Option<Received<P>> {
        match &mut self.seat {
            Seat::Liberal(seat) => seat.take_at_once(from),
            Seat::Strict(_) => None,
        }
    }

    fn ask(&mut self, ask: Ask, deadline: Option<Instant>) -> Result<(), Error> {
        either!(&mut self.seat, seat => seat.block(ask, &mut None, deadline))?;
        Ok(())
    }

    pub(crate) fn poll(
        &mut self,
        ask: Ask,
        payload: &mut Option<P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Done<P>, Error>> {
        either!(&mut self.seat, seat => seat.poll(ask, payload, context))
    }

    /// A call that asked and had to wait is given up.
    pub(crate) fn cancel(&mut self) {
        either!(&mut self.seat, seat => seat.cancel());
    }

    #[cold]
    pub(crate) fn unknown_content(&self, to: Option<RoleId>) -> Error {
        either!(&self.seat, seat => {
            let cause = Cause::UnknownContent { allowed: seat.allowed() };
            seat.error(Ask::Give(LabelId(u32::MAX), to), cause)
        })
    }

    #[cold]
    fn cannot_finish(&self) -> Error {
        either!(&self.seat, seat => {
            let cause = Cause::NotAllowed { message: "finish here".to_owned(), allowed: seat.allowed() };
            ask::error(seat.table(), seat.role(), seat.state(), "finishing".to_owned(), cause)
        })
    }

    fn leave(&mut self) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        let (role, state) = (self.name().to_owned(), self.state());
        let cause = if std::thread::panicking() {
            Cause::Panicked { role, state }
        } else if self.may_end() {
            Cause::Finished { role }
        } else {
            Cause::Dropped { role, state }
        };
        either!(&mut self.seat, seat => seat.leave(&cause));
    }
}

impl<P: Payload> Drop for Role<P> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// When a time is over that begins now; never, if that is beyond the clock.
#[expect(clippy::disallowed_methods, reason = "a time-out is what the caller asked for")]
fn deadline(timeout: Duration) -> Option<Instant> {
    Instant::now().checked_add(timeout)
}
