//! Ends of channels, and the same watched. Each kind of channel implements a trait of a few calls.

use std::fmt;
use std::panic::Location;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::watch::{Deviation, Monitor};

/// The sending end of a channel. `send` may wait for room.
pub trait SendEnd<T> {
    /// Why a message cannot be sent.
    type Error;

    /// Sends a message.
    ///
    /// # Errors
    /// As the channel says.
    fn send(&self, message: T) -> Result<(), Self::Error>;
}

/// The receiving end of a channel.
pub trait ReceiveEnd<T> {
    /// Why no message will come.
    type Error;
    /// Why there is no message now.
    type TryError;

    /// Waits for a message.
    ///
    /// # Errors
    /// As the channel says.
    fn recv(&self) -> Result<T, Self::Error>;

    /// A message, if there is one.
    ///
    /// # Errors
    /// As the channel says.
    fn try_recv(&self) -> Result<T, Self::TryError>;
}

/// A receiving end that waits for some time.
pub trait Timed<T>: ReceiveEnd<T> {
    /// Why no message has come.
    type TimedError;

    /// Waits for a message, for so long.
    ///
    /// # Errors
    /// As the channel says.
    fn recv_timeout(&self, timeout: Duration) -> Result<T, Self::TimedError>;
}

/// What a message is called in the protocol.
pub(crate) type Name<T> = Arc<dyn Fn(&T) -> String + Send + Sync>;

/// A sending end that is watched.
pub struct Sender<S, T> {
    pub(crate) inner: S,
    pub(crate) monitor: Monitor,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) name: Name<T>,
}

/// A receiving end that is watched.
pub struct Receiver<R, T> {
    pub(crate) inner: R,
    pub(crate) monitor: Monitor,
    pub(crate) to: String,
    pub(crate) from: Option<String>,
    pub(crate) name: Name<T>,
}

/// Why a message was not sent.
pub enum SendError<T, E> {
    /// The protocol does not allow it.
    Deviates {
        /// What it allows.
        deviation: Box<Deviation>,
        /// The message.
        message: T,
    },
    /// The channel refuses it. The protocol was told that it was sent.
    Channel(E),
}

/// Why a message was not received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReceiveError<E> {
    /// The protocol does not allow it, or no sender is left.
    Deviates(Box<Deviation>),
    /// The channel has none.
    Channel(E),
}

impl Monitor {
    /// Watches what a role sends to another. `name` is what a message is called in the protocol, perhaps with its content:
    /// `Vote(true)`.
    pub fn sender<S, T>(
        &self,
        inner: S,
        from: &str,
        to: &str,
        name: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Sender<S, T> {
        let (from, to) = (from.to_owned(), to.to_owned());
        Sender { inner, monitor: self.clone(), from, to, name: Arc::new(name) }
    }

    /// Watches what a role receives, from one role, or from several if the sender is `None`.
    pub fn receiver<R, T>(
        &self,
        inner: R,
        to: &str,
        from: Option<&str>,
        name: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Receiver<R, T> {
        let (to, from) = (to.to_owned(), from.map(str::to_owned));
        Receiver { inner, monitor: self.clone(), to, from, name: Arc::new(name) }
    }
}

impl<S, T> Sender<S, T> {
    /// The same end, as another role uses it.
    #[must_use]
    pub fn of(mut self, from: &str) -> Self {
        from.clone_into(&mut self.from);
        self
    }

    /// Sends a message, if the protocol allows it.
    ///
    /// # Errors
    /// With [`Policy::Refuse`](crate::Policy), if the protocol does not allow it; if the channel refuses it.
    ///
    /// # Panics
    /// With [`Policy::Panic`](crate::Policy), if the protocol does not allow it.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T, S::Error>>
    where
        S: SendEnd<T>,
    {
        let message = self.check(message, Location::caller())?;
        self.inner.send(message).map_err(SendError::Channel)
    }

    pub(crate) fn check<E>(
        &self,
        message: T,
        place: &'static Location<'static>,
    ) -> Result<T, SendError<T, E>> {
        match self.monitor.sends((&self.from, &self.to), (self.name)(&message), place) {
            Ok(()) => Ok(message),
            Err(deviation) => Err(SendError::Deviates { deviation, message }),
        }
    }
}

impl<S: Clone, T> Clone for Sender<S, T> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            monitor: self.monitor.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            name: Arc::clone(&self.name),
        }
    }
}

