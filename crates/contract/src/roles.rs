//! Frames of the roles of a protocol: each role's automaton, as projection gives it, written as a
//! behavior protocol.
//!
//! A message `M` from role `a` to role `b` is the request `a_b.M^`, emitted by `a` and accepted by `b`.
//! What goes to several roles is an atomic action. Content becomes part of the name, and
//! messages that look alike but are told apart get a number. Closing a channel, and what a role does
//! alone, cannot be seen from outside and leaves no trace.

use std::collections::BTreeMap;
use std::fmt;

use quadrille_component::regular::{Automaton, AutomatonState, NotRegular};
use quadrille_component::syntax::{Component, Direction, Kind, Name, Path, Phase, Protocol, Token};
use quadrille_diagnostic::{Diagnostic, Span};
use quadrille_interaction::InteractionKind;
use quadrille_protocol::core::RoleId;
use quadrille_protocol::project::{LocalAutomaton, LocalEdge, Projection};

use crate::codes;

/// Why a role has no frame.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RoleError {
    /// The role may get where the protocol never ends.
    NeverEnds {
        /// Its name.
        role: String,
    },
    /// The protocol of the role would be too long to read.
    TooLarge {
        /// Its name.
        role: String,
    },
}

impl fmt::Display for RoleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoleError::NeverEnds { role } => write!(
                f,
                "role `{role}` may go on for ever, and a behavior protocol describes what ends"
            ),
            RoleError::TooLarge { role } => {
                write!(f, "the behavior protocol of role `{role}` would be too large")
            }
        }
    }
}

impl std::error::Error for RoleError {}

impl RoleError {
    /// Says so.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self {
            RoleError::NeverEnds { .. } => &codes::NEVER_ENDS,
            RoleError::TooLarge { .. } => &codes::TOO_LARGE,
        };
        Diagnostic::error(code, self.to_string())
    }
}

/// The frames of all roles of a protocol, in the order of the projection. `span` is where the protocol
/// stands.
pub fn frames(projection: &Projection, span: Span) -> Vec<Result<Component, RoleError>> {
    let mut roles: BTreeMap<RoleId, String> = BTreeMap::new();
    for local in projection.locals() {
        let wanted = identifier(projection.role(local.role));
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        let free = names.find(|name| !roles.values().any(|known| known == name));
        roles.insert(local.role, free.unwrap_or_default());
    }
    let mut writer = Writer { projection, span, roles, names: BTreeMap::new() };
    projection.locals().iter().map(|local| writer.frame(local)).collect()
}

struct Writer<'p> {
    projection: &'p Projection,
    span: Span,
    /// The name of each role.
    roles: BTreeMap<RoleId, String>,
    /// What each name of a message stands for.
    names: BTreeMap<String, Sent>,
}

/// Sender, receiver, message, and which of those that look alike.
type Sent = (RoleId, RoleId, String, u32);

impl Writer<'_> {
    fn frame(&mut self, local: &LocalAutomaton) -> Result<Component, RoleError> {
        let mut edges = Vec::new();
        for (from, state) in local.states.iter().enumerate() {
            for edge in &state.edges {
                edges.push((
                    AutomatonState(from),
                    self.step(local.role, edge),
                    AutomatonState(edge.to.index()),
                ));
            }
        }
        let ends = local.states.iter().map(|state| state.may_end).collect();
        let role = self.projection.role(local.role).to_owned();
        let text = self.name(local.role).to_owned();
        let protocol = Automaton { edges, ends, span: self.span }.protocol();
        let protocol = protocol.map_err(|error| match error {
            NotRegular::NeverEnds(_) => RoleError::NeverEnds { role },
            NotRegular::TooLarge => RoleError::TooLarge { role },
        })?;
        let name = Name { text, span: self.span };
        Ok(Component { name, variables: Vec::new(), protocol })
    }

    fn step(&mut self, role: RoleId, edge: &LocalEdge) -> Protocol {
        let projection = self.projection;
        let act = projection.act(edge.act);
        let message = act.message.as_ref().map(ToString::to_string).unwrap_or_default();
        let variant = edge.packet.map_or(0, |packet| projection.packet(packet).variant);
        let direction = match act.kind {
            InteractionKind::Close | InteractionKind::Local => return self.of(Kind::Null),
            InteractionKind::Exchange if act.from != role => Direction::Accept,
            InteractionKind::Send | InteractionKind::Exchange => Direction::Emit,
            InteractionKind::Receive => Direction::Accept,
        };
        let others: Vec<RoleId> = match direction {
            Direction::Emit => act.to.iter().copied().filter(|to| *to != role).collect(),
            Direction::Accept => vec![role],
        };
        let mut tokens: Vec<Token> = Vec::new();
        for to in others {
            let text = self.path(&(act.from, to, message.clone(), variant));
            let path = Path { text, span: self.span };
            tokens.push(Token { direction, path, phase: Phase::Request });
        }
        self.of(match tokens.len() {
            0 => Kind::Null,
            1 => Kind::Event(tokens.remove(0)),
            _ => Kind::Atomic(tokens),
        })
    }

    /// The name of a message; no two messages share one.
    fn path(&mut self, sent: &Sent) -> String {
        let (from, to, message, _) = sent;
        let wanted = format!("{}_{}.{}", self.name(*from), self.name(*to), identifier(message));
        let mut name = wanted.clone();
        let mut number = 1;
        while *self.names.entry(name.clone()).or_insert_with(|| sent.clone()) != *sent {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }

    fn name(&self, role: RoleId) -> &str {
        &self.roles[&role]
    }

    fn of(&self, kind: Kind) -> Protocol {
        Protocol { kind, span: self.span }
    }
}

/// A name that a behavior protocol may use: `worker[0]` is `worker_0`.
fn identifier(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_");
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("x{name}") }
}
