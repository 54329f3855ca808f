//! What executions of programs must satisfy, beyond not failing by themselves.
//!
//! - [`Formula`]: linear temporal logic over named events and visible operations;
//! - [`Protocol`] and [`Frame`]: `.quad` protocols and `.bp` frames as monitors of what threads say
//!   that they do;
//! - [`History`]: operations of an object that must look as if they were done one after the other.
//!
//! The first three are [`Monitor`](quadrille_sim::Monitor)s of an exploration; a history is checked
//! by the test itself. This crate schedules nothing and reads no file.
//!
//! ```
//! use quadrille_sim::{event, sim};
//! use quadrille_sim_check::Formula;
//! use quadrille_sim_std::{sync::{Arc, Mutex}, thread};
//!
//! let answered = Formula::parse("G (asked -> F answered)").unwrap();
//! sim(|| {
//!     let lock = Arc::new(Mutex::new(()));
//!     let other = Arc::clone(&lock);
//!     let thread = thread::spawn(move || {
//!         let _guard = other.lock().unwrap();
//!         event!("answered");
//!     });
//!     event!("asked");
//!     thread.join().unwrap();
//! })
//! .monitor(move || answered.clone())
//! .exhaustive()
//! .run()
//! .unwrap()
//! .failure
//! .expect("the answer can come before the question");
//! ```
#![forbid(unsafe_code)]

mod conformance;
mod formula;
mod linear;

pub use conformance::{Frame, Protocol};
pub use formula::Formula;
pub use linear::{History, Sequential};
