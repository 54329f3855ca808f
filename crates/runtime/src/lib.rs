//! What generated modules stand on in production: the [`Plan`] of a protocol as data, and the machines
//! that carry it out. Knows no protocol language; everything it does comes from a plan.

pub mod plan;

pub use plan::Plan;
