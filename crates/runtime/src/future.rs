//! The calls of a role as futures, for any executor.
//!
//! A future that is dropped before it is ready is cancelled: the message it was to send is dropped with it, and a message
//! that arrived for it is kept for the next call. A leaked future counts as cancelled once the role makes another
//! request.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::error::Error;
use crate::module::Payload;
use crate::plan::{LabelId, RoleId};
use crate::request::{Completed, Request};
use crate::role::{Received, Role};

/// A pending call.
struct Call<'r, P: Payload> {
    role: &'r mut Role<P>,
    /// The request, or why it is refused; `None` once it is settled.
    request: Option<Result<Request, Error>>,
    payload: Option<P>,
}

/// The future of a send, a close or a local step: returned by [`Role::send_async`],
/// [`Role::close_async`] and [`Role::local_step_async`].
#[must_use = "nothing happens before it is awaited"]
pub struct StepFuture<'r, P: Payload>(Call<'r, P>);

/// The future of a receive: returned by [`Role::recv_async`].
#[must_use = "nothing happens before it is awaited"]
pub struct ReceiveFuture<'r, P: Payload>(Call<'r, P>);

impl<P: Payload> Role<P> {
    /// As [`Role::send`].
    pub fn send_async(&mut self, payload: P, to: Option<RoleId>) -> StepFuture<'_, P> {
        let request = match payload.label() {
            Some(label) => Ok(Request::Send(label, to)),
            None => Err(self.unknown_content(to)),
        };
        StepFuture(Call::new(self, request, Some(payload)))
    }

    /// As [`Role::recv`].
    pub fn recv_async(&mut self, from: Option<RoleId>) -> ReceiveFuture<'_, P> {
        ReceiveFuture(Call::new(self, Ok(Request::Receive(from)), None))
    }

    /// As [`Role::close`].
    pub fn close_async(&mut self, to: RoleId) -> StepFuture<'_, P> {
        StepFuture(Call::new(self, Ok(Request::Close(to)), None))
    }

    /// As [`Role::local_step`].
    pub fn local_step_async(&mut self, label: LabelId) -> StepFuture<'_, P> {
        StepFuture(Call::new(self, Ok(Request::Local(label)), None))
    }
}

impl<'r, P: Payload> Call<'r, P> {
    fn new(role: &'r mut Role<P>, request: Result<Request, Error>, payload: Option<P>) -> Self {
        role.cancel_pending();
        Self { role, request: Some(request), payload }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Completed<P>, Error>> {
        let request = match self.request.take() {
            Some(Ok(request)) => request,
            Some(Err(error)) => return Poll::Ready(Err(error)),
            None => panic!("polled after completion"),
        };
        let result = self.role.poll(request, &mut self.payload, context);
        self.role.is_waiting = result.is_pending();
        if result.is_pending() {
            self.request = Some(Ok(request));
        }
        result
    }

    /// Settled on the fast path.
    #[inline]
    fn settle(&mut self) {
        (self.request, self.role.is_waiting) = (None, false);
    }
}

impl<P: Payload> Drop for Call<'_, P> {
    fn drop(&mut self) {
        self.role.cancel_pending();
    }
}

// A payload is moved out when it is sent, so nothing here is pinned.
impl<P: Payload> Unpin for StepFuture<'_, P> {}
impl<P: Payload> Unpin for ReceiveFuture<'_, P> {}

impl<P: Payload> Future for StepFuture<'_, P> {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let call = &mut self.get_mut().0;
        if let Some(Ok(Request::Send(label, to))) = call.request
            && let Some(send_slot) = call.role.send_slot(label, to)
            && let Some(payload) = call.payload.take()
        {
            send_slot.fill(payload);
            call.settle();
            return Poll::Ready(Ok(()));
        }
        call.poll(context).map_ok(|_| ())
    }
}

impl<P: Payload> Future for ReceiveFuture<'_, P> {
    type Output = Result<Received<P>, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let call = &mut self.get_mut().0;
        if let Some(Ok(Request::Receive(from))) = call.request {
            if let Some(ready_message) = call.role.ready_message(from) {
                let received = ready_message.take();
                call.settle();
                return Poll::Ready(Ok(received));
            }
            if let Some(received) = call.role.take_kept(from) {
                call.settle();
                return Poll::Ready(Ok(received));
            }
        }
        let done = ready!(call.poll(context));
        Poll::Ready(done.map(|done| done.received.expect("a receive returns a message")))
    }
}
