//! Protocols as monitors of the channels that a program already has: their ends are wrapped, and the first call that the
//! protocol does not allow is reported with its place and with what was allowed. The program needs no generated roles. Reads
//! no file and prints nothing.
//!
//! ```
//! use quadrille_monitor::{Monitor, SendError};
//!
//! const CHESS: &str = "message Move; role white, black;
//!     protocol chess { loop { Move from white to black; Move from black to white; } }";
//! let monitor = Monitor::from_quad("chess.quad", CHESS)?;
//! let (sender, receiver) = std::sync::mpsc::channel();
//! let name = |_: &&str| "Move".to_owned();
//! let sender = monitor.sender(sender, "white", "black", name);
//! let receiver = monitor.receiver(receiver, "black", Some("white"), name);
//! sender.send("e4")?;
//! let Err(SendError::Deviates { deviation, message }) = sender.send("d4") else { panic!() };
//! assert_eq!(message, "d4");
//! assert_eq!(deviation.allowed, ["black receives Move from white"]);
//! assert_eq!(receiver.recv()?, "e4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod ends;
mod watch;

#[cfg(feature = "tokio")]
mod tasks;

pub use ends::{ReceiveEnd, ReceiveError, Receiver, SendEnd, SendError, Sender, Timed};
pub use watch::{BadProtocol, Deviation, Monitor, Policy};
