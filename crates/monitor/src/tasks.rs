//! The channels of tokio: sends and receives that are awaited. Bounded senders, unbounded ones, and both receivers.

use std::panic::Location;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use crate::ends::{ReceiveError, Receiver, SendEnd, SendError, Sender};

impl<T> SendEnd<T> for mpsc::UnboundedSender<T> {
    type Error = mpsc::error::SendError<T>;

    fn send(&self, message: T) -> Result<(), Self::Error> {
        self.send(message)
    }
}

impl<T> Sender<mpsc::Sender<T>, T> {
    /// Sends a message, if the protocol allows it; waits for room.
    ///
    /// # Errors
    /// With [`Policy::Refuse`](crate::Policy), if the protocol does not allow it; if the channel is closed.
    ///
    /// # Panics
    /// With [`Policy::Panic`](crate::Policy), if the protocol does not allow it.
    #[track_caller]
    pub fn send_async(
        &self,
        message: T,
    ) -> impl Future<Output = Result<(), SendError<T, mpsc::error::SendError<T>>>> {
        let place = Location::caller();
        async move {
            // There is room before the protocol is told, so that a future that is dropped has sent nothing.
            let Ok(permit) = self.inner.reserve().await else {
                return Err(SendError::Channel(mpsc::error::SendError(message)));
            };
            permit.send(self.check(message, place)?);
            Ok(())
        }
    }
}

macro_rules! receivers {
    ($($receiver:ident)*) => { $(
        impl<T> Receiver<mpsc::$receiver<T>, T> {
            /// Waits for a message; `None` if no sender is left.
            ///
            /// # Errors
            /// With [`Policy::Refuse`](crate::Policy), if the protocol does not allow it.
            ///
            /// # Panics
            /// With [`Policy::Panic`](crate::Policy), if the protocol does not allow it.
            #[track_caller]
            pub fn recv_async(
                &mut self,
            ) -> impl Future<Output = Result<Option<T>, ReceiveError<std::convert::Infallible>>> {
                let place = Location::caller();
                async move {
                    let message = match self.inner.try_recv() {
                        Ok(message) => Some(message),
                        Err(TryRecvError::Empty | TryRecvError::Disconnected) => {
                            let waited = self.monitor.waits((&self.to, self.from.as_deref()), place);
                            waited.map_err(ReceiveError::Deviates)?;
                            self.inner.recv().await
                        }
                    };
                    message.map(|message| self.take(message, place)).transpose()
                }
            }
        }
    )* };
}

receivers! { Receiver UnboundedReceiver }
