//! `std::sync::mpsc` under the scheduler. A channel made in a simulation is the scheduler's: sends
//! to an unbounded channel commute with receives, since the k-th receive gets the k-th message.

use ::std::collections::VecDeque;
use ::std::fmt;
use ::std::panic::Location;
use ::std::sync::Arc;
use ::std::sync::mpsc as real;
use ::std::time::Duration;

use crate::owned::Owned;
use quadrille_sim::task::Outcome;
use quadrille_sim::{Access, Action, Guard, Kind, ObjectId, Place, Request, task};

pub use ::std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// Added to the word of a channel that no sender will ever send to: a receive need not wait.
const NO_SENDER: i64 = 1 << 40;
/// The word of a channel without a receiver: a send need not wait.
const NO_RECEIVER: i64 = -(1 << 41);

struct Channel<T> {
    object: ObjectId,
    /// How many messages fit; nothing if any number does. A rendezvous channel has one place, and
    /// its sender waits until the message was taken.
    bound: Option<usize>,
    state: Owned<State<T>>,
}

struct State<T> {
    messages: VecDeque<T>,
    senders: usize,
    has_receiver: bool,
    /// How many messages were taken, for rendezvous.
    taken: i64,
    sent: i64,
    /// The object whose word counts them.
    meeting: ObjectId,
}

impl<T> State<T> {
    /// The word of the channel.
    fn word(&self) -> i64 {
        if !self.has_receiver {
            return NO_RECEIVER;
        }
        let left = if self.senders == 0 { NO_SENDER } else { 0 };
        self.messages.len() as i64 + left
    }
}

impl<T> Channel<T> {
    fn places(&self) -> Option<i64> {
        self.bound.map(|bound| i64::try_from(bound.max(1)).unwrap_or(i64::MAX))
    }

    fn push(&self, message: T, place: Place) -> Result<(), SendError<T>> {
        let mut message = Some(message);
        let pushed = self.state.with_word(self.object, |state| {
            if !state.has_receiver {
                return (None, state.word());
            }
            state.messages.extend(message.take());
            state.sent += 1;
            (Some((state.meeting, state.sent)), state.word())
        });
        let Some((meeting, number)) = pushed.flatten() else {
            return Err(SendError(message.expect("what was not sent is still here")));
        };
        if self.bound == Some(0) {
            let request = Request::new(Action::Send, self.object, Access::Write, place);
            // The word of the meeting is minus the number of messages taken.
            task::visible(request.when_at(meeting, Guard::Below(1 - number)));
        }
        Ok(())
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as for `task::visible`")]
    fn send(&self, message: T, place: Place) -> Result<(), SendError<T>> {
        let request = match self.places() {
            None => Request::new(Action::Send, self.object, Access::Push, place),
            Some(places) => Request::new(Action::Send, self.object, Access::Write, place)
                .when(Guard::Below(places)),
        };
        if self.state.visible(request).is_none() {
            return Err(SendError(message));
        }
        self.push(message, place)
    }

    fn try_send(&self, message: T, place: Place) -> Result<(), TrySendError<T>> {
        if !self.state.is_live() {
            return Err(TrySendError::Disconnected(message));
        }
        task::visible(Request::new(Action::TrySend, self.object, Access::Write, place));
        let is_full = self.places().is_some_and(|places| task::word(self.object) >= places);
        task::observe(u64::from(is_full), !is_full);
        if is_full {
            return Err(TrySendError::Full(message));
        }
        self.push(message, place).map_err(|SendError(message)| TrySendError::Disconnected(message))
    }

    fn pop(&self) -> Result<T, TryRecvError> {
        let popped = self.state.with_word(self.object, |state| {
            let Some(message) = state.messages.pop_front() else {
                let is_left = state.senders == 0;
                let why = if is_left { TryRecvError::Disconnected } else { TryRecvError::Empty };
                return (Err(why), state.word());
            };
            state.taken += 1;
            (Ok((message, state.meeting, state.taken)), state.word())
        });
        let (message, meeting, taken) = popped.unwrap_or(Err(TryRecvError::Disconnected))?;
        if self.bound == Some(0) {
            task::signal(meeting, -taken);
        }
        Ok(message)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as for `task::visible`")]
    fn receive(&self, timeout: Duration, place: Place) -> Result<T, RecvTimeoutError> {
        let access = if self.bound.is_some() { Access::Write } else { Access::Pop };
        let request = Request::new(Action::Receive, self.object, access, place);
        match self.state.visible(request.when(Guard::NonZero).within(timeout)) {
            None => return Err(RecvTimeoutError::Disconnected),
            Some(Outcome::TimedOut) => return Err(RecvTimeoutError::Timeout),
            Some(Outcome::Done) => {}
        }
        self.pop().map_err(|_| RecvTimeoutError::Disconnected)
    }

    fn try_receive(&self, place: Place) -> Result<T, TryRecvError> {
        if !self.state.is_live() {
            return Err(TryRecvError::Disconnected);
        }
        task::visible(Request::new(Action::TryReceive, self.object, Access::Write, place));
        let message = self.pop();
        task::observe(u64::from(message.is_ok()), message.is_ok());
        message
    }

    fn drop_sender(&self, place: Place) {
        if self.state.is_live() {
            let request = Request::new(Action::Disconnect, self.object, Access::Leave, place);
            task::visible(request);
            self.state.with_word(self.object, |state| {
                state.senders -= 1;
                ((), state.word())
            });
        }
    }

    fn drop_receiver(&self, place: Place) {
        if self.state.is_live() {
            task::visible(Request::new(Action::Disconnect, self.object, Access::Write, place));
            let left = self.state.with_word(self.object, |state| {
                state.has_receiver = false;
                ((::std::mem::take(&mut state.messages), state.meeting), state.word())
            });
            if let Some((_, meeting)) = left {
                task::signal(meeting, i64::MIN);
            }
            drop(left);
        }
    }
}

fn simulated<T>(bound: Option<usize>, place: Place) -> Arc<Channel<T>> {
    let state = State {
        messages: VecDeque::new(),
        senders: 1,
        has_receiver: true,
        taken: 0,
        sent: 0,
        meeting: task::object(Kind::Waiter, 0, place),
    };
    let object = task::object(Kind::Channel, 0, place);
    Arc::new(Channel { object, bound, state: Owned::new(state) })
}

/// The sending half of an unbounded channel.
pub struct Sender<T>(SenderKind<T>);

enum SenderKind<T> {
    Real(real::Sender<T>),
    Simulated(Arc<Channel<T>>),
}

/// The sending half of a bounded channel.
pub struct SyncSender<T>(SyncSenderKind<T>);

enum SyncSenderKind<T> {
    Real(real::SyncSender<T>),
    Simulated(Arc<Channel<T>>),
}

/// The receiving half of a channel.
pub struct Receiver<T>(ReceiverKind<T>);

enum ReceiverKind<T> {
    Real(real::Receiver<T>),
    Simulated(Arc<Channel<T>>),
}

// SAFETY: the channel is behind a lock; as for the real halves, messages cross threads.
unsafe impl<T: Send> Send for Receiver<T> {}

/// A channel for any number of messages.
#[track_caller]
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if task::is_simulated() {
        let channel = simulated(None, Location::caller());
        let sender = Sender(SenderKind::Simulated(Arc::clone(&channel)));
        return (sender, Receiver(ReceiverKind::Simulated(channel)));
    }
    let (sender, receiver) = real::channel();
    (Sender(SenderKind::Real(sender)), Receiver(ReceiverKind::Real(receiver)))
}

/// A channel for at most `bound` messages.
#[track_caller]
#[must_use]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if task::is_simulated() {
        let channel = simulated(Some(bound), Location::caller());
        let sender = SyncSender(SyncSenderKind::Simulated(Arc::clone(&channel)));
        return (sender, Receiver(ReceiverKind::Simulated(channel)));
    }
    let (sender, receiver) = real::sync_channel(bound);
    (SyncSender(SyncSenderKind::Real(sender)), Receiver(ReceiverKind::Real(receiver)))
}

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// # Errors
    ///
    /// With the message, if the receiver is gone.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as for `task::visible`")]
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match &self.0 {
            SenderKind::Real(sender) => sender.send(message),
            SenderKind::Simulated(channel) => channel.send(message, Location::caller()),
        }
    }
}

