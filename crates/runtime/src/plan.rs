//! A protocol as data: what generated modules hold, and all that machines know of a protocol.
//!
//! A plan has two readings. *Strict*: one automaton for everybody ([`Plan::strict`]). *Liberal*: an
//! automaton per role ([`Plan::locals`]) and queues between them ([`Plan::queues`]). Both
//! speak of the same roles, labels and acts. Everything can be written down in a `static`; everything
//! can also be owned, so that tests may spoil a plan and see who notices.

use std::borrow::Cow;

/// A list that is usually part of the program text.
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
    /// A message as the protocol tells messages apart, `Move` or `Vote(true)`; or something that a role
    /// does alone: a position in [`Plan::labels`].
    LabelId(u32);
    /// Something that happens: a position in [`Plan::acts`].
    ActId(u32);
    /// A message as it travels in the liberal form: a position in [`Plan::packets`].
    PacketId(u32);
    /// A queue of the liberal form: a position in [`Plan::queues`].
    QueueId(u32);
    /// A state of one role: a position in its [`Local::states`].
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
    /// What is sent or done: `Move`, `Vote(true)`.
    pub labels: List<Cow<'static, str>>,
    /// What happens.
    pub acts: List<Act>,
    /// The strict form; the first state is the initial one.
    pub strict: List<GlobalState>,
    /// The liberal form; empty if the module has none. By role.
    pub locals: List<Local>,
    /// Messages of the liberal form as they travel.
    pub packets: List<Packet>,
    /// Where they travel.
    pub queues: List<Queue>,
}

/// What kind of thing an act is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A message leaves the sender, for one or several receivers.
    Send,
    /// The receiver takes a message that was sent before.
    Receive,
    /// Send and receive in one step, with one or several receivers.
    Exchange,
    /// The sender closes its channel to the receiver.
    Close,
    /// A step of one role alone.
    Alone,
}

/// Something that happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    /// What kind of thing.
    pub kind: Kind,
    /// Who sends (also of a receive), closes, or steps alone.
    pub from: RoleId,
    /// Who receives: one for a receive and a close, nobody for a step alone.
    pub to: List<RoleId>,
    /// What is sent or done; `None` for a close.
    pub label: Option<LabelId>,
    /// As people read it: `White sends Move to Black`.
    pub text: Cow<'static, str>,
}

/// A state of the strict form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalState {
    /// What may happen, and where it leads. Equal acts may lead to different states.
    pub edges: List<(ActId, GlobalId)>,
    /// Whether the protocol may be over here.
    pub may_end: bool,
}

/// What one role does in the liberal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its states; the first is the initial one.
    pub states: List<LocalState>,
}

/// A state of one role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalState {
    /// What the role may do. Of a send there may be several, with different packets; of a receive there
    /// is one per packet.
    pub edges: List<Edge>,
    /// Whether the protocol may be over, as far as the role knows.
    pub may_end: bool,
}

/// A step of one role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// What happens.
    pub act: ActId,
    /// What travels; `None` for a closing and a step alone.
    pub packet: Option<PacketId>,
    /// Where it leads.
    pub to: LocalId,
}

/// A message as it travels: which of the sender's choices brought it about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The send or exchange.
    pub act: ActId,
    /// Which of the packets of this act, from 0.
    pub variant: u32,
}

/// A queue of the liberal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// Who puts messages in; `None` if everybody may.
    pub from: Option<RoleId>,
    /// Who takes them out.
    pub to: RoleId,
    /// How many messages it holds.
    pub capacity: u32,
    /// Whether it is proven that no more are ever waiting; otherwise senders wait for room.
    pub suffices: bool,
}

/// Short forms for plans in the program text.
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

impl Local {
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
