//! Atoms of `.owl` formulas: what `"white SEND <Move> TO black"` says about an action of a protocol.
//! The formulas around them are read by `quadrille_logic::parse_owl`.

use std::collections::BTreeMap;

use quadrille_diagnostic::{Diagnostic, Span, codes};
use quadrille_model::{Action, Interaction, ParticipantId};

use crate::core::{Role, Terms};

codes! {
    ALL:

    /// An atom of an Owl formula cannot be read.
    ///
    /// An atom names who does what: a role, `SEND` or `RECV`, the type of the message, and perhaps `TO` or
    /// `FROM` and another role. `*` stands for any one word.
    ///
    /// ```text
    /// "white SEND <Move> TO black"
    /// "worker_0_ RECV *"
    /// ```
    O001 = BAD_ATOM;
}

/// Full names of types by the short names that formulas write as `<Short>`.
pub type Types = BTreeMap<String, String>;

/// An atom of an Owl formula.
///
/// Matching follows the tool whose files these are. Verbs and roles compare ignoring case, types
/// exactly; `worker[0]` is written `worker_0_`; after the type of a `RECV` everything is ignored,
/// so `white RECV <Move> TO black` means `white RECV <Move>`; closing a channel makes no atom true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwlAtom {
    /// Who sends or receives.
    pub role: Pattern,
    /// Which of the two.
    pub verb: OwlVerb,
    /// The type of the message, resolved.
    pub message: Pattern,
    /// Who is sent to; any role for a receive.
    pub to: Pattern,
    /// What stands after the type of a `RECV` and means nothing.
    pub ignored: Option<String>,
}

/// What a role does in the words of Owl. A pattern and no [`Interaction`]: `SEND` fits a send as well as
/// an exchange, and so does `RECV` on the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwlVerb {
    /// `SEND`
    Send,
    /// `RECV`
    Receive,
}

/// One word of an atom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// `*`, or nothing written.
    Any,
    /// This word.
    Word(String),
}

impl Pattern {
    fn new(word: Option<&str>) -> Self {
        match word {
            None | Some("*") => Pattern::Any,
            Some(word) => Pattern::Word(word.to_owned()),
        }
    }

    /// Whether it matches a role, in one of the spellings that files use.
    pub fn matches_role(&self, role: &Role) -> bool {
        let Pattern::Word(word) = self else { return true };
        let indices: Vec<String> = role.indices.iter().map(ToString::to_string).collect();
        let spelt = match &indices[..] {
            [] => role.name.clone(),
            _ => format!("{}_{}_", role.name, indices.join("_")),
        };
        let plain = |text: &str| -> String {
            text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
        };
        [role.to_string(), plain(&role.to_string()), plain(&spelt)]
            .iter()
            .any(|spelling| spelling.eq_ignore_ascii_case(word))
    }

    /// Whether it matches a message, as an action shows it: by its type, whatever its content.
    pub fn matches_message(&self, message: &str) -> bool {
        let Pattern::Word(word) = self else { return true };
        let name = match message.split_once('(') {
            Some((name, _)) if !name.is_empty() => name,
            _ => message,
        };
        word == message || word == name
    }
}

impl OwlAtom {
    /// Reads an atom from the text between the quotes.
    pub fn parse(text: &str, span: Span, types: &Types) -> Result<Self, Box<Diagnostic>> {
        let bad = |message: String| {
            let label = "expected `role SEND type TO role` or `role RECV type`";
            Box::new(Diagnostic::error(&BAD_ATOM, message).at(span, label))
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let [role, verb, rest @ ..] = &words[..] else {
            return Err(bad("an atom needs a role and a verb".to_owned()));
        };
        let verb = match verb.to_ascii_uppercase().as_str() {
            "SEND" => OwlVerb::Send,
            "RECV" => OwlVerb::Receive,
            _ => return Err(bad(format!("`{verb}` is neither `SEND` nor `RECV`"))),
        };
        let message = match Pattern::new(rest.first().copied()) {
            Pattern::Word(word) => Pattern::Word(resolved(&word, types)),
            Pattern::Any => Pattern::Any,
        };
        let (to, ignored) = match (verb, rest.get(1..).unwrap_or(&[])) {
            (_, []) => (None, None),
            (OwlVerb::Receive, more) => (None, Some(more.join(" "))),
            (OwlVerb::Send, [word, to]) if word.eq_ignore_ascii_case("TO") => (Some(*to), None),
            (OwlVerb::Send, _) => {
                return Err(bad("after the type comes `TO` and a role".to_owned()));
            }
        };
        Ok(Self { role: Pattern::new(Some(role)), verb, message, to: Pattern::new(to), ignored })
    }

    /// Whether an action of a protocol makes the atom true.
    pub fn matches(&self, terms: &Terms, action: &Action) -> bool {
        let is = |pattern: &Pattern, participant: ParticipantId| {
            pattern.matches_role(terms.role_of(participant.into()))
        };
        let sends = |from: ParticipantId, to: &[ParticipantId], message: &str| {
            self.verb == OwlVerb::Send
                && is(&self.role, from)
                && to.iter().any(|&to| is(&self.to, to))
                && self.message.matches_message(message)
        };
        let receives = |to: ParticipantId, message: &str| {
            self.verb == OwlVerb::Receive
                && is(&self.role, to)
                && self.message.matches_message(message)
        };
        match &action.interaction {
            Interaction::Send { from, to, message } => sends(*from, to, message),
            Interaction::Receive { to, message, .. } => receives(*to, message),
            Interaction::Exchange { from, to, message } => {
                sends(*from, to, message) || to.iter().any(|&to| receives(to, message))
            }
            Interaction::Close { .. } | Interaction::Joint { .. } => false,
        }
    }
}

/// `<Short>` through the map; a short name that is not in it stands for itself.
fn resolved(word: &str, types: &Types) -> String {
    match word.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        Some(short) => types.get(short).cloned().unwrap_or_else(|| short.to_owned()),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests;
