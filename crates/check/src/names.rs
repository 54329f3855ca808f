//! Formulas about a system whose roles, messages and actions are all known: a name that it does not have is a
//! mistake, because `always not …` would hold of it whatever the system does.

use quadrille_diagnostic::{Diagnostic, Sources, Span, codes, similar};
use quadrille_logic::parse;
use quadrille_model::ParticipantId;
use quadrille_protocol::core::Terms;
use quadrille_quad::atoms::ActionAtoms;
use quadrille_quad::{Atom, MessagePattern, Pattern, RolePattern};

use crate::claim::Claim;

codes! {
    ALL:

    /// A formula names a role, a message or an action that the module does not have.
    ///
    /// A misspelt name would make `always not …` hold whatever the module does, so it is refused.
    ///
    /// ```text
    /// always (not Blakc sends Move)      // there is a role `Black`
    /// ```
    V001 = UNKNOWN_NAME;

    /// A formula was asked with the wrong method.
    ///
    /// A formula with path quantifiers (`AG`, `EF` …) is one of branching time: ask it with `ctl`. One without is one of
    /// linear time, about all runs: ask it with `ltl`.
    V002 = OTHER_KIND;

    /// A form of a protocol has no variables.
    ///
    /// The strict and the liberal form, and the modules that are generated of them, are made of messages alone;
    /// what the variables of the protocol hold can be asked of the protocol itself only. Leave `--variant`
    /// out, or write a formula about the messages.
    Q020 = NO_VARIABLES;
}

/// All names that a system has.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Its roles, by number of the participant.
    pub roles: &'a [&'a str],
    /// What is sent or done, with content: `Vote(true)`.
    pub messages: &'a [&'a str],
    /// The labels of its actions.
    pub actions: &'a [&'a str],
}

impl Names<'_> {
    /// Reads a formula in our own syntax about a system with these names.
    pub fn claim<'m>(
        &self,
        sources: &Sources,
        span: Span,
        terms: &'m Terms,
    ) -> Result<Claim<'m>, Vec<Diagnostic>> {
        let parsed = parse(sources, span, &mut ActionAtoms);
        let mut unknown = Vec::new();
        for (id, atom) in parsed.atoms.iter() {
            let place = parsed.atoms.span(id).unwrap_or(span);
            let found = match atom {
                Atom::Action(Pattern { role, message, other, .. }) => self
                    .unknown_role(role, terms)
                    .or_else(|| self.unknown_role(other, terms))
                    .or_else(|| self.unknown_message(message)),
                Atom::Label(label) if !self.actions.contains(&label.as_str()) => {
                    Some(unknown_name("action", label, self.actions))
                }
                Atom::Label(_) | Atom::Proposition(_) => None,
            };
            unknown.extend(found.map(|diagnostic| diagnostic.at(place, "")));
        }
        if unknown.is_empty() { Claim::of_actions(sources, span, terms) } else { Err(unknown) }
    }

    fn unknown_role(&self, pattern: &RolePattern, terms: &Terms) -> Option<Diagnostic> {
        let mut participants = (0..self.roles.len()).map(ParticipantId::from_usize);
        let is_known = participants.any(|participant| pattern.matches(terms, participant));
        (!is_known).then(|| unknown_name("role", &pattern.to_string(), self.roles))
    }

    fn unknown_message(&self, pattern: &MessagePattern) -> Option<Diagnostic> {
        if *pattern == MessagePattern::Any {
            return None;
        }
        let is_known = self.messages.iter().any(|message| pattern.matches(message));
        (!is_known).then(|| unknown_name("message", &pattern.to_string(), self.messages))
    }
}

/// Names listed in full where there are no more than this.
const MAX_LISTED: usize = 12;

fn unknown_name(kind: &str, name: &str, known: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&UNKNOWN_NAME, format!("the module has no {kind} `{name}`"));
    let near = similar(name, known.iter().copied());
    diagnostic.help(match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.len() > MAX_LISTED => {
            format!("it has {} {kind}s, among them {}", known.len(), known[..MAX_LISTED].join(", "))
        }
        None => format!("its {kind}s are {}", known.join(", ")),
    })
}
