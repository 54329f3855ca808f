//! Petri nets: place/transition nets of PNML files, formulas of the Model Checking Contest, what follows
//! from a net without looking at its markings, smaller nets that answer the same questions, and nets as
//! models for the engines. Knows no engine and reads no file.
#![forbid(unsafe_code)]

pub mod codes;
pub mod formula;
mod invariants;
mod linear;
mod lower;
mod net;
mod pnml;
mod property;
mod reduce;
mod simplify;
mod slots;
mod walk;
mod xml;

pub use formula::{Formula, Kind, Sum};
pub use invariants::{Semiflow, bounds, semiflows};
pub use linear::Equation;
pub use lower::NetModel;
pub use net::{Bag, Net, PlaceId, Tokens, Transition, TransitionId, Unit, weight};
pub use pnml::read_pnml;
pub use property::{Asked, Property, read_properties};
pub use reduce::{Keep, Rule, Smaller, smaller};
pub use simplify::Facts;
pub use slots::{Slot, Slots};
pub use walk::{Goals, growing, replay, walk};
