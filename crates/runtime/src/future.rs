//! Roles in asynchronous programs: futures that ask the same machines. They need no particular executor.
//!
//! A future that is dropped before it is done does nothing more: the message it was to send is dropped with
//! it, and a message that it was handed meanwhile is kept for the next call. To give up after some
//! time, drop it when a timer of the executor is faster. One that is leaked counts as dropped as soon as the role does
//! something else.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::ask::{Ask, Done};
use crate::error::Error;
use crate::module::Payload;
use crate::plan::{LabelId, RoleId};
use crate::role::{Received, Role};

/// A call that is under way.
struct Call<'r, P: Payload> {
    role: &'r mut Role<P>,
    /// What is asked for; an error if that is already known to be wrong, nothing once it is settled.
    ask: Option<Result<Ask, Error>>,
    payload: Option<P>,
}

/// Sends a message, closes a channel or does something alone: made by [`Role::send_async`],
/// [`Role::close_async`] and [`Role::act_async`].
#[must_use = "nothing happens before it is awaited"]
pub struct Stepping<'r, P: Payload>(Call<'r, P>);

/// Receives a message: made by [`Role::recv_async`].
#[must_use = "nothing happens before it is awaited"]
pub struct Receiving<'r, P: Payload>(Call<'r, P>);

impl<P: Payload> Role<P> {
    /// As [`Role::send`].
    pub fn send_async(&mut self, payload: P, to: Option<RoleId>) -> Stepping<'_, P> {
        let ask = match payload.label() {
            Some(label) => Ok(Ask::Give(label, to)),
            None => Err(self.unknown_content(to)),
        };
        Stepping(Call::new(self, ask, Some(payload)))
    }

    /// As [`Role::recv`].
    pub fn recv_async(&mut self, from: Option<RoleId>) -> Receiving<'_, P> {
        Receiving(Call::new(self, Ok(Ask::Take(from)), None))
    }

    /// As [`Role::close`].
    pub fn close_async(&mut self, to: RoleId) -> Stepping<'_, P> {
        Stepping(Call::new(self, Ok(Ask::Close(to)), None))
    }

    /// As [`Role::act`].
    pub fn act_async(&mut self, label: LabelId) -> Stepping<'_, P> {
        Stepping(Call::new(self, Ok(Ask::Act(label)), None))
    }
}

impl<'r, P: Payload> Call<'r, P> {
    fn new(role: &'r mut Role<P>, ask: Result<Ask, Error>, payload: Option<P>) -> Self {
        role.give_up();
        Self { role, ask: Some(ask), payload }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Done<P>, Error>> {
        let ask = match self.ask.take() {
            Some(Ok(ask)) => ask,
            Some(Err(error)) => return Poll::Ready(Err(error)),
            None => panic!("a future is not to be polled after it was ready"),
        };
        let result = self.role.poll(ask, &mut self.payload, context);
        self.role.is_waiting = result.is_pending();
        if result.is_pending() {
            self.ask = Some(Ok(ask));
        }
        result
    }

    /// It was done without asking.
    #[inline]
    fn settle(&mut self) {
        (self.ask, self.role.is_waiting) = (None, false);
    }
}

impl<P: Payload> Drop for Call<'_, P> {
    fn drop(&mut self) {
        self.role.give_up();
    }
}

// A payload is moved out when it is sent, so nothing here stays in its place anyway.
impl<P: Payload> Unpin for Stepping<'_, P> {}
impl<P: Payload> Unpin for Receiving<'_, P> {}

impl<P: Payload> Future for Stepping<'_, P> {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let call = &mut self.get_mut().0;
        if let Some(Ok(Ask::Give(label, to))) = call.ask
            && let Some(opening) = call.role.opening(label, to)
            && let Some(payload) = call.payload.take()
        {
            opening.fill(payload);
            call.settle();
            return Poll::Ready(Ok(()));
        }
        call.poll(context).map_ok(|_| ())
    }
}

impl<P: Payload> Future for Receiving<'_, P> {
    type Output = Result<Received<P>, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let call = &mut self.get_mut().0;
        if let Some(Ok(Ask::Take(from))) = call.ask {
            if let Some(arrival) = call.role.arrival(from) {
                let received = arrival.take();
                call.settle();
                return Poll::Ready(Ok(received));
            }
            if let Some(received) = call.role.take_kept(from) {
                call.settle();
                return Poll::Ready(Ok(received));
            }
        }
        let done = ready!(call.poll(context));
        Poll::Ready(done.map(|done| done.received.expect("what was asked for is a message")))
    }
}
