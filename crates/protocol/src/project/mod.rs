//! Projection: from one protocol to an automaton per role, and the forms that are run.
//!
//! | form | what it is | where |
//! |---|---|---|
//! | strict | one automaton for all roles ([`Global`]), modulo strong bisimulation | `global.rs` |
//! | liberal | an automaton per role ([`Projection`]) and queues between them ([`Liberal`]) | `build.rs`, `bare.rs`, `minimise.rs`, `liberal.rs` |
//! | network | the liberal form with queues of known capacity ([`Liberal::network`]) | `network.rs` |
//!
//! A *local* step of a role is one that it takes part in: its sends, receives, exchanges, closings
//! and own steps; not what others send to it. A local state is the set of global states that the
//! protocol may be in as far as the role knows: those reached without a local step in which a local
//! step is possible or the protocol may end. After a local step it is the same closure of the
//! step's targets.
//!
//! Messages carry what the sender knows ([`Packet`]): the global states it may have brought about.
//! The receiver takes a message by the steps that are possible after one of those, so that it goes
//! on in the branch that the sender chose. Packets that no receiver tells apart are one; in most
//! protocols each message has a single packet, and nothing need be carried.
//!
//! This module tabulates nothing: the caller explores the protocol and brings the table.

mod bare;
mod build;
mod declare;
mod global;
mod liberal;
mod minimise;
mod network;
#[cfg(test)]
mod random_tests;
mod state_names;
pub mod substitution;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use quadrille_model::{Action, Bound, InteractionKind, LocalId, Participant, StateId};

use crate::core::{Act, ActId, RoleId};

pub use global::Global;
pub use liberal::{Channel, Liberal, Queues};

/// The roles and actions that all forms of one protocol share.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// Names by role.
    roles: Vec<String>,
    participants: Vec<Participant>,
    acts: Vec<Act>,
    /// The same as models report them.
    actions: Vec<Action>,
}

impl Vocabulary {
    fn role_ids(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.roles.len() as u32).map(RoleId)
    }

    fn act(&self, act: ActId) -> &Act {
        &self.acts[act.0 as usize]
    }

    fn action(&self, act: ActId) -> &Action {
        &self.actions[act.0 as usize]
    }

    fn name(&self, role: RoleId) -> &str {
        &self.roles[role.0 as usize]
    }
}

impl Act {
    /// Who takes part in the step: the sender of a send, the receiver of a receive, all roles in an
    /// exchange.
    pub fn subjects(&self) -> Vec<RoleId> {
        match self.kind {
            InteractionKind::Send | InteractionKind::Close | InteractionKind::Local => {
                vec![self.from]
            }
            InteractionKind::Receive => self.to.clone(),
            InteractionKind::Exchange => {
                let mut all = vec![self.from];
                all.extend(self.to.iter().copied().filter(|&to| to != self.from));
                all
            }
        }
    }

    /// Whether this is a send, and the other the receive of what it sends.
    #[must_use]
    pub fn is_received_by(&self, receive: &Act) -> bool {
        self.kind == InteractionKind::Send
            && receive.kind == InteractionKind::Receive
            && self.from == receive.from
            && self.message == receive.message
            && self.to.contains(&receive.to[0])
    }
}

/// A message as it travels, in the table of its [`Projection`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PacketId(pub(crate) u32);

impl PacketId {
    /// The position in [`Projection::packets`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A message as it travels: what was sent, and which of the sender's choices brought it about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The send or exchange.
    pub act: ActId,
    /// Which of the packets of this send it is, from 0.
    pub variant: u32,
}

/// What one role does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalAutomaton {
    /// The role.
    pub role: RoleId,
    /// Its states; a [`LocalId`] is a position in this list, and the first is where it starts.
    pub states: Vec<LocalState>,
}

/// A state of one role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalState {
    /// What it may do; for each action and packet that it receives there is at most one.
    pub edges: Vec<LocalEdge>,
    /// Whether the protocol may be over, as far as the role knows.
    pub may_end: bool,
    /// The states of the [`Global`] that this state stands for, ascending: those in which the role
    /// can do something or the protocol may end.
    pub knows: Vec<StateId>,
}

/// A step of one role.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalEdge {
    /// What happens.
    pub act: ActId,
    /// What travels; `None` for a closing and a step of the role alone.
    pub packet: Option<PacketId>,
    /// Where it leads.
    pub to: LocalId,
}

/// A protocol as one minimal automaton per role.
#[derive(Clone, Debug)]
pub struct Projection {
    vocabulary: Arc<Vocabulary>,
    locals: Vec<LocalAutomaton>,
    packets: Vec<Packet>,
}

/// How much a projection has found so far, of all roles together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Local states.
    pub states: u64,
    /// Local steps.
    pub steps: u64,
    /// Bytes that they take, roughly.
    pub bytes: u64,
}

/// Called every few milliseconds; a bound as the answer ends the projection.
pub type Watch<'a> = dyn FnMut(&Size) -> ControlFlow<Bound> + 'a;

/// Why a protocol was not projected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unprojected {
    /// There is too much that a role can know.
    TooLarge(TooLarge),
    /// The observer ended it.
    Stopped(Bound),
}

/// A role has more local states than [`Projection::MAX_STATES`] before minimisation, all roles together have more
/// local steps than [`Projection::MAX_STEPS`], or they take more than [`Projection::MAX_WORK`] to find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// The name of the role whose turn it was.
    pub role: String,
    /// How many local states it had by then.
    pub states: usize,
    /// How many local steps it had by then.
    pub steps: usize,
}

impl fmt::Display for Unprojected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unprojected::TooLarge(error) => error.fmt(f),
            Unprojected::Stopped(bound) => write!(f, "a bound was reached: {bound:?}"),
        }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, states, steps } = self;
        write!(
            f,
            "there is too much that role `{role}` can know of the others: \
             {states} local states with {steps} steps and more"
        )
    }
}

impl std::error::Error for Unprojected {}

impl std::error::Error for TooLarge {}

impl Projection {
    /// Most local states of a role before minimisation.
    pub const MAX_STATES: usize = 1 << 18;

    /// Most local steps of all roles before minimisation.
    pub const MAX_STEPS: u64 = 1 << 22;

    /// Most states and steps of the protocol that are looked at to find them, again and again: some seconds.
    pub const MAX_WORK: u64 = 1 << 30;

    /// Projects a protocol to all its roles.
    pub fn new(global: &Global) -> Result<Self, Unprojected> {
        Self::watched(global, &mut |_| ControlFlow::Continue(()))
    }

    /// The same with an observer that may end it.
    pub fn watched(global: &Global, watch: &mut Watch<'_>) -> Result<Self, Unprojected> {
        Ok(minimise::minimise(&build::build(global, watch)?))
    }

    /// The automata; the position of each is the number of its role.
    pub fn locals(&self) -> &[LocalAutomaton] {
        &self.locals
    }

    /// The packets; a [`PacketId`] is a position in this list.
    pub fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// A packet.
    pub fn packet(&self, packet: PacketId) -> &Packet {
        &self.packets[packet.0 as usize]
    }

    /// What an action stands for.
    pub fn act(&self, act: ActId) -> &Act {
        self.vocabulary.act(act)
    }

    /// The label of an action, as all forms of the protocol show it.
    pub fn label(&self, act: ActId) -> &str {
        &self.vocabulary.action(act).label
    }

    /// The name of a role.
    pub fn role(&self, role: RoleId) -> &str {
        self.vocabulary.name(role)
    }
}
