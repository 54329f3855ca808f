//! Which actions an atom of a property means. Knows no syntax.

use std::fmt;

use quadrille_model::{Action, Interaction, ParticipantId};

use quadrille_protocol::core::{RoleId, Terms};

/// What a role does in the words of formulas. A pattern and no [`Interaction`]: `sends` fits a send as
/// well as an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verb {
    /// Sends a message, to be received later or in the same step.
    Sends,
    /// Receives a message, sent before or in the same step.
    Receives,
    /// Sends a message that is received in the same step.
    Passes,
    /// Closes a channel.
    Closes,
    /// Takes a step alone.
    Does,
}

impl Verb {
    /// Words and what they mean.
    const ALL: [(&'static str, Verb); 5] = [
        ("sends", Verb::Sends),
        ("receives", Verb::Receives),
        ("passes", Verb::Passes),
        ("closes", Verb::Closes),
        ("does", Verb::Does),
    ];

    /// The verb that a word is.
    pub fn of(word: &str) -> Option<Verb> {
        Verb::ALL.iter().find(|(text, _)| *text == word).map(|(_, verb)| *verb)
    }
}

/// Roles that fit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RolePattern {
    /// Every role.
    Any,
    /// Those with this name and, where they are given, these indices.
    Named(String, Vec<Option<i64>>),
}

impl RolePattern {
    /// Whether a participant is one of them.
    pub fn matches(&self, terms: &Terms, participant: ParticipantId) -> bool {
        let RolePattern::Named(name, indices) = self else { return true };
        let role = terms.role_of(RoleId::from(participant));
        role.name == *name
            && role.indices.len() == indices.len()
            && role.indices.iter().zip(indices).all(|(at, wanted)| wanted.is_none_or(|w| w == *at))
    }
}

/// Messages and events that fit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MessagePattern {
    /// Everything.
    Any,
    /// Those with this name and, where they are given, these values of fields.
    Named(String, Vec<Option<String>>),
}

impl MessagePattern {
    /// Compares with a message as the core shows it: `Vote(true, 3)`.
    pub fn matches(&self, message: &str) -> bool {
        let MessagePattern::Named(wanted, fields) = self else { return true };
        let (name, content) = match message.split_once('(') {
            Some((name, content)) => (name, content.strip_suffix(')').unwrap_or(content)),
            None => (message, ""),
        };
        name == wanted
            && fields
                .iter()
                .zip(content.split(", "))
                .all(|(wanted, value)| wanted.as_ref().is_none_or(|wanted| wanted == value))
    }
}

/// Actions that fit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    /// Who acts.
    pub role: RolePattern,
    /// What they do.
    pub verb: Verb,
    /// The message or event; [`MessagePattern::Any`] for a close.
    pub message: MessagePattern,
    /// The other side: to whom, or from whom.
    pub other: RolePattern,
}

impl Pattern {
    /// Whether an action of a protocol fits.
    pub fn matches(&self, terms: &Terms, action: &Action) -> bool {
        let role = |pattern: &RolePattern, participant| pattern.matches(terms, participant);
        let any = |pattern: &RolePattern, all: &[ParticipantId]| {
            all.iter().any(|&participant| role(pattern, participant))
        };
        match (self.verb, &action.interaction) {
            (
                Verb::Sends,
                Interaction::Send { from, to, message }
                | Interaction::Exchange { from, to, message },
            )
            | (Verb::Passes, Interaction::Exchange { from, to, message }) => {
                self.message.matches(message) && role(&self.role, *from) && any(&self.other, to)
            }
            (Verb::Receives, Interaction::Receive { from, to, message }) => {
                self.message.matches(message)
                    && role(&self.role, *to)
                    && from.is_none_or(|from| role(&self.other, from))
            }
            (Verb::Receives, Interaction::Exchange { from, to, message }) => {
                self.message.matches(message) && any(&self.role, to) && role(&self.other, *from)
            }
            (Verb::Closes, Interaction::Close { from, to }) => {
                role(&self.role, *from) && role(&self.other, *to)
            }
            (Verb::Does, Interaction::Joint { participants: alone }) => match alone[..] {
                [by] => {
                    let event = action.label.rsplit(' ').next().unwrap_or("");
                    role(&self.role, by) && self.message.matches(event)
                }
                _ => false,
            },
            _ => false,
        }
    }
}

impl fmt::Display for RolePattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RolePattern::Named(name, indices) = self else { return out.write_str("*") };
        out.write_str(name)?;
        indices.iter().try_for_each(|index| match index {
            Some(index) => write!(out, "[{index}]"),
            None => out.write_str("[*]"),
        })
    }
}

impl fmt::Display for MessagePattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MessagePattern::Named(name, fields) = self else { return out.write_str("*") };
        out.write_str(name)?;
        if fields.is_empty() {
            return Ok(());
        }
        let fields: Vec<&str> =
            fields.iter().map(|field| field.as_deref().unwrap_or("*")).collect();
        write!(out, "({})", fields.join(", "))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pattern { role, verb, message, other } = self;
        match verb {
            Verb::Sends => write!(out, "{role} sends {message} to {other}"),
            Verb::Receives => write!(out, "{role} receives {message} from {other}"),
            Verb::Passes => write!(out, "{role} passes {message} to {other}"),
            Verb::Closes => write!(out, "{role} closes {other}"),
            Verb::Does => write!(out, "{role} does {message}"),
        }
    }
}
