//! The symbolic engine of Quadrille: it explores a [`Model`](quadrille_model::Model) exactly, by sets
//! of states instead of states. Where participants are loosely coupled, sets with more members than
//! there are atoms take a few thousand nodes; where everything depends on everything, the explicit engine
//! does better.
//!
//! [`Symbolic::explore`] computes all reachable states by saturation; the questions are asked of the
//! result. Everything is held to a [`Meter`]: limits of the user end in *unknown*, a [`Budget`] ends in
//! [`Ended::Budget`], after which another engine may be asked.
//!
//! ```
//! use quadrille_engine::{Limits, unobserved};
//! use quadrille_model::{Automaton, LocalId, NetworkBuilder, Template};
//! use quadrille_symbolic::{Budget, Ended, Meter, Symbolic};
//!
//! let mut builder = NetworkBuilder::default();
//! for number in 0..100 {
//!     let (off, on) = (LocalId::new(0), LocalId::new(1));
//!     let lamp = Automaton::new(format!("lamp {number}"), ["off", "on"]);
//!     let lamp = builder.participant(lamp).expect("two states");
//!     builder.template(Template::new("switch on").step(lamp, off, on)).expect("one step");
//! }
//! let network = builder.build().expect("a hundred lamps");
//! let (budget, mut observer) = (Budget::default(), unobserved);
//! let mut meter = Meter::new(Limits::default(), budget, &mut observer);
//! let mut lamps = Symbolic::explore(&network, budget, &mut meter)?;
//! let size = lamps.size(&mut meter)?;
//! assert_eq!(size.states.to_string(), (1u128 << 100).to_string());
//! assert_eq!(size.deadlocks.to_string(), "1");
//! # Ok::<(), Ended>(())
//! ```
#![forbid(unsafe_code)]

mod apply;
mod budget;
mod ctl;
mod ldd;
mod ltl;
mod natural;
mod relation;
mod saturate;
mod sets;
mod symbolic;
#[cfg(test)]
mod tests;
mod weigh;
mod witness;

pub use budget::{Budget, Ended, Meter};
pub use natural::Natural;
pub use symbolic::{MOST_SLOTS, Size, Symbolic};
