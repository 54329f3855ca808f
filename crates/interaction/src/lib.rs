//! What happens between participants: send, receive, exchange, close, or a step alone. The one vocabulary
//! of protocols, models, logs and generated modules; knows none of them, so that modules in production
//! compile no model.
#![forbid(unsafe_code)]

/// The kind of an interaction: a tag, where who takes part stands beside it or is not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InteractionKind {
    /// A message leaves the sender; it is received later.
    Send,
    /// The receiver takes a message that was sent before.
    Receive,
    /// Rendezvous: send and receive in one step, with one or several receivers.
    Exchange,
    /// The sender closes its channel to the receiver.
    Close,
    /// A step of one participant alone.
    Local,
}

impl InteractionKind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Send, Self::Receive, Self::Exchange, Self::Close, Self::Local];

    /// The one word for it, as logs write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Exchange => "exchange",
            Self::Close => "close",
            Self::Local => "local",
        }
    }
}

/// Who does what to whom; `P` is a participant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Interaction<P> {
    /// These take part; nothing is known of a direction. One alone: a local step. None: anonymous.
    Joint {
        /// Who takes part.
        participants: Vec<P>,
    },
    /// A message leaves; it is received later.
    Send {
        /// The sender.
        from: P,
        /// The receivers.
        to: Vec<P>,
        /// What is sent.
        message: String,
    },
    /// A message sent before arrives.
    Receive {
        /// The sender, where it is known.
        from: Option<P>,
        /// The receiver.
        to: P,
        /// What is received.
        message: String,
    },
    /// Send and receive in one step.
    Exchange {
        /// The sender.
        from: P,
        /// The receivers.
        to: Vec<P>,
        /// What is exchanged.
        message: String,
    },
    /// A channel is closed by its sender.
    Close {
        /// The sender.
        from: P,
        /// The receiver.
        to: P,
    },
}

impl<P> Interaction<P> {
    /// An interaction of a kind. `from` is the sender (also of what is received), `to` the receivers: at
    /// least one for what is received and for a close, none for a step alone, of which `from` takes it.
    pub fn of(kind: InteractionKind, from: P, mut to: Vec<P>, message: String) -> Self {
        match kind {
            InteractionKind::Send => Self::Send { from, to, message },
            InteractionKind::Receive => {
                Self::Receive { from: Some(from), to: to.swap_remove(0), message }
            }
            InteractionKind::Exchange => Self::Exchange { from, to, message },
            InteractionKind::Close => Self::Close { from, to: to.swap_remove(0) },
            InteractionKind::Local => Self::local(from),
        }
    }

    /// Nothing is known of who takes part.
    pub const ANONYMOUS: Self = Self::Joint { participants: Vec::new() };

    /// Its kind; `None` where nothing is known of a direction and not one takes part alone.
    pub fn kind(&self) -> Option<InteractionKind> {
        match self {
            Interaction::Joint { participants } => {
                (participants.len() == 1).then_some(InteractionKind::Local)
            }
            Interaction::Send { .. } => Some(InteractionKind::Send),
            Interaction::Receive { .. } => Some(InteractionKind::Receive),
            Interaction::Exchange { .. } => Some(InteractionKind::Exchange),
            Interaction::Close { .. } => Some(InteractionKind::Close),
        }
    }

    /// A step of one participant alone.
    pub fn local(participant: P) -> Self {
        Self::Joint { participants: vec![participant] }
    }

    /// All participants, in the order of the interaction: the sender first.
    pub fn participants(&self) -> Vec<&P> {
        match self {
            Interaction::Joint { participants } => participants.iter().collect(),
            Interaction::Send { from, to, .. } | Interaction::Exchange { from, to, .. } => {
                std::iter::once(from).chain(to).collect()
            }
            Interaction::Receive { from, to, .. } => {
                from.iter().chain(std::iter::once(to)).collect()
            }
            Interaction::Close { from, to } => vec![from, to],
        }
    }

    /// The same interaction with every participant replaced, in the order of the interaction.
    pub fn map<Q>(self, mut each: impl FnMut(P) -> Q) -> Interaction<Q> {
        match self {
            Interaction::Joint { participants } => {
                Interaction::Joint { participants: participants.into_iter().map(each).collect() }
            }
            Interaction::Send { from, to, message } => {
                let from = each(from);
                Interaction::Send { from, to: to.into_iter().map(each).collect(), message }
            }
            Interaction::Receive { from, to, message } => {
                Interaction::Receive { from: from.map(&mut each), to: each(to), message }
            }
            Interaction::Exchange { from, to, message } => {
                let from = each(from);
                Interaction::Exchange { from, to: to.into_iter().map(each).collect(), message }
            }
            Interaction::Close { from, to } => {
                Interaction::Close { from: each(from), to: each(to) }
            }
        }
    }
}
