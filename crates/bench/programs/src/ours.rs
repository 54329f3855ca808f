//! The tests with the primitives of `quadrille_sim_std`.

pub(crate) use quadrille_sim_std::{sync, thread};

#[path = "bodies.rs"]
pub(crate) mod bodies;
