//! A search that several processes share, on one machine or on many. Every worker owns the states that
//! follow from their content; what a worker finds for others travels to them over [timely dataflow], a
//! level of the search being an epoch. All processes run the same command on the same model, and all of
//! them learn the answer.
//!
//! [`Node`] says which processes there are and which of them this is, [`Node::search`] takes part. A
//! process that dies, is silent for too long, or has another model ends the search of all others with an
//! [`Error::Peers`](quadrille_engine::Error::Peers); nothing is retried. Knows no language, prints
//! nothing; it opens connections, and reads the clock where it waits for others.
//!
//! [timely dataflow]: https://docs.rs/timely
#![forbid(unsafe_code)]

mod flow;
mod greeting;
mod hosts;
mod ledger;
mod links;
mod moves;
mod node;
mod pulse;
mod shared;
mod wire;
mod worker;

pub use greeting::fresh_secret;
pub use hosts::{Flaw, Hosts};
pub use node::{Asked, Node, Told, Work};
pub use quadrille_secret::{Secret, TooShort};
pub use shared::WorkerProgress;
