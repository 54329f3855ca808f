//! Roles: what the threads and tasks of a program hold. A role asks its machine and waits, whatever the form.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::ask::{self, Ask, Done};
use crate::error::{Cause, Error};
use crate::liberal::{self, Arrival, Opening};
use crate::module::Payload;
use crate::plan::{LabelId, RoleId};
use crate::strict;

/// One role of a running module. It belongs to one thread or task at a time.
///
/// A role that is dropped where it may not stop, or by a panic, is reported to everybody who needs it.
pub struct Role<P: Payload> {
    seat: Seat<P>,
    has_left: bool,
    timeout: Option<Duration>,
    /// Whether a future asked for something and had to wait.
    pub(crate) is_waiting: bool,
    /// Messages that were handed to calls that had been given up.
    kept: VecDeque<Received<P>>,
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
        Self::new(Seat::Liberal(seat))
    }

    pub(crate) fn strict(seat: strict::Seat<P>) -> Self {
        Self::new(Seat::Strict(seat))
    }

    fn new(seat: Seat<P>) -> Self {
        Self { seat, has_left: false, timeout: None, is_waiting: false, kept: VecDeque::new() }
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

    /// Lets each call from now on give up after some time, with [`Cause::TimedOut`]; `None`, as at the start: never.
    /// It has changed nothing then, and the role can go on; but a message that was to be sent is lost.
    ///
    /// Futures do not know it: they are dropped instead, when a timer of the executor is faster.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// Sends a message, or passes it in one step, as the protocol has it. Where the protocol leaves open who
    /// receives it, `to` decides or else the module's [`Policy`](crate::Policy).
    #[inline]
    pub fn send(&mut self, payload: P, to: Option<RoleId>) -> Result<(), Error> {
        let Some(label) = payload.label() else { return Err(self.unknown_content(to)) };
        if let Some(opening) = self.opening(label, to) {
            opening.fill(payload);
            return Ok(());
        }
        self.give_in_time(Ask::Give(label, to), payload)
    }

    /// Receives a message, from anybody or from one role.
    #[inline]
    pub fn recv(&mut self, from: Option<RoleId>) -> Result<Received<P>, Error> {
        if let Some(arrival) = self.arrival(from) {
            return Ok(arrival.take());
        }
        self.take_in_time(from)
    }

    /// Closes the channel to a role.
    pub fn close(&mut self, to: RoleId) -> Result<(), Error> {
        self.ask(Ask::Close(to))
    }

    /// Does something alone.
    pub fn act(&mut self, label: LabelId) -> Result<(), Error> {
        self.ask(Ask::Act(label))
    }

    /// Ends the role; an error if it may not stop here, which others are told too.
    pub fn finish(mut self) -> Result<(), Error> {
        let may_end = self.may_end();
        let result = if may_end { Ok(()) } else { Err(self.cannot_finish()) };
        self.leave(may_end);
        result
    }

    /// Sends a message that could not be sent at once. Apart from it, so that callers stay small.
    #[inline(never)]
    fn give_in_time(&mut self, ask: Ask, payload: P) -> Result<(), Error> {
        self.give_up();
        let (mut payload, deadline) = (Some(payload), self.deadline());
        if let Seat::Liberal(seat) = &mut self.seat {
            seat.stay_awake(ask);
        }
        either!(&mut self.seat, seat => seat.block(ask, &mut payload, deadline))?;
        Ok(())
    }

    /// Receives a message that was not there at once.
    #[inline(never)]
    fn take_in_time(&mut self, from: Option<RoleId>) -> Result<Received<P>, Error> {
        self.give_up();
        if let Some(received) = self.take_kept(from) {
            return Ok(received);
        }
        let deadline = self.deadline();
        if let Seat::Liberal(seat) = &mut self.seat
            && seat.stay_awake(Ask::Take(from))
            && let Some(arrival) = seat.arrival(from)
        {
            return Ok(arrival.take());
        }
        let Done { received, .. } =
            either!(&mut self.seat, seat => seat.block(Ask::Take(from), &mut None, deadline))?;
        Ok(received.expect("what was asked for is a message"))
    }

    /// Where a message can be sent, if that takes no thought.
    #[inline(always)]
    pub(crate) fn opening(&mut self, label: LabelId, to: Option<RoleId>) -> Option<Opening<'_, P>> {
        match &mut self.seat {
            Seat::Liberal(seat) => seat.opening(label, to),
            Seat::Strict(_) => None,
        }
    }

    /// A message that can be received, if that takes no thought.
    #[inline(always)]
    pub(crate) fn arrival(&mut self, from: Option<RoleId>) -> Option<Arrival<'_, P>> {
        match &mut self.seat {
            Seat::Liberal(seat) if self.kept.is_empty() => seat.arrival(from),
            Seat::Liberal(_) | Seat::Strict(_) => None,
        }
    }

    /// A message that was handed to a call that had been given up.
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

    fn ask(&mut self, ask: Ask) -> Result<(), Error> {
        self.give_up();
        let deadline = self.deadline();
        either!(&mut self.seat, seat => seat.block(ask, &mut None, deadline))?;
        Ok(())
    }

    /// When a call gives up that begins to wait now.
    #[inline]
    fn deadline(&self) -> Option<Instant> {
        self.timeout.and_then(deadline)
    }

    pub(crate) fn poll(
        &mut self,
        ask: Ask,
        payload: &mut Option<P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Done<P>, Error>> {
        either!(&mut self.seat, seat => seat.poll(ask, payload, context))
    }

    /// Gives up what a future asked for that had to wait and is gone: dropped, or forgotten. A message that it was
    /// handed meanwhile is kept.
    #[inline(always)]
    pub(crate) fn give_up(&mut self) {
        if self.is_waiting {
            self.cancel();
        }
    }

    #[cold]
    fn cancel(&mut self) {
        self.is_waiting = false;
        let done = either!(&mut self.seat, seat => seat.cancel());
        self.kept.extend(done.and_then(|done| done.received));
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
        either!(&mut self.seat, seat => seat.leave(&cause));
    }
}

impl<P: Payload> Drop for Role<P> {
    fn drop(&mut self) {
        if !self.has_left {
            self.leave(self.may_end());
        }
    }
}

/// When a time is over that begins now; never, if that is beyond the clock.
#[cold]
#[expect(clippy::disallowed_methods, reason = "a time-out is what the caller asked for")]
fn deadline(timeout: Duration) -> Option<Instant> {
    Instant::now().checked_add(timeout)
}
