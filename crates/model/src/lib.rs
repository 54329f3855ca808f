//! The one notion of model in Quadrille: fixed-length integer states, transition groups with
//! declared dependencies, actions on edges, propositions on states.
//!
//! Front ends implement [`Model`]; the engine explores it. Two families come as data:
//! [`Explicit`], a transition system as a table, and [`Network`], interfering automata with
//! channels. This crate knows no language, no search and no file.
#![forbid(unsafe_code)]

mod action;
mod checked;
mod condition;
mod explicit;
mod family;
mod group;
mod index;
mod model;
mod network;
mod problem;
mod reading;
mod relations;
mod signature;
mod trace;
mod value_set;
mod verdict;

pub use action::{Action, Participant};
pub use checked::{Checked, Promise, Violation};
pub use condition::{Condition, Weight};
pub use explicit::{Explicit, ExplicitBuilder};
pub use family::{Family, Swap};
pub use group::{Change, Effect, Group, Guard};
pub use index::{
    ActionId, ChannelId, CounterId, GroupId, GuardId, LocalId, MessageId, ParticipantId,
    PropositionId, SlotId, StateId, TaskId,
};
pub use model::{Explorer, Flow, Halt, Model, Successors, settled};
pub use network::{
    Automaton, Channel, Counter, Network, NetworkBuilder, NetworkError, Predicate, Template,
};
pub use problem::{Origin, Place, Places, Problem};
pub use quadrille_interaction::{Interaction, InteractionKind};
pub use reading::Reading;
pub use signature::{Domain, Element, Proposition, Signature, Slot, SlotKind, Value};
pub use trace::{Ending, Misfit, Step, Trace};
pub use value_set::ValueSet;
pub use verdict::{Bound, Counts, Expected, Finding, Probability, Runs, Verdict};