impl<R, T> Receiver<R, T> {
    /// Waits for a message.
    ///
    /// # Errors
    /// If the channel has none; with [`Policy::Refuse`](crate::Policy), if the protocol does not allow it.
    ///
    /// # Panics
    /// With [`Policy::Panic`](crate::Policy), if the protocol does not allow it.
    #[track_caller]
    pub fn recv(&self) -> Result<T, ReceiveError<R::Error>>
    where
        R: ReceiveEnd<T>,
    {
        let place = Location::caller();
        if let Ok(message) = self.inner.try_recv() {
            return self.take(message, place);
        }
        let waited = self.monitor.waits((&self.to, self.from.as_deref()), place);
        waited.map_err(ReceiveError::Deviates)?;
        let message = self.inner.recv().map_err(ReceiveError::Channel)?;
        self.take(message, place)
    }

    /// A message, if there is one.
    ///
    /// # Errors
    /// As for [`Receiver::recv`], and if there is none.
    ///
    /// # Panics
    /// As [`Receiver::recv`].
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, ReceiveError<R::TryError>>
    where
        R: ReceiveEnd<T>,
    {
        let place = Location::caller();
        let message = self.inner.try_recv().map_err(ReceiveError::Channel)?;
        self.take(message, place)
    }

    /// Waits for a message, for so long.
    ///
    /// # Errors
    /// As for [`Receiver::recv`], and if none has come.
    ///
    /// # Panics
    /// As [`Receiver::recv`].
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, ReceiveError<R::TimedError>>
    where
        R: Timed<T>,
    {
        let place = Location::caller();
        let message = self.inner.recv_timeout(timeout).map_err(ReceiveError::Channel)?;
        self.take(message, place)
    }

    /// All messages, until the channel is closed or the protocol does not allow one.
    #[track_caller]
    pub fn iter(&self) -> impl Iterator<Item = T>
    where
        R: ReceiveEnd<T>,
    {
        let place = Location::caller();
        std::iter::from_fn(move || {
            let message = self.inner.recv().ok()?;
            self.take::<R::Error>(message, place).ok()
        })
    }

    pub(crate) fn take<E>(
        &self,
        message: T,
        place: &'static Location<'static>,
    ) -> Result<T, ReceiveError<E>> {
        let name = (self.name)(&message);
        match self.monitor.received((&self.to, self.from.as_deref()), name, place) {
            Ok(()) => Ok(message),
            Err(deviation) => Err(ReceiveError::Deviates(deviation)),
        }
    }
}

impl<S, T> fmt::Debug for Sender<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({} to {})", self.from, self.to)
    }
}

impl<R, T> fmt::Debug for Receiver<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({})", self.to)
    }
}

impl<T, E: fmt::Debug> fmt::Debug for SendError<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::Deviates { deviation, .. } => write!(f, "Deviates({deviation})"),
            SendError::Channel(error) => f.debug_tuple("Channel").field(error).finish(),
        }
    }
}

impl<T, E: fmt::Display> fmt::Display for SendError<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::Deviates { deviation, .. } => fmt::Display::fmt(deviation, f),
            SendError::Channel(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl<T, E: std::error::Error> std::error::Error for SendError<T, E> {}

impl<E: fmt::Display> fmt::Display for ReceiveError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReceiveError::Deviates(deviation) => fmt::Display::fmt(deviation, f),
            ReceiveError::Channel(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for ReceiveError<E> {}

/// Channels of libraries, which all have the same calls.
macro_rules! senders {
    ($($(#[$feature:meta])* $module:ident::$sender:ident;)*) => { $(
        $(#[$feature])*
        impl<T> SendEnd<T> for $module::$sender<T> {
            type Error = $module::SendError<T>;

            fn send(&self, message: T) -> Result<(), Self::Error> {
                self.send(message)
            }
        }
    )* };
}

macro_rules! receivers {
    ($($(#[$feature:meta])* $module:ident::$receiver:ident;)*) => { $(
        $(#[$feature])*
        impl<T> ReceiveEnd<T> for $module::$receiver<T> {
            type Error = $module::RecvError;
            type TryError = $module::TryRecvError;

            fn recv(&self) -> Result<T, Self::Error> {
                self.recv()
            }

            fn try_recv(&self) -> Result<T, Self::TryError> {
                self.try_recv()
            }
        }

        $(#[$feature])*
        impl<T> Timed<T> for $module::$receiver<T> {
            type TimedError = $module::RecvTimeoutError;

            fn recv_timeout(&self, timeout: Duration) -> Result<T, Self::TimedError> {
                self.recv_timeout(timeout)
            }
        }
    )* };
}

senders! {
    mpsc::Sender;
    mpsc::SyncSender;
    #[cfg(feature = "crossbeam")]
    crossbeam_channel::Sender;
    #[cfg(feature = "flume")]
    flume::Sender;
}

receivers! {
    mpsc::Receiver;
    #[cfg(feature = "crossbeam")]
    crossbeam_channel::Receiver;
    #[cfg(feature = "flume")]
    flume::Receiver;
}
