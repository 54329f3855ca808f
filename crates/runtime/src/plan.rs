//! A protocol as data: what generated modules contain, and all that machines know of a protocol.
//!
//! A plan has up to two forms over the same roles, labels and acts. *Strict*: one automaton for all roles
//! ([`Plan::strict`]). *Liberal*: an automaton per role ([`Plan::locals`]) with queues between them ([`Plan::queues`]). A
//! plan can be a `static`, or owned, as by tests that mutate it.

use std::borrow::Cow;

pub use quadrille_interaction::InteractionKind as Kind;

/// A list that is usually static.
pub type List<T> = Cow<'static, [T]>;

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident($number:ty);)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $number);

        impl $name {
            /// The position in its list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}

indices! {
    /// A role: a position in [`Plan::roles`].
    RoleId(u16);
    /// A message as the protocol distinguishes messages, `Move` or `Vote(true)`, or a local step: a position in
    /// [`Plan::labels`].
    LabelId(u32);
    /// An act: a position in [`Plan::acts`].
    ActId(u32);
    /// A message in a queue of the liberal form: a position in [`Plan::packets`].
    PacketId(u32);
    /// A queue of the liberal form: a position in [`Plan::queues`].
    QueueId(u32);
    /// A state of one role: a position in its [`LocalAutomaton::states`].
    LocalId(u32);
    /// A state of the strict form: a position in [`Plan::strict`].
    GlobalId(u32);
}

/// A protocol with all its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Its name, with arguments: `ring(4, 0)`.
    pub protocol: Cow<'static, str>,
    /// Names of the roles: `White`, `worker[0]`.
    pub roles: List<Cow<'static, str>>,
    /// Messages and local steps: `Move`, `Vote(true)`.
    pub labels: List<Cow<'static, str>>,
    /// The acts.
    pub acts: List<Act>,
    /// The strict form; the first state is the initial one.
    pub strict: List<GlobalState>,
    /// The liberal form; empty if the module has none. By role.
    pub locals: List<LocalAutomaton>,
    /// Messages of the liberal form as they are in queues.
    pub packets: List<Packet>,
    /// The queues of the liberal form.
    pub queues: List<Queue>,
}

/// An action of the protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    /// Its kind.
    pub kind: Kind,
    /// The sender (also of a receive), the role that closes, or that of a local step.
    pub from: RoleId,
    /// The receivers: one for a receive and a close, none for a local step.
    pub to: List<RoleId>,
    /// The message or local step; `None` for a close.
    pub label: Option<LabelId>,
    /// Its text: `White sends Move to Black`.
    pub text: Cow<'static, str>,
}

/// A state of the strict form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalState {
    /// The acts that are possible, with the next state. The same act may lead to different states.
    pub edges: List<(ActId, GlobalId)>,
    /// Whether the protocol may end here.
    pub may_end: bool,
}

/// The automaton of one role in the liberal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalAutomaton {
    /// Its states; the first is the initial one.
    pub states: List<LocalState>,
}

/// A state of one role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalState {
    /// The steps of the role. A send may have several, with different packets; a receive has one per packet.
    pub edges: List<Edge>,
    /// Whether the protocol may end here, as far as the role can tell.
    pub may_end: bool,
}

/// A step of one role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The act.
    pub act: ActId,
    /// The packet; `None` for a close and a local step.
    pub packet: Option<PacketId>,
    /// The next state.
    pub to: LocalId,
}

/// A message in a queue, with the choice of the sender that it carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The send or exchange.
    pub act: ActId,
    /// Which packet of this act it is, from 0.
    pub variant: u32,
}

/// A queue of the liberal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// The producer; `None` if all roles are.
    pub from: Option<RoleId>,
    /// The consumer.
    pub to: RoleId,
    /// How many messages it holds.
    pub capacity: u32,
    /// Whether it is proven that the queue never holds more; otherwise senders wait for room.
    pub suffices: bool,
}

/// Constructors for static plans.
impl Act {
    /// An act.
    pub const fn of(
        kind: Kind,
        from: RoleId,
        to: &'static [RoleId],
        label: Option<LabelId>,
        text: &'static str,
    ) -> Self {
        Self { kind, from, to: Cow::Borrowed(to), label, text: Cow::Borrowed(text) }
    }
}

impl GlobalState {
    /// A state with these edges.
    pub const fn of(edges: &'static [(ActId, GlobalId)], may_end: bool) -> Self {
        Self { edges: Cow::Borrowed(edges), may_end }
    }
}

impl LocalAutomaton {
    /// A role with these states.
    pub const fn of(states: &'static [LocalState]) -> Self {
        Self { states: Cow::Borrowed(states) }
    }
}

impl LocalState {
    /// A state with these edges.
    pub const fn of(edges: &'static [Edge], may_end: bool) -> Self {
        Self { edges: Cow::Borrowed(edges), may_end }
    }
}
