//! Architectures (`.arch`): components with interfaces, composites with parts and bindings. [`load`]
//! reads one; [`assemble`] puts the parts of a composite together, by themselves or against its frame;
//! [`Architecture::substituted`] and [`substitution`] ask whether a component may take another's place.

pub mod codes;
mod conform;
mod lint;
mod parse;
mod plan;
mod print;
mod rename;
mod resolve;
mod substitute;
mod system;
pub mod tree;

pub use lint::lint;
pub use parse::parse;
pub use plan::{Compliance, assemble, compliances};
pub use resolve::{Reader, load};
pub use substitute::substitution;
pub use system::{
    Architecture, Component, ComponentId, Connection, End, Frame, InterfaceId, Part, PartId, Port,
    PortId,
};