impl<T> SyncSender<T> {
    /// Sends a message once there is room.
    ///
    /// # Errors
    ///
    /// With the message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match &self.0 {
            SyncSenderKind::Real(sender) => sender.send(message),
            SyncSenderKind::Simulated(channel) => channel.send(message, Location::caller()),
        }
    }

    /// Sends a message if there is room.
    ///
    /// # Errors
    ///
    /// With the message, if there is none or the receiver is gone.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            SyncSenderKind::Real(sender) => sender.try_send(message),
            SyncSenderKind::Simulated(channel) => channel.try_send(message, Location::caller()),
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// If all senders are gone.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as for `task::visible`")]
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            ReceiverKind::Real(receiver) => receiver.recv(),
            ReceiverKind::Simulated(channel) => {
                channel.receive(Duration::MAX, Location::caller()).map_err(|_| RecvError)
            }
        }
    }

    /// A message if there is one.
    ///
    /// # Errors
    ///
    /// If there is none, or all senders are gone.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            ReceiverKind::Real(receiver) => receiver.try_recv(),
            ReceiverKind::Simulated(channel) => channel.try_receive(Location::caller()),
        }
    }

    /// Waits for a message, but not longer than `timeout`.
    ///
    /// # Errors
    ///
    /// If there is none in time, or all senders are gone.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            ReceiverKind::Real(receiver) => receiver.recv_timeout(timeout),
            ReceiverKind::Simulated(channel) => channel.receive(timeout, Location::caller()),
        }
    }

    /// All messages, until the senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// All messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(self)
    }
}

/// All messages, until the senders are gone.
pub struct Iter<'a, T>(&'a Receiver<T>);
/// All messages that are there.
pub struct TryIter<'a, T>(&'a Receiver<T>);
/// All messages, until the senders are gone, of a receiver it owns.
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender(match &self.0 {
            SenderKind::Real(sender) => SenderKind::Real(sender.clone()),
            SenderKind::Simulated(channel) => {
                channel.state.with(|state| state.senders += 1);
                SenderKind::Simulated(Arc::clone(channel))
            }
        })
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> SyncSender<T> {
        SyncSender(match &self.0 {
            SyncSenderKind::Real(sender) => SyncSenderKind::Real(sender.clone()),
            SyncSenderKind::Simulated(channel) => {
                channel.state.with(|state| state.senders += 1);
                SyncSenderKind::Simulated(Arc::clone(channel))
            }
        })
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let SenderKind::Simulated(channel) = &self.0 {
            channel.drop_sender(Location::caller());
        }
    }
}

impl<T> Drop for SyncSender<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let SyncSenderKind::Simulated(channel) = &self.0 {
            channel.drop_sender(Location::caller());
        }
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let ReceiverKind::Simulated(channel) = &self.0 {
            channel.drop_receiver(Location::caller());
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
