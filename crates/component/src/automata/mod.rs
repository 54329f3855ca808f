//! What a protocol means: each automaton without `|` becomes a deterministic automaton; `|` forks into
//! automata that run side by side and joins them when all are done. Nothing is flattened here, but on
//! request. Knows nothing of other components.
//!
//! The representation is that of V. Holub's thesis (Charles University, 2010): a hierarchy of
//! automata whose states may have nested ones. Exceptions leave every fork up to the braces of the
//! method that throws, or up to the `try` that catches.

mod adjust;
mod alphabet;
mod build;
mod calls;
mod determinise;
mod distribute;
mod flatten;
mod forked_dfa;
mod minimise;
mod moves;
mod nfa;
mod region;
mod variables;

pub use alphabet::{Alphabet, Event, EventId, EventKind, Role, StepEvent, StepId};
pub use build::{Construction, Throws, TooLarge, build, is_on};
pub use flatten::flatten;
pub use forked_dfa::{DfaState, DfaStateId, ExitId, Fork, ForkId, ForkedDfa, Letter, Target};
pub use moves::{Move, SlotName, ends, moves, slots};
pub use region::Region;

pub(crate) use minimise::minimise;
pub(crate) use region::{RegionIndex, RegionUnion};
