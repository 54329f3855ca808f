//! The one notion of model in Quadrille: fixed-length integer states, transition groups with
//! declared dependencies, actions on edges, propositions on states.
//!
//! Front ends implement [`Model`]; the engine explores it. Two families come as data:
//! [`Explicit`], a transition system as a table, and [`Network`], interfering automata with
//! channels. This crate knows no language, no search and no file.
#![forbid(unsafe_code)]

mod action;
mod checked;
mod explicit;
mod group;
mod index;
mod layout;
mod model;
mod network;
mod trace;
mod verdict;

pub use action::{Action, Interaction, Participant};
pub use checked::{Checked, Promise, Violation};
pub use explicit::{Explicit, ExplicitBuilder};
pub use group::{Group, Guard, Test, ValueSet};
pub use index::{
    ActionId, ChannelId, GroupId, LocalId, MessageId, ParticipantId, PropositionId, SlotId, StateId,
};
pub use layout::{Domain, Layout, Slot, Value};
pub use model::{Model, Successors};
pub use network::{Automaton, Channel, Network, NetworkBuilder, NetworkError, Predicate, Template};
pub use trace::{Ending, Misfit, Step, Trace};
pub use verdict::{Bound, Counts, Expected, Finding, Runs, Verdict};
