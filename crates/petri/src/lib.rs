//! Petri nets: place/transition nets and symmetric nets of PNML files, formulas of the Model Checking Contest, what follows
//! from a net without looking at its markings, smaller nets that answer the same questions, and nets as
//! models for the engines. Knows no engine and reads no file.
#![forbid(unsafe_code)]

pub mod codes;
mod coloured;
pub mod formula;
mod growth;
mod invariants;
mod linear;
mod lower;
mod net;
mod network;
mod pnml;
mod property;
mod reduce;
mod simplify;
mod slots;
mod walk;
mod write;
mod xml;

pub use formula::{Formula, Kind, Sum};
pub use growth::unbounded;
pub use invariants::{Semiflow, bounds, semiflows, semiflows_while};
pub use linear::Equation;
pub use lower::NetModel;
pub use net::{Bag, Family, Net, PlaceId, Tokens, Transition, TransitionId, Unit, weight};
pub use network::net_of_network;
pub use pnml::read_pnml;
pub use property::{Asked, Property, read_properties};
pub use reduce::{Keep, Rule, Smaller, smaller, smaller_while};
pub use simplify::Facts;
pub use slots::{Slot, Slots};
pub use walk::{Goals, distance, growing, replay, walk};
pub use write::write_pnml;
